import { describe, expect, test } from "bun:test";
import { ApiError } from "./errors";
import { filterItems, filterItemsOfText, within } from "./filter-items";

function refusal(work: () => unknown): object {
  try {
    work();
  } catch (error) {
    if (error instanceof ApiError) return { code: error.code, ...error.extras };
    throw error;
  }
  throw new Error("It was not refused.");
}
const isGerman = { field: "country", op: "eq", value: "DE" } as const;
const missing = (field: string) => ({ code: "MISSING_FIELDS", field });
const unknown = (field: string) => ({ code: "INVALID_BODY", field });

test("absent and null lists are empty", () => {
  expect([filterItems(undefined), filterItems(null)]).toEqual([[], []]);
  expect([filterItemsOfText(undefined), filterItemsOfText("[]")]).toEqual([[], []]);
});

test("at most 20", () => {
  expect(filterItems(Array(20).fill(isGerman))).toHaveLength(20);
  expect(refusal(() => filterItems(Array(21).fill(isGerman)))).toEqual(missing("filters"));
});

test("a query string has the same list as JSON", () => {
  expect(filterItemsOfText(JSON.stringify([isGerman]))).toEqual([isGerman]);
  for (const text of ["", "{}", "[", "null", "DE"]) {
    expect(refusal(() => filterItemsOfText(text))).toEqual(missing("filters"));
  }
});

describe("any", () => {
  test("has 2 to 10 filters, which may be about people", () => {
    const group = [isGerman, { did: "buy" }];
    const found = [
      { any: [isGerman, { did: "buy", isNegated: false, filters: [], window: null }] },
    ];
    expect(filterItems([{ any: group }])).toEqual(found);
    expect(filterItems([{ any: Array(10).fill(isGerman) }])).toHaveLength(1);
    const counts = [0, 1, 11].map((count) => Array(count).fill(isGerman));
    for (const list of [...counts, "x"]) {
      expect(refusal(() => filterItems([{ any: list }]))).toEqual(missing("filters[0].any"));
    }
  });
  test("is one level deep, and alone", () => {
    const group = [isGerman, isGerman];
    expect(refusal(() => filterItems([{ any: [isGerman, { any: group }] }]))).toEqual(
      missing("filters[0].any[1]"),
    );
    expect(refusal(() => filterItems([{ any: group, field: "country" }]))).toMatchObject(
      unknown("filters[0].field"),
    );
  });
});

describe("did and did_not", () => {
  test("name an event, and what must hold for it", () => {
    expect(filterItems([{ did_not: "buy", filters: [isGerman] }])).toEqual([
      { did: "buy", isNegated: true, filters: [isGerman], window: null },
    ]);
    for (const did of ["", 7, "a".repeat(257)]) {
      expect(refusal(() => filterItems([{ did }]))).toEqual(missing("filters[0].did"));
    }
  });
  test("have at most 20 filters", () => {
    const of = (count: number) => [{ did: "buy", filters: Array(count).fill(isGerman) }];
    expect(filterItems(of(20))).toHaveLength(1);
    expect(refusal(() => filterItems(of(21)))).toEqual(missing("filters[0].filters"));
  });
  test("are not within each other", () => {
    const inner = { did: "a", filters: [{ did: "b" }] };
    expect(refusal(() => filterItems([inner]))).toMatchObject(unknown("filters[0].filters[0].did"));
  });
  test("are about the window of the read", () => {
    const [plain, group] = within(filterItems([{ did: "a" }, { any: [{ did: "b" }, isGerman] }]), {
      fromMs: 1,
      toMs: 2,
    });
    expect(plain).toMatchObject({ did: "a", window: { fromMs: 1, toMs: 2 } });
    expect(group).toMatchObject({ any: [{ did: "b", window: { fromMs: 1 } }, isGerman] });
  });
});

test("refuses what is not an object, and unknown names", () => {
  expect(refusal(() => filterItems(["x"]))).toEqual(unknown("filters[0]"));
  expect(refusal(() => filterItems([{ ...isGerman, vlaue: 1 }]))).toEqual({
    ...unknown("filters[0].vlaue"),
    suggested_field: "filters[0].value",
  });
});
