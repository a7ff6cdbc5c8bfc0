import { Database } from "bun:sqlite";
import { afterEach, expect, test } from "bun:test";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DatabaseMoment, LogFollower } from "./log-follower";

const folders: string[] = [];
const made: { close(): void }[] = [];
afterEach(() => {
  for (const one of made.splice(0).reverse()) one.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

test("what changed between two moments is all that a copy lacks, however the log starts over", () => {
  for (let seed = 1; seed <= 12; seed++) play(seed, 120);
});

/** Writes, checkpoints and reads of other connections in any order; a copy is brought up to date now and then. */
function play(seed: number, steps: number): void {
  const next = randomOf(seed);
  const { path, writer, other } = open();
  const follower = new LogFollower(path, ["copy", "unused"]);
  made.push(follower);
  const copy = new Map<number, Buffer>();
  let isCopied = false;
  let incomplete = 0;
  const bringUpToDate = (): void => {
    follower.lock();
    follower.look();
    const pages = isCopied && follower.isComplete ? follower.take("copy") : null;
    const moment = follower.moment();
    if (pages === null) follower.startAnew();
    follower.unlock();
    // Others go on while the moment is read.
    for (let turn = next(4); turn > 0; turn--) change(writer, next);
    if (next(2) === 0) checkpoint(path);
    if (next(3) === 0) change(writer, next);
    incomplete += isCopied && pages === null ? 1 : 0;
    for (let page = 1; page <= moment.pages; page++) {
      if (pages === null || [...pages].includes(page)) copy.set(page, pageOf(moment, page));
    }
    expect([seed, hashOf(copy, moment)]).toEqual([seed, hashOf(wholeOf(moment), moment)]);
    expect([seed, contentOf(copy, moment)]).toEqual([seed, rowsIn(moment.db)]);
    moment.close();
    isCopied = true;
  };
  for (let step = 0; step < steps; step++) {
    const what = next(10);
    if (what < 5) change(writer, next);
    else if (what < 6) bringUpToDate();
    else if (what < 7) follower.copyLog();
    else if (what < 8) checkpoint(path);
    else if (what < 9) writer.query("pragma wal_checkpoint(passive)").get();
    else read(other, next);
  }
  bringUpToDate();
  expect([seed, incomplete]).toEqual([seed, 0]);
  for (const one of made.splice(0).reverse()) one.close();
}

test("a log that is not the one that was followed: everything is copied again", () => {
  const { path, writer } = open();
  const follower = new LogFollower(path, ["copy"]);
  made.push(follower);
  looked(follower);
  follower.startAnew();
  writer.run("insert into item (text) values ('a')");
  expect(looked(follower)?.size).toBeGreaterThan(0);
  expect(looked(follower)?.size).toBe(0);
  writer.run("insert into item (text) values ('b')");
  const log = openSync(`${path}-wal`, "r+");
  writeSync(log, Buffer.from([1, 2, 3, 4]), 0, 4, 16);
  closeSync(log);
  expect(looked(follower)).toBeNull();
});

function looked(follower: LogFollower) {
  follower.lock();
  follower.look();
  follower.unlock();
  return follower.isComplete ? follower.take("copy") : null;
}

test("while a follower holds the log, it starts over by the follower alone, and does not grow for ever", () => {
  const { path, writer } = open();
  const follower = new LogFollower(path, ["copy"]);
  made.push(follower);
  looked(follower);
  follower.startAnew();
  const next = randomOf(7);
  const sizes: number[] = [];
  for (let round = 0; round < 30; round++) {
    for (let turn = 0; turn < 20; turn++) change(writer, next);
    checkpoint(path);
    if (round % 5 === 4) expect(follower.copyLog()).toBe(0);
    sizes.push(follower.logBytes);
  }
  expect(Math.max(...sizes.slice(10))).toBeLessThan(4 * Math.max(...sizes.slice(0, 5)));
});

function open() {
  const folder = mkdtempSync(join(tmpdir(), "log-follower-"));
  folders.push(folder);
  const path = join(folder, "data.db");
  const writer = new Database(path, { create: true, readwrite: true });
  writer.run("pragma page_size = 1024");
  writer.run("pragma auto_vacuum = incremental");
  writer.run("pragma journal_mode = wal");
  writer.run("pragma synchronous = off");
  writer.run("pragma wal_autocheckpoint = 0");
  writer.run("create table item (id integer primary key, text text)");
  const other = new Database(path, { readonly: true });
  made.push(writer, other);
  return { path, writer, other };
}

/** Copies what it can of the log, as a connection of another process does. */
function checkpoint(path: string): void {
  const db = new Database(path, { readwrite: true, create: false });
  db.query("pragma wal_checkpoint(passive)").get();
  db.close();
}

function change(db: Database, next: (below: number) => number): void {
  const what = next(10);
  if (what < 6) db.run("insert into item (text) values (?)", ["x".repeat(next(3_000))]);
  else if (what < 8) db.run("delete from item where id % 7 = ?", [next(7)]);
  else if (what < 9) db.run("update item set text = text || ? where id % 5 = ?", ["y", next(5)]);
  else db.run("pragma incremental_vacuum(3)");
}

function read(db: Database, next: (below: number) => number): void {
  if (db.inTransaction) db.run("commit");
  else if (next(2) === 0) {
    db.run("begin");
    db.query("select count(*) from item").get();
  }
}

function pageOf(moment: DatabaseMoment, page: number): Buffer {
  const bytes = Buffer.alloc(moment.pageBytes);
  moment.read(page, bytes);
  return bytes;
}

const wholeOf = (moment: DatabaseMoment): Map<number, Buffer> =>
  new Map(Array.from({ length: moment.pages }, (_, at) => [at + 1, pageOf(moment, at + 1)]));

function hashOf(copy: ReadonlyMap<number, Buffer>, { pages }: DatabaseMoment): string {
  const hash = new Bun.CryptoHasher("sha256");
  for (let page = 1; page <= pages; page++) hash.update(copy.get(page) ?? "missing");
  return hash.digest("hex");
}

const rowsIn = (db: Database): unknown[] =>
  db.query("select id, text from item order by id").values();

/** The rows of a database that consists of the copy's pages. */
function contentOf(copy: ReadonlyMap<number, Buffer>, { pages }: DatabaseMoment): unknown[] {
  const bytes = Buffer.concat(
    Array.from({ length: pages }, (_, at) => copy.get(at + 1) ?? Buffer.alloc(0)),
  );
  // A file that says that it has a log cannot be opened in memory.
  bytes[18] = 1;
  bytes[19] = 1;
  const db = Database.deserialize(bytes);
  try {
    expect(db.query("pragma integrity_check").get()).toEqual({ integrity_check: "ok" });
    return rowsIn(db);
  } finally {
    db.close();
  }
}

/** Numbers below a bound, the same for the same seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
