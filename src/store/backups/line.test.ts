import { Database } from "bun:sqlite";
import { afterEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Random, randomFrom, randomSeed } from "../../../test/support/random/random";
import { databaseFiles } from "../../commands/databases";
import { openInstallation } from "../installation";
import { Catalogue, PointDamaged, pagesOf, recordingsOf } from "./catalogue";
import { FolderTarget } from "./folder-target";
import { BackupLine } from "./line";
import { type Level, lineOf } from "./manifest";
import { ObjectCodec, WrongKey } from "./object-codec";
import { readBack, removePoints, tooOld } from "./pruning";
import { restoreInto } from "./restore";

const ending: (() => unknown)[] = [];
afterEach(() => {
  for (const end of ending.splice(0).reverse()) end();
});

describe("a line of points", () => {
  test("each point restores to the state that all databases had at its moment", async () => {
    const random = randomFrom(randomSeed());
    const world = newWorld();
    let line = world.line();
    const states = new Map<string, unknown>();
    for (let step = 0; step < 40; step++) {
      if (random.chance(0.05)) {
        line = world.line();
      }
      world.change(random);
      if (random.chance(0.4)) continue;
      const level = random.pick<Level>(["full", "day", "hour", "increment", "increment"]);
      const made = await line.makePoint(level);
      if (made !== null) states.set(made.name, world.state());
    }
    expect(states.size).toBeGreaterThan(10);
    const points = await world.catalogue.points();
    expect([random.seed, points.map(({ name }) => name).sort()]).toEqual([
      random.seed,
      [...states.keys()].sort(),
    ]);
    for (const [name, state] of states) {
      expect([random.seed, name, await world.restored(name)]).toEqual([random.seed, name, state]);
    }
  });

  test("an increment holds the pages that changed, and nothing when none did", async () => {
    const world = newWorld();
    const line = world.line();
    const random = randomFrom(1);
    for (let step = 0; step < 200; step++) world.change(random);
    const full = await line.makePoint("increment");
    expect(full?.level).toBe("full");
    expect(await line.makePoint("increment")).toBeNull();
    world.put("control.db", "name", "value");
    const increment = await line.makePoint("increment");
    expect(increment?.level).toBe("increment");
    expect(increment?.bytes).toBeLessThan((full?.bytes ?? 0) / 10);
  });

  test("a full point of the next line uses what is the same again", async () => {
    const world = newWorld();
    const random = randomFrom(2);
    for (let step = 0; step < 100; step++) world.change(random);
    world.record(1, random);
    const first = world.line();
    const full = await first.makePoint("full");
    const second = world.line();
    const chain = await world.catalogue.chain(full?.name ?? "");
    second.useAgain(pagesOf(chain), recordingsOf(chain));
    const again = await second.makePoint("full");
    expect(again?.bytes).toBeLessThan((full?.bytes ?? 0) / 3);
    expect(await world.restored(again?.name ?? "")).toEqual(world.state());
  });

  test("a point that could not be stored is missing nothing in the next one", async () => {
    const world = newWorld();
    const line = world.line();
    const random = randomFrom(3);
    await line.makePoint("full");
    for (let step = 0; step < 20; step++) world.change(random);
    world.fails = true;
    await expect(line.makePoint("hour")).rejects.toThrow("no room");
    world.fails = false;
    world.change(random);
    const made = await line.makePoint("increment");
    expect(await world.restored(made?.name ?? "")).toEqual(world.state());
    const hour = await line.makePoint("hour");
    expect(await world.restored(hour?.name ?? "")).toEqual(world.state());
  });
});

