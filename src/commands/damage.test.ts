import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask, numbers, openTestStore, projectId } from "../../test/support/engine/event-store";
import { cases } from "../../test/support/random/cases";
import { randomFrom, randomSeed } from "../../test/support/random/random";
import { readConfig } from "../config";
import { dayOf } from "../domain/event";
import { statsRead } from "../features/stats/stats";
import { clock } from "../lib/clock";
import { replaceLogWriter } from "../lib/log";
import { BackgroundCheck } from "../store/background-check";
import { damageIn, StorageDamaged } from "../store/damage";
import { openInstallation } from "../store/installation";
import { checkInPieces, refuseIfDamaged, refuseIfUnusable, type Schema } from "../store/migrate";
import { StorageRefused } from "../store/refused";
import { openReplayStore } from "../store/replays/store";
import { backup } from "./backup";
import { databaseFiles } from "./databases";
import { setup } from "./setup";

const root = mkdtempSync(join(tmpdir(), "sightline-damage-"));
const whole = join(root, "whole");
const dataDir = join(root, "damaged");
const offsets = cases(30, 60);

beforeAll(async () => {
  openInstallation(whole, databaseFiles);
  async function* noInput() {
    yield "";
  }
  const config = readConfig({ DATA_DIR: whole });
  await setup(config, ["--email", "me@example.com"], noInput(), { write: () => true });
  const { store } = await openTestStore({ dataDir: whole, workers: [] });
  await store.append([numbers(0, 300), numbers(0, 20, "proj_other")]);
  await store.append([
    {
      ...{ kind: "identity", projectId, receivedAtMs: clock.nowMs(), traits: { plan: "pro" } },
      ...{ previousId: "user 1", userId: "user 2" },
    },
  ]);
  await store.close();
  // A connection that was closed goes on until its statements are collected, and leaves its log beside the file.
  for (const { name } of databaseFiles) {
    const db = new Database(join(whole, name));
    db.run("pragma wal_checkpoint(truncate)");
    db.close();
  }
  cpSync(whole, dataDir, { recursive: true });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** All that reads can be answered from; idempotency keys, which decide what is stored, are not among it. */
function contentOf(file: string): string {
  const db = new Database(file, { readonly: true });
  try {
    const tables = db.query("select name from sqlite_schema where type = 'table' order by name");
    return JSON.stringify(
      tables
        .values()
        .map(([name]) => String(name))
        .filter((name) => !/^(key_|accepted_key|sqlite_)/.test(name))
        .map((name) => [name, db.query(`select * from "${name}"`).values()]),
      (_, value: unknown) =>
        value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value,
    );
  } finally {
    db.close();
  }
}

const isRefused = (work: () => unknown): boolean => {
  try {
    work();
    return false;
  } catch (error) {
    if (error instanceof StorageRefused) return true;
    throw error;
  }
};

function isFoundInPieces(file: string, schema: Schema): boolean {
  const db = new Database(file, { readonly: true });
  try {
    for (const _ of checkInPieces(db, schema));
    return false;
  } catch (error) {
    if (damageIn(error) === null) throw error;
    return true;
  } finally {
    db.close();
  }
}

describe("a random byte of a database", () => {
  for (const { name, schema } of databaseFiles) {
    test(`${name}: start, doctor and backup refuse it, or nothing that is read has changed`, () => {
      const seed = randomSeed();
      const random = randomFrom(seed);
      const file = join(dataDir, name);
      const bytes = readFileSync(join(whole, name));
      const content = contentOf(join(whole, name));
      let refused = 0;
      for (let index = 0; index < offsets; index++) {
        let at = random.below(bytes.length);
        // Small files are mostly empty: half of the bytes are of those that hold something.
        while (index % 2 === 0 && bytes[at] === 0) at = random.below(bytes.length);
        const damaged = Buffer.from(bytes);
        damaged[at] ^= random.between(1, 255);
        for (const sidecar of ["-wal", "-shm"]) rmSync(file + sidecar, { force: true });
        writeFileSync(file, damaged);
        const place = `seed ${seed}, byte ${at}`;
        const isSeen = isRefused(() => refuseIfDamaged(file, schema));
        // Beside a server only some damage is found: it leaves out pages that hold nothing.
        if (isFoundInPieces(file, schema)) expect([place, isSeen]).toEqual([place, true]);
        else if (isSeen) expect([place, contentOf(file) === content]).toEqual([place, true]);
        expect([place, isRefused(() => refuseIfUnusable(file, schema))]).toEqual([place, isSeen]);
        if (!isSeen) expect([place, contentOf(file) === content]).toEqual([place, true]);
        else if (refused++ < 10) {
          const target = join(root, "copy");
          expect([place, isRefused(() => backup(dataDir, target))]).toEqual([place, true]);
          expect(existsSync(target)).toBe(false);
        }
      }
      expect(refused).toBeGreaterThan(0);
      writeFileSync(file, bytes);
    }, 180_000);
  }
});

/** SQLite's file format: the last of the four bytes at 44 is the number of the format of schemas, 1 to 4. */
const schemaFormatAt = 47;

for (const { name, schema } of databaseFiles) {
  test(`${name} with a format that SQLite does not know is damaged, at a start and beside a server`, () => {
    const file = join(dataDir, name);
    const bytes = readFileSync(join(whole, name));
    for (const format of [4, 5]) {
      const changed = Buffer.from(bytes);
      changed[schemaFormatAt] = format;
      for (const sidecar of ["-wal", "-shm"]) rmSync(file + sidecar, { force: true });
      writeFileSync(file, changed);
      const isSeen = [
        isRefused(() => refuseIfDamaged(file, schema)),
        isRefused(() => refuseIfUnusable(file, schema)),
        isFoundInPieces(file, schema),
      ];
      expect([format, isSeen]).toEqual([format, Array(3).fill(format > 4)]);
    }
    writeFileSync(file, bytes);
  });
}

test("a folder that never recorded anything is not opened with a damaged replays.db either", async () => {
  const folder = join(root, "unrecorded");
  cpSync(whole, folder, { recursive: true });
  const file = join(folder, "replays.db");
  const bytes = readFileSync(file);
  const options = {
    dataDir: folder,
    durability: "normal",
    clockOffsetMs: 0,
    isClockTrusted: () => true,
    secret: "s".repeat(32),
    limits: readConfig({}).replayLimits,
    onFatal: () => undefined,
  } as const;
  const none = (): never => {
    throw new Error("Nothing is recorded: no thread is started.");
  };
  const opened = async (): Promise<boolean> => {
    const threads = { writer: none, keeper: none };
    const store = await openReplayStore(options, threads).catch((error: unknown) => error);
    if (store instanceof StorageRefused) return false;
    if (store instanceof Error) throw store;
    return true;
  };
  expect(await opened()).toBe(true);
  for (const name of ["TABLE replay", "copy_of_replay", "in the sealed file"]) {
    const at = bytes.indexOf(name) + name.length - 1;
    const damaged = Buffer.from(bytes);
    damaged[at] ^= 1;
    writeFileSync(file, damaged);
    expect([name, at > name.length, await opened()]).toEqual([name, true, false]);
  }
});

describe("a database that is too large for the start to read", () => {
  const checkedBytesMax = 100_000;
  const file = join(dataDir, "events.db");
  const lines: unknown[] = [];
  let restoreLog = (): void => undefined;
  beforeAll(() => {
    restoreLog = replaceLogWriter((line) => lines.push(JSON.parse(line)));
  });
  afterAll(() => {
    restoreLog();
  });
  const checked = async (): Promise<boolean> => {
    lines.length = 0;
    const check = new BackgroundCheck(dataDir, databaseFiles, { delayMs: 0, checkedBytesMax });
    await check.ended;
    return check.foundDamage;
  };

  test("is read whole soon after it, and the log says that all is well", async () => {
    expect(await checked()).toBe(false);
    expect(lines).toContainEqual(
      expect.objectContaining({ level: "info", file: "events.db", tookMs: expect.any(Number) }),
    );
  });

  test("is let in damaged, and found out then", async () => {
    const bytes = readFileSync(file);
    const db = new Database(file);
    db.run("update segment_column set dictionary = cast(dictionary || x'00' as blob)");
    db.close();
    const { schema } = databaseFiles[0];
    expect(isRefused(() => refuseIfUnusable(file, schema, checkedBytesMax))).toBe(false);
    expect(isRefused(() => refuseIfUnusable(file, schema, bytes.length + 100_000))).toBe(true);
    expect(await checked()).toBe(true);
    expect(lines).toContainEqual(
      expect.objectContaining({ level: "error", file: "events.db", project: projectId }),
    );
    writeFileSync(file, bytes);
  });
});

test("a read over a damaged column names the place once, and health fails from then on", async () => {
  const opened = await openTestStore({ dataDir, workers: [] });
  const db = new Database(opened.file);
  db.run("update segment_column set dictionary = cast(dictionary || x'00' as blob)");
  db.close();
  expect(opened.store.health().storage).toBe("ok");
  const today = dayOf(clock.nowMs());
  const input = { projectId, days: { from: today - 1, to: today + 1 }, groupBy: "day" } as const;
  const error = await ask(opened, statsRead, input).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StorageDamaged);
  expect(error).toMatchObject({ code: "INTERNAL_ERROR", status: 500, extras: {} });
  expect(opened.store.health().storage).toBe("failed");
  const lines = opened.logged.filter(({ message }) => String(message).includes("damaged"));
  expect(lines).toMatchObject([
    {
      ...{ level: "error", file: "events.db", project: projectId, column: "rows" },
      day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    },
  ]);
  await opened.close();
});
