import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unusedLogBytes } from "./wal";

const commits = 20;
const folder = mkdtempSync(join(tmpdir(), "sightline-wal-"));
const original = join(folder, "original.db");

/** The files as they are while a writer is at work: what kill -9 leaves. */
beforeAll(() => {
  const db = new Database(original);
  db.run("pragma journal_mode = wal");
  db.run("pragma wal_autocheckpoint = 0");
  db.run("create table step (number integer, noise text)");
  for (let number = 1; number <= commits; number++) {
    db.run("insert into step values (?, ?)", [number, "x".repeat(9_000)]);
  }
  copy(original, "whole");
  db.run("pragma wal_checkpoint(passive)");
  // The log starts over: what follows in it is left from the round before.
  db.run("insert into step values (0, '')");
  copy(original, "second-round");
  db.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

test("a log of whole commits is used to its end", () => {
  expect(unusedLogBytes(copy("whole"))).toBe(0);
});

test("no log, or an empty one, has nothing unused", () => {
  expect(unusedLogBytes(original)).toBe(0);
  expect(unusedLogBytes(changed(copy("whole"), () => Buffer.alloc(0)))).toBe(0);
});

test("frames of the round before are no loss", () => {
  const file = copy("second-round");
  expect(statSync(`${file}-wal`).size).toBeGreaterThan(50_000);
  expect(unusedLogBytes(file)).toBe(0);
  expect(stepsIn(file)).toBe(commits + 1);
});

test("a cut within a commit leaves the whole frames and the piece before the cut", () => {
  const file = copy("whole");
  const cutAt = Math.floor(statSync(`${file}-wal`).size * 0.7);
  changed(file, (log) => log.subarray(0, cutAt));
  const unused = unusedLogBytes(file);
  expect(unused).toBeGreaterThan(0);
  expect(cutAt - unused).toBe(lastCommitBefore(cutAt));
  expect(stepsIn(file)).toBeLessThan(commits);
});

for (const [what, at] of [
  ["the content", 3_000],
  ["the salt", 9],
  ["the checksum", 17],
] as const) {
  test(`a flipped bit in ${what} of a frame makes everything from its commit on unused`, () => {
    const file = copy("whole");
    const { size } = statSync(`${file}-wal`);
    const frame = frameStartBefore(size * 0.6);
    changed(file, (log) => {
      log[frame + at] ^= 1;
      return log;
    });
    expect(unusedLogBytes(file)).toBe(size - lastCommitBefore(frame));
    expect(stepsIn(file)).toBeGreaterThan(0);
    expect(stepsIn(file)).toBeLessThan(commits);
  });
}

test("of a log whose header is damaged nothing is used", () => {
  const file = changed(copy("whole"), (log) => {
    log[12] ^= 1;
    return log;
  });
  expect(unusedLogBytes(file)).toBe(statSync(`${file}-wal`).size);
});

/** A database beside its log. Without a second name: a copy for one test, of a name made in `beforeAll`. */
function copy(from: string, to?: string): string {
  const source = to === undefined ? join(folder, `${from}.db`) : from;
  const target = join(folder, `${to ?? crypto.randomUUID()}.db`);
  for (const ending of ["", "-wal"]) copyFileSync(`${source}${ending}`, `${target}${ending}`);
  return target;
}

function changed(file: string, change: (log: Buffer) => Buffer): string {
  writeFileSync(`${file}-wal`, change(readFileSync(`${file}-wal`)));
  return file;
}

/** What SQLite itself makes of the log. */
function stepsIn(file: string): number {
  const db = new Database(copyOfFile(file));
  const [[count]] = db.query("select count(*) from step").values() as [[number]];
  db.close();
  return count;
}

function copyOfFile(file: string): string {
  const target = join(folder, `${crypto.randomUUID()}.db`);
  for (const ending of ["", "-wal"]) copyFileSync(`${file}${ending}`, `${target}${ending}`);
  return target;
}

const frameBytes = 24 + 4_096;
const frameStartBefore = (position: number): number =>
  32 + Math.floor((position - 32) / frameBytes) * frameBytes;

/** Returns the end of the last whole commit before a position. */
function lastCommitBefore(position: number): number {
  const log = readFileSync(`${copy("whole")}-wal`);
  let end = 32;
  for (let at = 32; at + frameBytes <= position; at += frameBytes) {
    if (log.readUInt32BE(at + 4) !== 0) end = at + frameBytes;
  }
  return end;
}
