import { describe, expect, test } from "bun:test";
import {
  dayMs,
  event,
  lastDays,
  minuteMs,
  noonMs,
  projectId,
  storeOfColumns,
} from "../../../test/support/engine/examples";
import { ReadTest } from "../../../test/support/engine/read-test";
import { cases } from "../../../test/support/random/cases";
import { compareText } from "../../lib/text";
import { propertiesRead } from "../../reads/properties";
import { receivedRead } from "./properties";

const on = new ReadTest();
const { given } = on;

const properties = () => on.engine.read(propertiesRead, { projectId, days: lastDays });
const received = (sample: number, pairsMax = 20_000) =>
  on.engine.read(receivedRead, { projectId, days: lastDays, sample, pairsMax });

test("an empty project has nothing to offer", async () => {
  given();
  expect(await properties()).toEqual({ events: [], property_keys: [] });
  expect(await received(100)).toEqual({ since: "2026-01-07", sample_size: 100, properties: [] });
});

test("every event name is listed, with its first and last day in the window", async () => {
  given(
    event({ name: "rare", timeMs: noonMs - 30 * dayMs }),
    event({ name: "rare", timeMs: noonMs - 3 * dayMs }),
    event({ name: "rare", timeMs: noonMs - dayMs, userId: "ann" }),
    event({ name: "often" }),
    event({ name: "often" }),
    event({ name: "often" }),
  );
  expect((await properties()).events).toEqual([
    {
      event: "often",
      count: 3,
      unique_users: 0,
      first_seen: "2026-01-14",
      last_seen: "2026-01-14",
    },
    {
      event: "rare",
      count: 2,
      unique_users: 1,
      first_seen: "2026-01-11",
      last_seen: "2026-01-13",
    },
  ]);
});

test("keys are those of the newest 1,000 events that have properties", async () => {
  const old = event({ timeMs: noonMs - dayMs, properties: { old: 1 } });
  const young = Array.from({ length: 1_000 }, () => event({ properties: { "": 1, z: { in: 1 } } }));
  given(old, ...young.slice(1), event({ timeMs: noonMs + 1 }));
  expect((await properties()).property_keys).toEqual(["", "old", "z"]);
  on.engine.close();
  given(old, ...young);
  expect((await properties()).property_keys).toEqual(["", "z"]);
});

test("received lists each key with each event that carried it", async () => {
  given(
    event({ name: "b", properties: { k: 1, a: 1 } }),
    event({ name: "a", properties: { k: null } }),
    event({ name: "a", properties: { k: 2 } }),
    event({ name: "c", properties: {} }),
    event({ name: "d" }),
  );
  expect((await received(100)).properties).toEqual([
    { key: "a", event: "b" },
    { key: "k", event: "a" },
    { key: "k", event: "b" },
  ]);
});

test("received looks at no more events than the sample, newest first", async () => {
  given(
    event({ name: "old", timeMs: noonMs - minuteMs, properties: { k: 1 } }),
    event({ name: "new", properties: { k: 1 } }),
  );
  expect((await received(1)).properties).toEqual([{ key: "k", event: "new" }]);
});

test("hostile keys are listed as they are", async () => {
  const keys = ["__proto__", "nul\0", "\ud800", 'quote"', "😀", "～"];
  given(event({ properties: Object.fromEntries(keys.map((key) => [key, 1])) }));
  expect((await properties()).property_keys).toEqual([
    "__proto__",
    "nul\0",
    'quote"',
    "\ud800",
    "～",
    "😀",
  ]);
});

test("looks at shapes, not at the values of properties", async () => {
  on.engine = storeOfColumns((index) => event({ timeMs: noonMs + index, properties: { index } }));
  const touched = await on.engine.columnsTouched(propertiesRead, { projectId, days: lastDays });
  expect(touched).toContain("event.shape");
  expect(touched).not.toContain("property.index");
});

describe("lists are bounded:", () => {
  const numbered = (count: number, text: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => text(index));
  const four = (index: number): string => String(index).padStart(4, "0");

  test.each([999, 1_000, 1_001])("%d event names", async (count) => {
    const names = numbered(count, (index) => `e${four(index)}`);
    given(...names.toReversed().map((name) => event({ name })), event({ name: "e0998" }));
    const { events, truncated } = await properties();
    expect(truncated).toBe(count > 1_000 ? true : undefined);
    const others = names.filter((name) => name !== "e0998");
    expect(events.map(({ event: name }) => name)).toEqual(["e0998", ...others].slice(0, 1_000));
    expect(events[0].count).toBe(2);
  });

  test.each([1_999, 2_000, 2_001])("%d keys", async (count) => {
    const keys = numbered(count, (index) => `k${four(index)}`);
    const halves = [keys.slice(0, 1_000), keys.slice(1_000)];
    given(
      ...halves.map((half) => event({ properties: objectOf(half) })),
      event({ properties: objectOf([keys.at(-1) ?? ""]) }),
    );
    const { property_keys, truncated } = await properties();
    expect(truncated).toBe(count > 2_000 ? true : undefined);
    // The last one came twice; of the others, those that come first.
    const wanted = count > 2_000 ? [...keys.slice(0, 1_999), keys[2_000]] : keys;
    expect(property_keys).toEqual(wanted);
  });

  test.each([19_999, 20_000, 20_001])("%d pairs of key and event", async (count) => {
    const perEvent = 1_000;
    const pairs = numbered(count, (index) => `k${four(index % perEvent)}`);
    const events = numbered(Math.ceil(count / perEvent), (index) => `e${four(index)}`);
    const keysOf = (index: number) => pairs.slice(index * perEvent, (index + 1) * perEvent);
    const all = events.flatMap((name, index) => keysOf(index).map((key) => ({ key, event: name })));
    given(
      ...events.map((name, index) => event({ name, properties: objectOf(keysOf(index)) })),
      event({ name: "e0000", properties: { k0999: 1 } }),
    );
    const { properties: found, truncated } = await received(10_000);
    expect(truncated).toBe(count > 20_000 ? true : undefined);
    const inOrder = all.toSorted(
      (a, b) => compareText(a.key, b.key) || compareText(a.event, b.event),
    );
    // The last one in order is left out: it came once, and (k0999, e0000) came twice.
    expect(found).toEqual(inOrder.slice(0, 20_000));
  });

  test("a flood of ever new keys is counted in bounded memory and can be given up", async () => {
    const each = cases(40, 400);
    given(
      ...Array.from({ length: 1_000 }, (_, at) =>
        event({ properties: objectOf(numbered(each, (index) => `k${at * each + index}`)) }),
      ),
    );
    const { properties: found } = await received(10_000);
    expect(found).toHaveLength(20_000);
    let checks = 0;
    on.engine.isCancelled = () => ++checks > 100;
    await expect(received(10_000)).rejects.toThrow("cancelled");
    expect(checks).toBe(101);
  });
});

const objectOf = (keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, 1]));
