import { describe, expect, test } from "bun:test";
import {
  event,
  lastDays,
  minuteMs,
  noonMs,
  projectId,
  store,
  storeOfColumns,
  visit,
} from "../../../test/support/engine/examples";
import { ReadTest } from "../../../test/support/engine/read-test";
import { decodeCursor } from "../../domain/cursor";
import type { Condition } from "../../domain/filter";
import { eventsRead } from "./read";

const on = new ReadTest();
const { given } = on;

const input = { projectId, days: lastDays, conditions: [], limit: 100, before: null, question: {} };
const page = (said: Partial<Parameters<typeof eventsRead.run>[1]> = {}) =>
  on.engine.read(eventsRead, { ...input, ...said });
const where = (field: "event" | "user_id" | "session_id", value: string): Condition[] => [
  { field, op: "eq", value },
];

test("an empty project has an empty page", async () => {
  given();
  expect(await page()).toEqual({ events: [], count: 0, next_cursor: null });
});

test("of an event that nobody sent, a warning says so; not of one that another filter keeps out", async () => {
  given(event({ name: "buy", userId: "ann" }));
  expect((await page({ conditions: where("event", "by") })).warnings?.[0]?.message).toContain(
    '"by"',
  );
  const others = [...where("event", "buy"), ...where("user_id", "bob")];
  expect(await page({ conditions: others })).toEqual({ events: [], count: 0, next_cursor: null });
});

test("a row shows what was sent", async () => {
  given(
    event({ name: "buy", userId: "ann", sessionId: "s1", country: "DE", properties: { n: 1.5 } }),
  );
  const [row] = (await page()).events;
  expect(row).toEqual({
    id: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/),
    project_id: projectId,
    event: "buy",
    properties: { n: 1.5 },
    user_id: "ann",
    session_id: "s1",
    timestamp: noonMs,
    date: "2026-01-14",
    country: "DE",
  });
});

test("newest first; of equal times, the one stored last", async () => {
  given(event({ name: "a" }), event({ name: "b" }), event({ name: "c", timeMs: noonMs - 1 }));
  store(on.engine, [event({ name: "d" })]);
  expect((await page()).events.map((row) => row.event)).toEqual(["d", "b", "a", "c"]);
});

describe("properties come back as they were sent", () => {
  const sent: readonly string[] = [
    "{}",
    '{"z":1,"a":2}',
    '{"__proto__":{"a":1},"constructor":null,"toString":"x"}',
    '{"":0,"a b":"","quote\\"":"\\"","nul\\u0000":"\\u0000"}',
    '{"\\ud800":"\\udfff lone","😀":"😀"}',
    '{"deep":[[[[{"b":[],"a":{}}]]]],"n":-1.5e-7,"big":1e+300,"yes":true}',
  ];
  test.each(sent)("%s", async (json) => {
    given(event({ properties: JSON.parse(json) }));
    expect(JSON.stringify((await page()).events[0]?.properties)).toBe(json);
  });
  test("none is not the same as an empty object", async () => {
    given(event({ properties: null }));
    expect((await page()).events[0]?.properties).toBeNull();
  });
});

describe("filters are exact", () => {
  test("by event, session and user", async () => {
    given(...visit("ann", "s1", "a", "b"), ...visit("bob", "s2", "a"), ...visit(null, null, "a"));
    const counts = [
      (await page({ conditions: where("event", "a") })).count,
      (await page({ conditions: where("session_id", "s1") })).count,
      (await page({ conditions: where("user_id", "bob") })).count,
      (await page({ conditions: [...where("event", "a"), ...where("user_id", "ann")] })).count,
      (await page({ conditions: where("event", "A") })).count,
      (await page({ conditions: where("user_id", "nobody") })).count,
    ];
    expect(counts).toEqual([3, 2, 1, 1, 0, 0]);
  });
  test("an id that was linked to another has no events of its own any more", async () => {
    given(...visit("anon", null, "a"));
    on.engine.append([
      {
        kind: "identity",
        projectId,
        receivedAtMs: noonMs,
        previousId: "anon",
        userId: "ann",
        traits: null,
      },
    ]);
    expect((await page({ conditions: where("user_id", "anon") })).count).toBe(0);
    expect((await page({ conditions: where("user_id", "ann") })).events[0]?.user_id).toBe("ann");
  });
});

test("pages follow each other without gap or repeat, events of one millisecond included", async () => {
  const names = Array.from({ length: 10 }, (_, index) => `e${index}`);
  given(...names.map((name, index) => event({ name, timeMs: noonMs + (index >> 2) * minuteMs })));
  const seen: string[] = [];
  let next: string | null = null;
  do {
    const before = next === null ? null : placeIn(next);
    const found: Awaited<ReturnType<typeof page>> = await page({ limit: 3, before });
    expect(found.count).toBe(found.events.length);
    seen.push(...found.events.map((row) => row.event));
    next = found.next_cursor;
  } while (next !== null);
  expect(seen).toEqual(names.toReversed());
});

function placeIn(cursor: string) {
  const [timeMs, ticket] = decodeCursor(cursor, {}, ["number", "number"]).place.map(Number);
  return { timeMs, ticket };
}

test("a full last page has no next one", async () => {
  given(event(), event());
  expect((await page({ limit: 2 })).next_cursor).toBeNull();
  expect((await page({ limit: 1 })).next_cursor).not.toBeNull();
});

test("opens names alone to find that no event has the name", async () => {
  on.engine = storeOfColumns((index) => event({ timeMs: noonMs + index, properties: { index } }));
  const absent = { ...input, conditions: where("event", "absent") };
  expect(await on.engine.columnsTouched(eventsRead, absent)).toEqual(["event.name"]);
});
