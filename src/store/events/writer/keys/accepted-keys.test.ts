import type { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cases } from "../../../../../test/support/random/cases";
import { type Random, randomFrom, randomSeed } from "../../../../../test/support/random/random";
import { hourMs } from "../../../../lib/clock";
import { openForWriting } from "../../tables";
import { type Tuning, usualTuning } from "../../tuning";
import { AcceptedKeys, idempotencyMs } from "./accepted-keys";
import { KeyRun } from "./key-run";

const seed = 42n;
const startMs = Date.UTC(2026, 5, 1);
const project = 7;

let folder: string;
let file: string;
let db: Database;
let tuning: Tuning;
const tune = (some: Partial<Tuning>): void => {
  tuning = { ...tuning, ...some };
};

beforeEach(() => {
  tuning = usualTuning;
  folder = mkdtempSync(join(tmpdir(), "keys-"));
  file = join(folder, "events.db");
  db = openForWriting(file, "normal");
});
afterEach(() => {
  db.close();
  rmSync(folder, { recursive: true });
});

const open = (nowMs: number): AcceptedKeys => new AcceptedKeys(db, seed, nowMs, tuning);

/** Name, session and user. */
const others = '"visit",null,null';
/** One commit: which of the ids were new. */
function accept(keys: AcceptedKeys, ids: readonly string[], nowMs: number): boolean[] {
  return db
    .transaction(() => {
      const fresh = ids.map((id) => keys.accept(project, id, others, nowMs));
      keys.store(nowMs);
      return fresh;
    })
    .immediate();
}
const idsFrom = (first: number, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `event-${first + i}`);

describe("an event id", () => {
  test("is new once, also within one commit, and per project", () => {
    const keys = open(startMs);
    expect(accept(keys, ["a", "b", "a"], startMs)).toEqual([true, true, false]);
    expect(accept(keys, ["b", "c"], startMs + 1)).toEqual([false, true]);
    expect(keys.accept(project + 1, "a", others, startMs + 1)).toBe(true);
  });

  test("is that of another event when name, session or user are others", () => {
    const keys = open(startMs);
    const variants = [
      '"visit",null,null',
      '"visit",null,"null"',
      '"visit","null",null',
      '"v",null,null',
    ];
    for (const isNew of [true, false]) {
      for (const variant of variants)
        expect(keys.accept(project, "a", variant, startMs)).toBe(isNew);
    }
  });

  test("is known for 48 hours to the millisecond, then new again, wherever it is kept", () => {
    for (const tableKeysMax of [1, 1_000]) {
      tune({ keyTableKeysMax: tableKeysMax });
      const id = `edge-${tableKeysMax}`;
      expect(accept(open(startMs), [id], startMs)).toEqual([true]);
      accept(open(startMs), idsFrom(0, 3), startMs);
      const last = startMs + idempotencyMs - 1;
      expect(accept(open(last), [id], last)).toEqual([false]);
      expect(accept(open(last + 1), [id], last + 1)).toEqual([true]);
      expect(accept(open(last + 2), [id], last + 2)).toEqual([false]);
    }
  });

  test("stays known when the clock steps back", () => {
    const keys = open(startMs);
    accept(keys, ["a"], startMs);
    expect(accept(keys, ["a"], startMs - 400 * hourMs)).toEqual([false]);
  });

  test("of a commit that failed is new again", () => {
    const keys = open(startMs);
    expect(() =>
      db.transaction(() => {
        keys.accept(project, "a", others, startMs);
        keys.store(startMs);
        throw new Error("The disk is full.");
      })(),
    ).toThrow();
    expect(accept(open(startMs), ["a"], startMs)).toEqual([true]);
  });
});

