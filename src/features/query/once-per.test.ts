import { describe, expect, test } from "bun:test";
import { eventAt as at, comparedInputOf } from "../../../test/support/engine/compared-query";
import { at as atTime, usualSizes } from "../../../test/support/engine/engine";
import { event, noonMs, store, storeOf } from "../../../test/support/engine/examples";
import { inputOf } from "../../../test/support/engine/query-input";
import { ReadTest } from "../../../test/support/engine/read-test";
import { queryComparedRead } from "./compared";
import { queryRead } from "./read";

/** `once_per` of a query: its limit, and its periods in a comparison. */

const on = new ReadTest();
const oncePer = "properties.order" as const;
const order = (value: unknown) => ({ name: "buy", properties: { order: value } });

describe("the most different values", () => {
  const ask = () =>
    on.engine.read(queryRead, { ...inputOf({ count_mode: "raw" }), oncePer }).then(
      ({ rows }) => rows,
      ({ code, message }) => [code, message],
    );
  const tooMany = [
    "QUERY_FAILED",
    '"once_per" has more than 3 different values in these events. Ask for fewer days, or filter more.',
  ];

  test("are counted whole up to the limit, and refused beyond it, in one segment or in several", async () => {
    const sizes = { ...usualSizes, oncePerValuesMax: 3 };
    on.engine = storeOf(
      ["a", "b", "c", "a", null].map((one) => event(order(one))),
      sizes,
    );
    expect(await ask()).toEqual([{ event_count: 4 }]);
    store(on.engine, [event(order("b"))]);
    expect(await ask()).toEqual([{ event_count: 4 }]);
    store(on.engine, [event(order("d"))]);
    expect(await ask()).toEqual(tooMany);
    await atTime(noonMs, () => on.engine.compact());
    expect(await ask()).toEqual(tooMany);
  });
});

describe("beside a comparison", () => {
  const compared = async (asked: Parameters<typeof comparedInputOf>[0]) => {
    const input = comparedInputOf({ count_mode: "raw", ...asked });
    const { rows } = await on.engine.read(queryComparedRead, { ...input, oncePer });
    return rows.map((row) => [row.event_count, row.previous]);
  };

  test("the earliest event of a value is that of each period, after the cut at the time of day", async () => {
    on.given(
      // Today until noon: order 1 twice, and order 2, whose first event lies in the period before.
      ...[at(0, order(1), -3), at(0, order(1), -2), at(0, order(2), -1)],
      // A week ago: order 2 twice, order 3 before noon and again after it, order 4 after noon alone.
      ...[at(-7, order(2), -5), at(-7, order(2), -4), at(-7, order(3), -1)],
      ...[at(-7, order(3), 1), at(-7, order(4), 2)],
    );
    expect(await compared({ from: 0, compare: "week" })).toEqual([[2, { event_count: 2 }]]);
    // Without a cut order 4 counts, and order 3 still once.
    const dates = { date_from: "2026-01-06", date_to: "2026-01-07" };
    expect(await compared({ from: -1, to: -1, compare: dates })).toEqual([[0, { event_count: 3 }]]);
  });
  test("periods of different lengths have their own earliest events, though they overlap", async () => {
    on.given(
      at(-9, order(1)),
      at(-3, order(1)),
      at(-2, order(1)),
      at(-1, order(2)),
      at(-2, order(2)),
    );
    const compare = { date_from: "2026-01-05", date_to: "2026-01-12" };
    // Order 1 counts on the 11th of the period and on the 5th of the other one.
    const by = { group_by: ["date"], order_by: "date", order: "asc" } as const;
    expect(await compared({ from: -3, to: -1, compare })).toEqual([[2, { event_count: 2 }]]);
    expect(await compared({ from: -3, to: -1, compare, ...by })).toMatchObject([
      [1, { event_count: 1 }],
      [1, { event_count: 0 }],
      [0, { event_count: 1 }],
    ]);
  });
});