describe("an object of the target", () => {
  test("that is missing, cut or changed is named by what needs it", async () => {
    const world = newWorld();
    const line = world.line();
    world.record(1, randomFrom(4));
    const { name = "" } = (await line.makePoint("full")) ?? {};
    const objects = readdirSync(world.targetFolder, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile())
      .map((one) => join(one.parentPath, one.name));
    expect(objects.length).toBeGreaterThan(3);
    for (const path of objects) {
      const bytes = readFileSync(path);
      const changed = Buffer.from(bytes);
      changed[Math.floor(bytes.length / 2)] ^= 1;
      for (const wrong of [null, bytes.subarray(0, bytes.length - 1), changed]) {
        if (wrong === null) rmSync(path);
        else writeFileSync(path, wrong);
        const damage = world.restored(name).catch((error: unknown) => error);
        const isManifest = path.endsWith("full");
        // Nothing but the encryption vouches for the newest manifest.
        if (!isManifest || wrong === null) expect(await damage).toBeInstanceOf(PointDamaged);
        else expect(await damage).toBeInstanceOf(Error);
      }
      writeFileSync(path, bytes);
    }
    expect(await world.restored(name)).toEqual(world.state());
  });

  test("tells nothing without the key", async () => {
    const world = newWorld("k".repeat(32));
    const line = world.line();
    world.put("control.db", "remarkable", "v".repeat(5_000));
    const { name = "" } = (await line.makePoint("full")) ?? {};
    expect(await world.restored(name)).toEqual(world.state());
    for (const key of [null, "l".repeat(32)]) {
      const other = new Catalogue(new FolderTarget(world.targetFolder), new ObjectCodec(key));
      await expect(other.chain(name)).rejects.toThrow(WrongKey);
    }
  });
});

test("old points go, one a day stays, and every point that stays can still be restored", async () => {
  const world = newWorld();
  const random = randomFrom(5);
  const line = world.line();
  const hour = 3_600_000;
  const states = new Map<string, unknown>();
  for (let hours = 0; hours < 24 * 8; hours += 6) {
    world.change(random);
    if (random.chance(0.1)) world.record(hours + 1, random);
    const level = hours % (24 * 4) === 0 ? "full" : hours % 24 === 0 ? "day" : "increment";
    const made = await line.makePoint(hours % 24 === 6 ? "hour" : level);
    if (made !== null) states.set(made.name, world.state());
    world.nowMs += 6 * hour;
  }
  const points = await world.catalogue.points();
  const keeping = { pointsMs: 2 * 24 * hour, keepMs: 3 * 24 * hour };
  const { copies, points: fine } = tooOld(points, keeping, world.nowMs);
  expect(copies.length).toBe(1);
  expect(fine.length).toBeGreaterThan(2);
  await removePoints(world.target, world.catalogue, [...copies.flat(), ...fine]);
  const left = await world.catalogue.points();
  expect(left.length).toBe(points.length - copies.flat().length - fine.length);
  const days = new Set(left.map(({ atMs }) => new Date(atMs).toISOString().slice(0, 10)));
  expect(days.size).toBe(4);
  for (const { name } of left) {
    await readBack(world.catalogue, name);
    expect([name, await world.restored(name)]).toEqual([name, states.get(name)]);
  }
  const again = tooOld(left, keeping, world.nowMs);
  expect([again.copies, again.points]).toEqual([[], []]);
});

