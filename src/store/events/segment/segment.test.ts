import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  eventAt,
  expectColumns,
  expected,
  project,
  SegmentStore,
  startMs,
} from "../../../../test/support/engine/segment-store";
import type { ObjectEvent } from "../../../domain/event";
import { dayMs, hourMs, minuteMs } from "../../../lib/clock";
import { usualTuning } from "../tuning";

let segments: SegmentStore;
beforeEach(() => {
  segments = new SegmentStore();
});
afterEach(() => segments.close());

const event = (fields: Partial<ObjectEvent> = {}): ObjectEvent => eventAt(segments.nowMs, fields);

describe("an event comes back as it was sent", () => {
  const hostile: Record<string, unknown> = {
    "a key __proto__": JSON.parse('{"__proto__": {"a": 1}, "constructor": 2, "toString": null}'),
    "keys like numbers, which come first": { b: 1, 10: 2, 2: 3, a: 4 },
    "lone surrogates in key and value": { "\ud800": "\udfff", "a\udc00b": ["\ud800"] },
    "NUL and separators of lines": { "\0": "\0", "\u2028": "\u2029\n\r", "a\nb": 'x,\n"y"' },
    "quotes and backslashes": { '"': '\\"', "\\": "\\\\", "}": "{", "],": "[" },
    "an empty key, an empty object and an empty list": { "": {}, a: [] },
    "64 levels": { deep: JSON.parse(`${"[".repeat(63)}${"]".repeat(63)}`) },
    "8 KB of nesting": {
      deep: JSON.parse(`${'{"a":['.repeat(31)}1${"]}".repeat(31)}`),
      t: "x".repeat(8_000),
    },
    "numbers of every size": { a: 0, b: -0.1, c: 1e308, d: 5e-324, e: 2 ** 53, f: 1e21, g: -1e-7 },
    "values of one text but different types": {
      a: 1,
      b: "1",
      c: true,
      d: "true",
      e: null,
      f: "null",
      g: "{}",
      h: {},
    },
    "a text that looks like our own marks": { overflow: "\0{}", "property.x": "\0[1]", "*": 1 },
    "keys too long for a column": { ["k".repeat(300)]: 1, a: 2, ["l".repeat(300)]: 3, b: 4 },
    "an empty object": {},
    nothing: null,
  };
  for (const [what, properties] of Object.entries(hostile)) {
    test(`with ${what}`, () => {
      const sent = [1, 2].map(() => event({ properties: properties as ObjectEvent["properties"] }));
      segments.store(...sent);
      expect(segments.eventsIn()).toEqual(sent.map(expected));
      segments.tune({ columnEventsMin: 1, waitingRowsMax: 1 });
      segments.compact();
      expect(segments.open()[0].info.encoding).toBe("columns");
      expect(segments.eventsIn()).toEqual(sent.map(expected));
    });
  }

  test("with NUL, quotes and every alphabet in name, user and session", () => {
    const texts = ["a\0b", "a\0c", "\0", '"', "\\", "ü😀～\u{10000}", "\n", " ", "null", "1"];
    const sent = texts.map((text) => event({ name: text, userId: text, sessionId: text }));
    segments.store(...sent);
    expect(segments.eventsIn()).toEqual(sent.map(expected));
  });
});

describe("tickets", () => {
  const tickets = (): number[] =>
    segments
      .open()
      .flatMap((segment) =>
        Array.from({ length: segment.eventCount }, (_, row) => segment.ticketAt(row)),
      );

  test("ascend when the clock steps back, through a restart, and when all is pruned", () => {
    segments.store(event(), event());
    const [, last] = tickets();
    segments.writer.forget(project, startMs + dayMs);
    segments.nowMs = startMs + 2 * minuteMs;
    while (segments.writer.sweep());
    expect(segments.db.query("select count(*) as n from segment").get()).toEqual({ n: 0 });
    segments.nowMs = startMs - 300 * dayMs;
    segments.restart();
    segments.store(event());
    expect(tickets()[0]).toBe(last + 1);
  });

  test("come back whatever the clock did between the event and its receipt", () => {
    segments.tune({ columnEventsMin: 1, waitingRowsMax: 1 });
    const sent: ObjectEvent[] = [];
    for (const jumpMs of [0, 60 * 365 * dayMs, -5 * 365 * dayMs, hourMs, -1]) {
      segments.nowMs = startMs + jumpMs;
      sent.push(event({ timeMs: startMs - 29 * dayMs }), event({ timeMs: startMs }));
      segments.store(...sent.slice(-2));
    }
    const before = tickets().sort();
    expect(segments.eventsIn()).toEqual(sent.map(expected));
    segments.compact();
    expect(tickets().sort()).toEqual(before);
    expect(segments.eventsIn()).toEqual(sent.map(expected));
  });

  test("of events years apart are kept in one commit", () => {
    const sent = [0, 400 * dayMs, -400 * dayMs, 1].map((ms) => event({ timeMs: startMs + ms }));
    segments.store(...sent);
    expect(segments.eventsIn()).toEqual(sent.map(expected));
  });
});

