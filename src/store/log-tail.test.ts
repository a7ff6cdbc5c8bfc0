import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { replaceLogWriter } from "../lib/log";
import { reportUnusedLog } from "./log-tail";

const frameBytes = 24 + 4_096;

let folder: string;
let file: string;
let lines: { message: string; file: string; bytes: number }[];
let restoreLog: () => void;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "log-tail-"));
  file = join(folder, "notes.db");
  lines = [];
  restoreLog = replaceLogWriter((line) => lines.push(JSON.parse(line)));
});
afterEach(() => {
  restoreLog();
  rmSync(folder, { recursive: true });
});

/** The files as a process leaves them that is killed after so many commits of one frame each. */
function leaveLog(commits: number, checkpointAfter = -1): void {
  const living = join(folder, "living.db");
  const db = new Database(living, { create: true });
  db.run("pragma journal_mode = wal");
  db.run("create table note (number integer)");
  db.run("pragma wal_checkpoint(truncate)");
  for (let number = 1; number <= commits; number++) {
    db.query("insert into note values (?)").run(number);
    if (number === checkpointAfter) db.run("pragma wal_checkpoint(restart)");
  }
  for (const sidecar of ["", "-wal"]) copyFileSync(living + sidecar, file + sidecar);
  db.close();
}

function openAndReport(): unknown[] {
  const db = new Database(file, { readwrite: true, create: false });
  reportUnusedLog(db, file);
  const numbers = db.query("select number from note").values().flat();
  db.close();
  return numbers;
}
const logFile = (): string => `${file}-wal`;

describe("the end of a log", () => {
  test("that is whole is not spoken of", () => {
    leaveLog(3);
    expect(openAndReport()).toEqual([1, 2, 3]);
    expect(lines).toEqual([]);
  });

  test("that is cut off is told in one line; every whole commit before is served", () => {
    leaveLog(3);
    truncateSync(logFile(), statSync(logFile()).size - 100);
    expect(openAndReport()).toEqual([1, 2]);
    expect(lines).toMatchObject([{ level: "warn", file: "notes.db", bytes: frameBytes - 100 }]);
  });

  test("that is damaged is told with all that follows the damage", () => {
    leaveLog(5);
    const bytes = readFileSync(logFile());
    bytes[32 + 2 * frameBytes + 2_000] ^= 1;
    writeFileSync(logFile(), bytes);
    expect(openAndReport()).toEqual([1, 2]);
    expect(lines).toMatchObject([{ file: "notes.db", bytes: 3 * frameBytes }]);
  });

  test("whose header is damaged is told as a whole", () => {
    leaveLog(2);
    const bytes = readFileSync(logFile());
    bytes[17] ^= 1;
    writeFileSync(logFile(), bytes);
    expect(openAndReport()).toEqual([]);
    expect(lines).toMatchObject([{ file: "notes.db", bytes: bytes.length }]);
  });

  test("that is left from an earlier round of the log is no loss", () => {
    leaveLog(6, 4);
    expect(statSync(logFile()).size).toBe(32 + 4 * frameBytes);
    expect(openAndReport()).toEqual([1, 2, 3, 4, 5, 6]);
    expect(lines).toEqual([]);
  });

  test("is absent after a clean stop", () => {
    const db = new Database(file, { create: true });
    db.run("pragma journal_mode = wal");
    db.run("create table note (number integer)");
    db.close();
    expect(existsSync(logFile())).toBe(false);
    expect(openAndReport()).toEqual([]);
    expect(lines).toEqual([]);
  });
});