describe("runs", () => {
  test("take over from the log, and merging keeps them few", () => {
    tune({ keyTableKeysMax: 500 });
    let keys = open(startMs);
    for (let i = 0; i < 400; i++) accept(keys, idsFrom(i * 100, 100), startMs + i * 1_000);
    for (let i = 0; keys.sweep(startMs + 400_000) && i < 1_000; ) i++;

    const [{ rows }] = db.query("select count(*) as rows from accepted_key").all() as Rows[];
    expect(rows).toBeLessThan(10);
    expect(keys.runCount).toBeLessThan(24);
    keys = open(startMs + 400_000);
    expect(accept(keys, idsFrom(0, 40_000), startMs + 400_000)).not.toContain(true);
    expect(accept(keys, idsFrom(40_000, 1_000), startMs + 400_000)).not.toContain(false);
  });

  for (const [when, reopens] of [
    ["while the process runs", false],
    ["while no process runs", true],
  ] as const) {
    test(`go when all their keys have expired ${when}`, () => {
      tune({ keyTableKeysMax: 500 });
      const keys = open(startMs);
      for (let i = 0; i < 50; i++) accept(keys, idsFrom(i * 100, 100), startMs + i);
      const later = startMs + idempotencyMs + hourMs;
      const sweeping = reopens ? open(later) : keys;
      for (let i = 0; sweeping.sweep(later) && i < 1_000; ) i++;
      const counts = ["key_run", "key_block", "key_filter", "accepted_key"].map(
        (table) => (db.query(`select count(*) as rows from ${table}`).get() as Rows).rows,
      );
      expect(counts).toEqual([0, 0, 0, 0]);
    });
  }

  test("are exact without memory for filters", () => {
    tune({ keyTableKeysMax: 500, keyMemoryBytesMax: 0 });
    const keys = open(startMs);
    for (let i = 0; i < 50; i++) accept(keys, idsFrom(i * 100, 100), startMs);
    expect(accept(keys, idsFrom(0, 5_000), startMs)).not.toContain(true);
    expect(accept(keys, idsFrom(5_000, 500), startMs)).not.toContain(false);
  });

  test("are not asked for new keys once there is a summary of them, and for known ones they are", () => {
    tune({ keyTableKeysMax: 500 });
    const asked = spyOn(KeyRun.prototype, "find");
    try {
      let keys = open(startMs);
      for (let i = 0; i < 30; i++) accept(keys, idsFrom(i * 100, 100), startMs);
      for (const reopens of [false, true]) {
        if (reopens) keys = open(startMs);
        // It is made when keys come in, and then bit by bit, after what is to be sealed and merged.
        accept(keys, [`first-${reopens}`], startMs);
        for (let i = 0; i < 5_000 && db.transaction(() => keys.sweep(startMs))(); ) i++;
        asked.mockClear();
        expect(accept(keys, idsFrom(reopens ? 20_000 : 10_000, 400), startMs)).not.toContain(false);
        expect(keys.runCount).toBeGreaterThan(1);
        expect(asked.mock.calls.length).toBeLessThan(40);
        expect(accept(keys, idsFrom(0, 2_000), startMs)).not.toContain(true);
        expect(asked.mock.calls.length).toBeGreaterThan(1_000);
      }
    } finally {
      asked.mockRestore();
    }
  });

  test("keep within the memory they are given", () => {
    const keyMemoryBytesMax = 12 * 1024 * 1024 + 20_000;
    tune({ keyTableKeysMax: 500, keyMemoryBytesMax });
    const keys = open(startMs);
    for (let i = 0; i < 400; i++) {
      accept(keys, idsFrom(i * 100, 100), startMs);
      expect(keys.memoryBytes).toBeLessThanOrEqual(keyMemoryBytesMax);
    }
  });
});

interface Rows {
  readonly rows: number;
}

test("agrees with a map through restarts, failures, sweeps and jumps of the clock", () => {
  for (let round = 0; round < cases(1, 3); round++)
    compareWithMap(randomFrom(randomSeed() + round));
}, 180_000);

function compareWithMap(random: Random): void {
  tune({
    keyTableKeysMax: random.pick([8, 50, 300, 2_000]),
    keyTableRowsMax: random.pick([3, 40, 8_192]),
    keyFanIn: random.pick([2, 3, 8]),
    keyMemoryBytesMax: random.pick([0, 12_600_000, usualTuning.keyMemoryBytesMax]),
  });
  const prefix = `${random.seed}-`;
  const acceptedAtMs = new Map<string, number>();
  let nowMs = startMs;
  let keys = open(nowMs);
  for (let commit = 0; commit < 120; commit++) {
    nowMs += random.pick([0, 1, 1_000, hourMs, 5 * hourMs, random.chance(0.1) ? 50 * hourMs : 7]);
    const ids = Array.from(
      { length: random.below(random.pick([2, 60, 400])) },
      () => prefix + random.below(6_000),
    );
    if (random.chance(0.1)) {
      expect(() =>
        db.transaction(() => {
          for (const id of ids) keys.accept(project, id, others, nowMs);
          keys.store(nowMs);
          throw new Error("failed");
        })(),
      ).toThrow();
      keys = open(nowMs);
    }
    const expected = ids.map((id) => {
      const isNew = nowMs - (acceptedAtMs.get(id) ?? Number.NEGATIVE_INFINITY) >= idempotencyMs;
      if (isNew) acceptedAtMs.set(id, nowMs);
      return isNew;
    });
    expect({ seed: random.seed, commit, fresh: accept(keys, ids, nowMs) }).toEqual({
      seed: random.seed,
      commit,
      fresh: expected,
    });
    if (random.chance(0.2)) db.transaction(() => keys.sweep(nowMs))();
    if (random.chance(0.1)) keys = open(nowMs);
  }
}
