import { afterEach, describe, expect, test } from "bun:test";
import type { Engine } from "../../../test/support/engine/engine";
import { event, noonMs, storeOf, storeOfColumns } from "../../../test/support/engine/examples";
import { type Asked, inputOf } from "../../../test/support/engine/query-input";
import type { ApiError } from "../../domain/errors";
import { queryRead } from "./read";

let engine: Engine;
afterEach(() => engine.close());

/** Events with these values of `n`, in order of storing; later ones are told to be earlier. */
function given(...values: readonly unknown[]): void {
  engine = storeOf(
    values.map((n, index) => event({ properties: { n }, timeMs: noonMs - index * 1_000 })),
  );
}
const query = async (asked: Asked) => (await engine.read(queryRead, inputOf(asked))).rows;
/** One number of all that is stored. */
const measured = async (measure: string) => {
  const metric = `${measure}:properties.n`;
  return (await query({ metrics: [metric] }))[0]?.[metric];
};
const eachMeasured = async (measures: readonly string[]) => {
  const found: unknown[] = [];
  for (const measure of measures) found.push(await measured(measure));
  return found;
};

describe("of the values of a property", () => {
  test("JSON numbers alone count; other values are none", async () => {
    given(2, "3", 5, null, true, [7], { n: 9 });
    const all = ["sum", "avg", "min", "max", "p50", "p75", "p95"];
    expect(await eachMeasured(all)).toEqual([7, 3.5, 2, 5, 2, 5, 5]);
  });

  test("without any number there is null, and no value is no distinct one", async () => {
    given("3", null);
    const asked = ["sum", "avg", "min", "max", "p50", "p75", "p95", "distinct"];
    expect(await eachMeasured(asked)).toEqual([...Array(7).fill(null), 1]);
    engine.close();
    given();
    expect(await eachMeasured(asked)).toEqual([...Array(7).fill(null), 0]);
  });

  test("percentiles are values that occur: the nearest rank", async () => {
    given(...Array.from({ length: 20 }, (_, index) => 20 - index));
    expect(await eachMeasured(["p50", "p75", "p95"])).toEqual([10, 15, 19]);
    engine.close();
    given(...Array.from({ length: 21 }, (_, index) => index + 1));
    expect(await eachMeasured(["p50", "p75", "p95"])).toEqual([11, 16, 20]);
  });

  test("the sums of integers and fractions are exact, in any order of storage", async () => {
    const large = 2 ** 52;
    given(large, large - 1);
    expect(await measured("sum")).toBe(2 ** 53 - 1);
    engine.close();
    const fractions = [0.1, 0.2, 0.3, 1e16, -1e16, 1e308, 1e308, -1e308, -1e308];
    for (const values of [fractions, fractions.toReversed()]) {
      given(...values);
      expect(await eachMeasured(["sum", "avg"])).toEqual([0.6, 0.6 / 9]);
      engine.close();
    }
    given(1e308, 1e308, -0.1);
    expect(await eachMeasured(["sum", "avg"])).toEqual([null, null]);
  });

  test.each([3, 40, 3_000])("are counted by value in %d groups as one by one", async (groups) => {
    const values = (index: number) => [0.5, -2, index % 7, "x", null, (index * 7_919) % 1_000];
    const numberOf = (index: number) => values(index)[(index * 31) % 6];
    const groupOf = (index: number) => `g${(index * 13) % groups}`;
    engine = storeOfColumns((index) =>
      event({
        timeMs: noonMs + index,
        properties: { n: numberOf(index), group: groupOf(index) },
      }),
    );
    const wanted = new Map<unknown, number[]>();
    for (let index = 0; index < 3_000; index++) {
      const n = numberOf(index);
      const numbers = wanted.get(groupOf(index)) ?? [];
      wanted.set(groupOf(index), typeof n === "number" ? [...numbers, n] : numbers);
    }
    const names = ["min:properties.n", "p50:properties.n", "p95:properties.n", "max:properties.n"];
    const found = await query({ group_by: ["properties.group"], metrics: names, limit: 1_000 });
    expect(found.length).toBe(Math.min(groups, 1_000));
    for (const row of found) {
      const numbers = (wanted.get(row["properties.group"]) ?? []).sort((a, b) => a - b);
      const at = (percent: number) => numbers[Math.ceil((percent * numbers.length) / 100) - 1];
      const all = [numbers[0], at(50), at(95), numbers.at(-1)].map((value) => value ?? null);
      expect(names.map((name) => row[name] ?? null)).toEqual(all);
    }
  });

  test('distinct counts values that are not null, 2 and "2" as one', async () => {
    given(2, "2", 2, null, true, "true", [1], [1], "");
    expect(await measured("distinct")).toBe(4);
  });

  test("groups without a number come last in descending order, and first in ascending", async () => {
    engine = storeOf(
      [5, -1, "x"].map((n, index) => event({ name: `e${index}`, properties: { n } })),
    );
    const order = async (order: string) =>
      (await query({ group_by: ["event"], metrics: ["sum:properties.n"], order })).map(
        (row) => row.event,
      );
    expect(await order("desc")).toEqual(["e0", "e1", "e2"]);
    expect(await order("asc")).toEqual(["e2", "e1", "e0"]);
  });
  test("a group whose sum is too large for a number is ordered like one without a number", async () => {
    const events = [
      ["b", 1e308] as const,
      ["b", 1e308] as const,
      ["a", "x"] as const,
      ["c", 1] as const,
    ];
    engine = storeOf(events.map(([name, n]) => event({ name, properties: { n } })));
    const metrics = ["sum:properties.n", "avg:properties.n"];
    for (const order_by of metrics) {
      const rows = await query({ group_by: ["event"], metrics, order_by, order: "asc" });
      expect(rows.map((row) => row.event)).toEqual(["a", "b", "c"]);
    }
  });
});

test("page views are counted beside other events", async () => {
  engine = storeOf(["page_view", "page_view", "buy"].map((name) => event({ name })));
  expect(await query({ metrics: ["page_views", "event_count"], count_mode: "raw" })).toEqual([
    { page_views: 2, event_count: 3 },
  ]);
});

test("sums of fractions read the column of the property and no other", async () => {
  engine = storeOfColumns((index) =>
    event({ timeMs: noonMs + index, properties: { n: index / 10 } }),
  );
  const asked = inputOf({ metrics: ["sum:properties.n", "p95:properties.n"] });
  expect(await engine.columnsTouched(queryRead, asked)).toEqual(["property.n"]);
});

test.each([
  ["sum:n", "sum:properties.n"],
  ["summ:properties.n", "sum:properties.n"],
  ["page_view", "page_views"],
  ["what", undefined],
])("of %s is said that %s was probably meant", (asked, meant) => {
  let refused: unknown = null;
  try {
    inputOf({ metrics: [asked] });
  } catch (error) {
    refused = error;
  }
  expect(refused).toMatchObject({ code: "INVALID_METRIC" });
  expect((refused as ApiError).extras.suggested_field).toBe(meant);
});
