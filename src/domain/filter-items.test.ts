import { describe, expect, test } from "bun:test";
import { filtersOf } from "../../test/support/engine/filters";
import { ApiError } from "./errors";
import { within } from "./filter-items";
import { Goals } from "./goals/goals";
import { filterItemsOfText } from "./sent-filters";

function refusal(work: () => unknown): object {
  try {
    work();
  } catch (error) {
    if (error instanceof ApiError) return { code: error.code, ...error.extras };
    throw error;
  }
  throw new Error("It was not refused.");
}
const noGoals = new Goals(() => []);
const isGerman = { field: "country", op: "eq", value: "DE" } as const;
const missing = (field: string) => ({ code: "MISSING_FIELDS", field });
const unknown = (field: string) => ({ code: "INVALID_BODY", field });

test("absent and null lists are empty", () => {
  expect([filtersOf(undefined), filtersOf(null)]).toEqual([[], []]);
  expect([filterItemsOfText(undefined, noGoals), filterItemsOfText("[]", noGoals)]).toEqual([
    [],
    [],
  ]);
});

test("at most 20", () => {
  expect(filtersOf(Array(20).fill(isGerman))).toHaveLength(20);
  expect(refusal(() => filtersOf(Array(21).fill(isGerman)))).toEqual(missing("filters"));
});

test("a query string has the same list as JSON", () => {
  expect(filterItemsOfText(JSON.stringify([isGerman]), noGoals)).toEqual([isGerman]);
  for (const text of ["", "{}", "[", "null", "DE"]) {
    expect(refusal(() => filterItemsOfText(text, noGoals))).toEqual(missing("filters"));
  }
});

describe("any", () => {
  test("has 2 to 10 filters, which may be about people", () => {
    const group = [isGerman, { did: "buy" }];
    const found = [
      { any: [isGerman, { did: "buy", isNegated: false, filters: [], window: null }] },
    ];
    expect(filtersOf([{ any: group }])).toEqual(found);
    expect(filtersOf([{ any: Array(10).fill(isGerman) }])).toHaveLength(1);
    const counts = [0, 1, 11].map((count) => Array(count).fill(isGerman));
    for (const list of [...counts, "x"]) {
      expect(refusal(() => filtersOf([{ any: list }]))).toEqual(missing("filters[0].any"));
    }
  });
  test("is one level deep, and alone", () => {
    const group = [isGerman, isGerman];
    expect(refusal(() => filtersOf([{ any: [isGerman, { any: group }] }]))).toEqual(
      missing("filters[0].any[1]"),
    );
    expect(refusal(() => filtersOf([{ any: group, field: "country" }]))).toMatchObject(
      unknown("filters[0].field"),
    );
  });
});

describe("did and did_not", () => {
  test("name an event, and what must hold for it", () => {
    expect(filtersOf([{ did_not: "buy", filters: [isGerman] }])).toEqual([
      { did: "buy", isNegated: true, filters: [isGerman], window: null },
    ]);
    for (const did of ["", 7, "a".repeat(257)]) {
      expect(refusal(() => filtersOf([{ did }]))).toEqual(missing("filters[0].did"));
    }
  });
  test("have at most 20 filters", () => {
    const of = (count: number) => [{ did: "buy", filters: Array(count).fill(isGerman) }];
    expect(filtersOf(of(20))).toHaveLength(1);
    expect(refusal(() => filtersOf(of(21)))).toEqual(missing("filters[0].filters"));
  });
  test("are not within each other", () => {
    const inner = { did: "a", filters: [{ did: "b" }] };
    expect(refusal(() => filtersOf([inner]))).toMatchObject(unknown("filters[0].filters[0].did"));
  });
  test("are about the window of the read", () => {
    const [plain, group] = within(filtersOf([{ did: "a" }, { any: [{ did: "b" }, isGerman] }]), {
      fromMs: 1,
      toMs: 2,
    });
    expect(plain).toMatchObject({ did: "a", window: { fromMs: 1, toMs: 2 } });
    expect(group).toMatchObject({ any: [{ did: "b", window: { fromMs: 1 } }, isGerman] });
  });
});

test("refuses what is not an object, and unknown names", () => {
  expect(refusal(() => filtersOf(["x"]))).toEqual(unknown("filters[0]"));
  expect(refusal(() => filtersOf([{ ...isGerman, vlaue: 1 }]))).toEqual({
    ...unknown("filters[0].vlaue"),
    suggested_field: "filters[0].value",
  });
});
