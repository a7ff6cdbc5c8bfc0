import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { at, Engine, usualSizes } from "../../../../test/support/engine/engine";
import { clock, dayMs, minuteMs, secondMs } from "../../../lib/clock";
import { usageRead } from "../../../reads/usage";
import { FileSource } from "../move/source";
import { storedTime } from "./stored-time";

const nowMs = Date.UTC(2026, 0, 14, 12);
const wrongMs = nowMs + 400 * dayMs;
const keptMs = 365 * dayMs;
const project = "proj_shop";

let engine: Engine;
let restoreClock: () => void;
beforeEach(() => {
  restoreClock = clock.replace(() => nowMs);
  engine = new Engine({ ...usualSizes, columnEventsMin: 1, waitingRowsMax: 2, mergeFanIn: 2 });
});
afterEach(() => {
  engine.close();
  restoreClock();
});

/** One event of a session that goes on through all commits, each of which is a segment. */
const store = (timeMs: number, eventId: string | null = null): number =>
  engine.append([
    {
      ...{ kind: "events", projectId: project, receivedAtMs: timeMs },
      events: [
        {
          name: "visit",
          timeMs,
          userId: "u",
          sessionId: "s",
          eventId,
          country: null,
          properties: null,
        },
      ],
    },
  ]);

async function seen(): Promise<unknown> {
  const input = { projectIds: [project], fromDate: "2020-01-01", toDate: "2030-12-31" };
  const usage = (await engine.read(usageRead, input)) as Record<string, { total_events: number }>;
  return usage[project]?.total_events;
}
const rows = (sql: string): unknown[] => {
  const db = new Database(engine.file, { readonly: true });
  try {
    return db.query(sql).values().flat();
  } finally {
    db.close();
  }
};
const forget = (clockMs: number): void =>
  at(clockMs, () => engine.forget(project, clockMs - keptMs));

test("a file knows its newest commit and its latest retained_from", () => {
  const known = () => {
    const db = new Database(engine.file, { readonly: true });
    try {
      return storedTime(db);
    } finally {
      db.close();
    }
  };
  expect(known()).toEqual({ newestCommitMs: null, retainedFromMs: 0 });
  store(nowMs - dayMs);
  forget(nowMs);
  expect(known()).toEqual({ newestCommitMs: nowMs, retainedFromMs: nowMs - keptMs });
});

describe("what a clock that was ahead has hidden", () => {
  test("is seen again, each event once, also beside merges of before and after", async () => {
    for (let i = 0; i < 7; i++) store(nowMs - i * dayMs);
    engine.compact(2);
    store(nowMs);
    expect(await seen()).toBe(8);
    forget(wrongMs);
    expect(await seen()).toBe(0);
    at(wrongMs + secondMs, () => engine.compact());
    // The right clock is back; these are acknowledged, and hidden too.
    store(nowMs);
    store(nowMs);
    engine.compact();
    engine.sweep();
    expect(await seen()).toBe(0);
    engine.showAgain(nowMs, nowMs - keptMs);
    expect(await seen()).toBe(10);
    expect(rows("select retained_from_ms from project")).toEqual([nowMs - keptMs]);
    engine.compact();
    engine.noteOverlaps();
    expect(await seen()).toBe(10);
    engine.restart();
    expect(await seen()).toBe(10);
  });

  test("is not lost by compaction, which leaves out what retention hides", async () => {
    forget(wrongMs);
    for (let i = 0; i < 4; i++) store(nowMs);
    engine.compact();
    expect(rows("select count(*) from current_segment")).toEqual([1]);
    engine.showAgain(nowMs, nowMs - keptMs);
    expect(await seen()).toBe(4);
  });

  test("stays hidden where the bound does not lie ahead", async () => {
    store(nowMs - 400 * dayMs);
    store(nowMs);
    forget(nowMs);
    engine.showAgain(nowMs, nowMs - 500 * dayMs);
    expect(await seen()).toBe(1);
    expect(rows("select retained_from_ms from project")).toEqual([nowMs - keptMs]);
  });
});

test("a clock that is ahead lets no key of a repeat go: running, at a start, or in a move", async () => {
  expect(store(nowMs, "order-1")).toBe(1);
  at(wrongMs, () => engine.sweep());
  expect(at(nowMs + minuteMs, () => store(nowMs, "order-1"))).toBe(0);
  at(wrongMs, () => {
    engine.restart();
    engine.sweep();
  });
  expect(at(nowMs + minuteMs, () => store(nowMs, "order-1"))).toBe(0);
  const source = new FileSource(engine.file);
  expect(await at(wrongMs, () => source.keys())).toHaveLength(1);
  source.close();
});
