import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testApp } from "../../test/support/app/app";
import {
  opening,
  recorded,
  recordedProject,
  startRecording,
} from "../../test/support/app/recording";
import { randomFrom, randomSeed } from "../../test/support/random/random";
import { DamagedBlob } from "../store/damage";
import { refuseIfDamaged } from "../store/migrate";
import { StorageRefused } from "../store/refused";
import { checkRecordings } from "../store/replays/copies";
import { unpacked } from "../store/replays/frame";
import { backup } from "./backup";
import { databaseFiles } from "./databases";
import { notLookedAt } from "./not-looked-at";

const root = mkdtempSync(join(tmpdir(), "sightline-not-looked-at-"));
/** A copy has no log, so that all of its bytes are in the files. */
const whole = join(root, "whole");
const main = join(import.meta.dir, "..", "main.ts");

beforeAll(async () => {
  const app = await testApp();
  const shop = await recordedProject(app);
  await app.track(shop, { event: "visit", event_id: "order-1" });
  await recorded(app, shop, "closed");
  const open = await startRecording(app, shop, "open");
  await open.segment(0, opening());
  backup(app.dataDir, whole);
  await app.close();
  const events = new Database(join(whole, "events.db"));
  // As after 2^18 keys.
  events.run(
    `insert into key_run (first_at, last_at, key_count, block_bits, filter_bytes, state)
     values (${runFirstAtMs}, ${runFirstAtMs}, 0, 0, 0, 'live')`,
  );
  events.close();
  // The clock of the app stood still in January.
  run(whole, "clock", "--accept");
  for (const { name } of databaseFiles) {
    const db = new Database(join(whole, name));
    db.run("pragma wal_checkpoint(truncate)");
    db.close();
  }
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const runFirstAtMs = 1_768_391_234_567;

/** A copy of the folder in which one byte of a file, within what `find` returns, is another. */
/** Changes a byte of the first place with these bytes, or of all: pages that were freed may have an older copy. */
function damaged(
  name: string,
  file: string,
  find: Uint8Array,
  offset: number,
  places: "first" | "all" = "first",
): string {
  const dataDir = join(root, name);
  rmSync(dataDir, { recursive: true, force: true });
  cpSync(whole, dataDir, { recursive: true });
  const path = join(dataDir, file);
  const bytes = readFileSync(path);
  const first = bytes.indexOf(find);
  expect(first).toBeGreaterThanOrEqual(0);
  for (let at = first; at >= 0; at = bytes.indexOf(find, at + find.length)) {
    bytes[at + offset] ^= 1;
    if (places === "first") break;
  }
  writeFileSync(path, bytes);
  return dataDir;
}
function blobs(file: string, sql: string): Uint8Array[] {
  const db = new Database(join(whole, file), { readonly: true });
  try {
    return db.query(sql).values().flat() as Uint8Array[];
  } finally {
    db.close();
  }
}
function refusal(work: () => unknown): string {
  try {
    work();
    return "";
  } catch (error) {
    if (error instanceof StorageRefused) return error.message;
    throw error;
  }
}
/** Null for a frame that does not decode. */
function textOf(frame: Uint8Array): string | null {
  try {
    return unpacked(frame, 1).toString();
  } catch (error) {
    if (error instanceof DamagedBlob) return null;
    throw error;
  }
}
const run = (dataDir: string, ...parameters: readonly string[]) => {
  const { exitCode, stdout } = Bun.spawnSync([process.execPath, main, ...parameters], {
    env: { PATH: process.env.PATH ?? "", DATA_DIR: dataDir },
    stdin: "ignore",
  });
  return { exitCode, lastLine: stdout.toString().trimEnd().split("\n").at(-1) ?? "" };
};

describe("a byte that was overwritten in a recording", () => {
  const seed = randomSeed();
  const random = randomFrom(seed);
  /** Some bits of a frame's head mean nothing for its text. */
  const changing = (frame: Uint8Array): number => {
    for (;;) {
      const offset = random.below(frame.length);
      const other = Uint8Array.from(frame);
      other[offset] ^= 1;
      if (textOf(other) !== textOf(frame)) return offset;
    }
  };
  const parts = {
    "open recording": ["replays.db", "select frame from segment where frame is not null"],
    "timeline of a closed one": ["replays.db", "select frame from timeline"],
  } as const;
  for (const [what, [file, sql]] of Object.entries(parts)) {
    test(`is noticed by doctor and backup: ${what}`, () => {
      const frames = blobs(file, sql);
      expect(frames.length).toBeGreaterThan(0);
      for (let round = 0; round < 8; round++) {
        const frame = frames[round % frames.length] ?? new Uint8Array();
        const offset = changing(frame);
        const dataDir = damaged("recording", file, frame, offset, "all");
        const place = `seed ${seed}, byte ${offset}`;
        expect([place, refusal(() => checkRecordings(dataDir))]).toEqual([
          place,
          expect.stringContaining("damaged"),
        ]);
        const target = join(root, "copy");
        expect([place, refusal(() => backup(dataDir, target))]).toEqual([
          place,
          expect.stringContaining("damaged"),
        ]);
        expect(existsSync(target)).toBe(false);
      }
    });
  }

  test("is noticed by doctor and backup: file of a closed one", () => {
    const [name = ""] = readdirSync(join(whole, "replays"));
    const file = join("replays", name);
    const bytes = readFileSync(join(whole, file));
    for (let round = 0; round < 8; round++) {
      const dataDir = damaged("file", file, bytes, changing(bytes));
      expect(refusal(() => checkRecordings(dataDir))).toContain("damaged");
      const target = join(root, "copy");
      expect(refusal(() => backup(dataDir, target))).toContain(`are damaged: ${name}.`);
      expect(existsSync(target)).toBe(false);
    }
    // A recording whose file is gone counts as deleted: it does not stand in the way of a backup.
    const without = damaged("gone", file, bytes, 0);
    rmSync(join(without, file));
    backup(without, join(root, "without"));
  });
});

test("a run of keys stands twice, so that its bounds cannot be changed unnoticed", () => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(runFirstAtMs));
  // SQLite stores it in six bytes.
  const dataDir = damaged("run", "events.db", bytes.subarray(2), 5);
  const [{ name, schema }] = databaseFiles;
  expect(refusal(() => refuseIfDamaged(join(dataDir, name), schema))).toContain("is damaged");
});