/** A data folder with writers of its own, and a target. */
function newWorld(key: string | null = null) {
  const root = mkdtempSync(join(tmpdir(), "backup-line-"));
  ending.push(() => rmSync(root, { recursive: true, force: true }));
  const [dataDir, targetFolder] = [join(root, "data"), join(root, "target")];
  openInstallation(dataDir, databaseFiles);
  mkdirSync(join(dataDir, "replays"), { recursive: true });
  const writers = new Map(
    databaseFiles.map(({ name, open }) => [name, open(join(dataDir, name))] as const),
  );
  ending.push(() => {
    for (const writer of writers.values()) writer.close();
  });
  const folder = new FolderTarget(targetFolder);
  const codec = new ObjectCodec(key);
  const world = {
    ...{ dataDir, targetFolder, fails: false, nowMs: Date.UTC(2026, 0, 1), lines: 0 },
    current: null as BackupLine | null,
    target: {
      put: (name: string, bytes: Uint8Array) =>
        world.fails ? Promise.reject(new Error("no room")) : folder.put(name, bytes),
      get: (name: string) => folder.get(name),
      list: (prefix: string) => folder.list(prefix),
      remove: (name: string) => folder.remove(name),
    },
    catalogue: new Catalogue(folder, codec),
    /** Begins a line in place of the one before. */
    line(): BackupLine {
      world.current?.close();
      world.lines += 1;
      const line = BackupLine.open({
        ...{ dataDir, databases: databaseFiles, target: world.target, codec, version: "1.0.0" },
        line: lineOf(world.nowMs, String(world.lines).padStart(8, "0")),
        nowMs: () => world.nowMs++,
        rest: () => Promise.resolve(),
        isWholeRecording: () => true,
      });
      world.current = line;
      return line;
    },
    put(file: string, name: string, value: string): void {
      writers
        .get(file)
        ?.run("insert or replace into setting (name, value) values (?, ?)", [name, value]);
    },
    /** Something happens to one of the databases, or its log is copied by somebody else. */
    change(random: Random): void {
      const file = random.pick([...writers.keys()]);
      const name = `name-${random.below(40)}`;
      if (random.chance(0.8)) world.put(file, name, "v".repeat(random.below(20_000)));
      else if (random.chance(0.7))
        writers.get(file)?.run("delete from setting where name = ?", [name]);
      else writers.get(file)?.query("pragma wal_checkpoint(passive)").get();
      if (random.chance(0.1)) world.record(random.below(5) + 1, random);
    },
    /** A recording is closed, or deleted; its number is never used again. */
    record(number: number, random: Random): void {
      const replays = writers.get("replays.db");
      const known = replays?.query("select 1 from replay where number = ?").get(number);
      if (known !== null) {
        replays?.run("delete from replay where number = ?", [number]);
        rmSync(join(dataDir, "replays", String(number)), { force: true });
        return;
      }
      const id = `rpl_${world.nowMs++}`;
      const bytes = Buffer.alloc(100 + random.below(3_000), random.below(256));
      writeFileSync(join(dataDir, "replays", String(number)), bytes);
      replays?.run(
        `insert into replay (number, id, account_id, project_id, session_id, status, started_at, last_at,
           stored_bytes, is_sealed) values (?, ?, 'a', 'p', ?, 'complete', 1, 1, ?, 1)`,
        [number, id, id, bytes.length],
      );
    },
    state: () => stateOf(dataDir),
    async restored(name: string): Promise<unknown> {
      const target = mkdtempSync(join(root, "restored-"));
      await restoreInto(target, await world.catalogue.chain(name), world.catalogue);
      for (const { name: file } of databaseFiles) {
        const db = new Database(join(target, file), { readwrite: true });
        expect(db.query("pragma integrity_check").get()).toEqual({ integrity_check: "ok" });
        db.close();
      }
      const state = stateOf(target);
      rmSync(target, { recursive: true });
      return state;
    },
  };
  ending.push(() => world.current?.close());
  return world;
}

/** The content of a folder's tables, and of the files of its recordings. */
function stateOf(folder: string): unknown {
  const state: Record<string, unknown> = {};
  for (const { name } of databaseFiles) {
    const db = new Database(join(folder, name), { readonly: true });
    const tables = db.query("select name from sqlite_schema where type = 'table'").values();
    for (const [table] of tables) {
      const rows = db.query(`select * from "${table}"`).values();
      if (rows.length > 0) state[`${name} ${table}`] = Bun.hash(JSON.stringify(rows));
    }
    db.close();
  }
  for (const file of readdirSync(join(folder, "replays"))) {
    state[`recording ${file}`] = Bun.hash(readFileSync(join(folder, "replays", file)));
  }
  return state;
}
