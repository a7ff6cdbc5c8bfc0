import { afterEach, expect, test } from "bun:test";
import type { Engine } from "../../../test/support/engine";
import {
  dayMs,
  event,
  lastDays,
  minuteMs,
  noonMs,
  projectId,
  storeOf,
  storeOfColumns,
} from "../../../test/support/examples";
import type { AcceptedEvent } from "../../domain/event";
import { propertiesRead, receivedRead } from "./read";

let engine: Engine;
afterEach(() => engine.close());

function given(...events: readonly AcceptedEvent[]): void {
  engine = storeOf(events);
}
const properties = () => engine.read(propertiesRead, { projectId, days: lastDays });
const received = (sample: number) =>
  engine.read(receivedRead, { projectId, days: lastDays, sample });

test("an empty project has nothing to offer", () => {
  given();
  expect(properties()).toEqual({ events: [], property_keys: [] });
  expect(received(100)).toEqual({ since: "2026-01-07", sample_size: 100, properties: [] });
});

test("every event name is listed, with its first and last day in the window", () => {
  given(
    event({ name: "rare", timeMs: noonMs - 30 * dayMs }),
    event({ name: "rare", timeMs: noonMs - 3 * dayMs }),
    event({ name: "rare", timeMs: noonMs - dayMs, userId: "ann" }),
    event({ name: "often" }),
    event({ name: "often" }),
    event({ name: "often" }),
  );
  expect(properties().events).toEqual([
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

test("keys are those of the newest 1,000 events that have properties", () => {
  const old = event({ timeMs: noonMs - dayMs, properties: { old: 1 } });
  const young = Array.from({ length: 1_000 }, () => event({ properties: { "": 1, z: { in: 1 } } }));
  given(old, ...young.slice(1), event({ timeMs: noonMs + 1 }));
  expect(properties().property_keys).toEqual(["", "old", "z"]);
  engine.close();
  given(old, ...young);
  expect(properties().property_keys).toEqual(["", "z"]);
});

test("received lists each key with each event that carried it", () => {
  given(
    event({ name: "b", properties: { k: 1, a: 1 } }),
    event({ name: "a", properties: { k: null } }),
    event({ name: "a", properties: { k: 2 } }),
    event({ name: "c", properties: {} }),
    event({ name: "d" }),
  );
  expect(received(100).properties).toEqual([
    { key: "a", event: "b" },
    { key: "k", event: "a" },
    { key: "k", event: "b" },
  ]);
});

test("received looks at no more events than the sample, newest first", () => {
  given(
    event({ name: "old", timeMs: noonMs - minuteMs, properties: { k: 1 } }),
    event({ name: "new", properties: { k: 1 } }),
  );
  expect(received(1).properties).toEqual([{ key: "k", event: "new" }]);
});

test("hostile keys are listed as they are", () => {
  const keys = ["__proto__", "nul\0", "\ud800", 'quote"', "😀", "～"];
  given(event({ properties: Object.fromEntries(keys.map((key) => [key, 1])) }));
  expect(properties().property_keys).toEqual([
    "__proto__",
    "nul\0",
    'quote"',
    "\ud800",
    "～",
    "😀",
  ]);
});

test("looks at shapes, not at the values of properties", () => {
  engine = storeOfColumns((index) => event({ timeMs: noonMs + index, properties: { index } }));
  const touched = engine.columnsTouched(propertiesRead, { projectId, days: lastDays });
  expect(touched).toContain("event.shape");
  expect(touched).not.toContain("property.index");
});