describe("more keys than columns", () => {
  const keys = Array.from({ length: 700 }, (_, i) => `key ${i}`);
  const rare = (i: number): ObjectEvent =>
    event({ properties: { often: i % 7, ...Object.fromEntries(pairs(i)), last: i } });
  /** Each event has 10 of 700 keys, in an order of its own. */
  const pairs = (i: number): [string, unknown][] =>
    Array.from({ length: 10 }, (_, k) => [keys[(i * 37 + k * 101) % 700], `${i} "${k}"`]);

  test("go into one overflow column, which no read notices", () => {
    segments.tune({ columnEventsMin: 1 });
    const sent = Array.from({ length: 3_000 }, (_, i) => rare(i));
    for (let i = 0; i < 3_000; i += 500) segments.store(...sent.slice(i, i + 500));
    segments.compact();
    const [segment] = segments.open();
    const properties = segment.storedNames().filter((name) => name.startsWith("property."));
    expect(properties.length).toBeLessThanOrEqual(usualTuning.propertyColumnsMax);
    expect(properties).toContain("property.often");
    expect(segment.overflow).not.toBeNull();
    expect(segments.eventsIn([segment])).toEqual(sent.map(expected));
    expect(new Set(segment.columnNames())).toContain("property.key 699");
    expectColumns([segment], sent, ["often", "last", ...keys.slice(0, 40), "never", "__proto__"]);
  });

  test("of which no two events share any leave columns to those that repeat", () => {
    segments.tune({ columnEventsMin: 1 });
    const unseen = (i: number): [string, unknown][] =>
      Array.from({ length: 50 }, (_, k) => [`${(i * 50 + k) * 7_919}`.padStart(9, "x"), k]);
    const sent = Array.from({ length: 2_500 }, (_, i) =>
      event({ properties: { path: `/${i % 9}`, ...Object.fromEntries(unseen(i)) } }),
    );
    for (let i = 0; i < sent.length; i += 500) segments.store(...sent.slice(i, i + 500));
    segments.compact();
    const [segment] = segments.open();
    expect(segment.storedNames().filter((name) => name.startsWith("property."))).toEqual([
      "property.path",
    ]);
    expect(segments.eventsIn()).toEqual(sent.map(expected));
    const some = [0, 77, 1_200, 2_499].flatMap((i) => unseen(i).map(([key]) => key));
    expectColumns([segment], sent, ["path", ...some, "never"]);
  });

  test("are still exact after another merge, with other segments", () => {
    segments.tune({ columnEventsMin: 1, waitingRowsMax: 400, mergeFanIn: 2 });
    const sent = Array.from({ length: 1_600 }, (_, i) =>
      i % 800 < 400 ? rare(i) : event({ properties: { often: i, plain: true } }),
    );
    for (let i = 0; i < 1_600; i += 200) {
      segments.store(...sent.slice(i, i + 200));
      segments.compact();
    }
    expect(segments.open().length).toBeLessThan(4);
    expect(segments.eventsIn()).toEqual(sent.map(expected));
  });

  test("are still exact when what was rare in one segment has a column in the next", () => {
    segments.tune({
      columnEventsMin: 1,
      propertyColumnsMax: 2,
      waitingRowsMax: 100,
      mergeFanIn: 2,
    });
    const of = (i: number, ...names: string[]): ObjectEvent =>
      event({ properties: Object.fromEntries(names.map((name) => [name, `${name}${i}`])) });
    const part = (i: number): ObjectEvent =>
      i < 100 ? of(i, "a", "b", i % 9 === 0 ? "c" : "a") : of(i, "c", i % 5 === 0 ? "a" : "c", "d");
    const sent = Array.from({ length: 300 }, (_, i) => part(i));
    for (let i = 0; i < 300; i += 100) {
      segments.store(...sent.slice(i, i + 100));
      segments.compact();
    }
    expect(segments.open()).toHaveLength(1);
    expect(segments.eventsIn()).toEqual(sent.map(expected));
    expectColumns(segments.open(), sent, ["a", "b", "c", "d"]);
  });
});

test("expired events are as if they had never been stored", () => {
  segments.tune({ columnEventsMin: 4, waitingRowsMax: 20 });
  const sent = Array.from({ length: 60 }, (_, i) =>
    event({ timeMs: startMs - i * hourMs, sessionId: `s${i % 5}`, properties: { n: i } }),
  );
  segments.store(...sent);
  const retainedFromMs = startMs - 30 * hourMs;
  const kept = sent.slice(0, 31).map(expected);
  expect(segments.eventsIn(segments.open(retainedFromMs))).toEqual(kept);
  expect(segments.open(retainedFromMs).map(({ firstTime }) => firstTime)).toEqual([retainedFromMs]);

  segments.writer.forget(project, retainedFromMs);
  segments.compact();
  expect(segments.eventsIn()).toEqual(kept);
  segments.writer.forget(project, retainedFromMs - dayMs);
  expect(segments.readDb.query("select retained_from_ms as ms from project").get()).toEqual({
    ms: retainedFromMs,
  });
});

test("late events of a project without others expire as well", () => {
  segments.writer.forget(project, startMs - dayMs);
  segments.store(event({ timeMs: startMs - 2 * dayMs }), event({ name: "kept" }));
  expect(segments.eventsIn(segments.open(startMs - dayMs)).map(({ name }) => name)).toEqual([
    "kept",
  ]);
  segments.writer.forget(project, startMs - 3 * dayMs);
  const [{ ms }] = segments.db.query("select retained_from_ms as ms from project").all() as {
    ms: number;
  }[];
  expect(ms).toBe(startMs - dayMs);
});