describe("bytes that nothing covers", () => {
  const named = (dataDir: string): void => {
    Bun.spawnSync(["chmod", "-R", "go=", dataDir]);
    const doctor = run(dataDir, "doctor");
    const copied = run(dataDir, "backup", join(root, "of-uncovered"));
    rmSync(join(root, "of-uncovered"), { recursive: true });
    expect([doctor.exitCode, copied.exitCode, doctor.lastLine]).toEqual([
      ...[0, 0],
      expect.stringMatching(/^No problems found. Not checked: /),
    ]);
    for (const part of notLookedAt(false)) {
      expect(doctor.lastLine).toContain(part);
      expect(copied.lastLine).toContain(part);
    }
  };

  test("are named by the last line of doctor and backup: keys of repeats", () => {
    const [hashes = new Uint8Array()] = blobs("events.db", "select hashes from accepted_key");
    expect(hashes.length).toBe(8);
    const dataDir = damaged("keys", "events.db", hashes, 3);
    named(dataDir);
    const { stdout } = Bun.spawnSync([process.execPath, main, "doctor", "--json"], {
      env: { PATH: process.env.PATH ?? "", DATA_DIR: dataDir },
    });
    expect(JSON.parse(stdout.toString()).not_looked_at).toEqual(notLookedAt(false));
  });

  test("are named by the last line of doctor and backup: what holds nothing", () => {
    for (const { name } of databaseFiles) named(damaged("nothing", name, new Uint8Array(200), 100));
  }, 60_000);
});

test("beside ClickHouse its own data is named too", () => {
  expect(notLookedAt(true)).toHaveLength(notLookedAt(false).length + 1);
});
