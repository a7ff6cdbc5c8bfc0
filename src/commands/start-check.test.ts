import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeOlder } from "../../test/upgrade/older";
import { readConfig } from "../config";
import { openInstallation } from "../store/installation";
import { lockFolder } from "../store/lock";
import { databaseFiles } from "./databases";
import { checkStart } from "./start-check";

let root = "";
let dataDir = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "sightline-start-check-"));
  dataDir = join(root, "data");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function check(environment: Readonly<Record<string, string>> = {}) {
  const printed: string[] = [];
  const config = readConfig({ DATA_DIR: dataDir, ...environment });
  const textCode = await checkStart(config, (text) => printed.push(text), false);
  const text = printed.splice(0).join("");
  const exitCode = await checkStart(config, (json) => printed.push(json), true);
  expect(textCode).toBe(exitCode);
  return { exitCode, text, json: JSON.parse(printed.join("")) };
}

/** The files, without those that SQLite keeps beside a database while somebody reads it. */
const contents = (): readonly unknown[] =>
  readdirSync(dataDir)
    .filter((name) => !/-(wal|shm)$|^lock\.db/.test(name))
    .map((name) => [name, Bun.hash(readFileSync(join(dataDir, name)))]);

describe("serve --check", () => {
  test("on a new folder says that the databases are created, and creates nothing", async () => {
    const { exitCode, text, json } = await check();
    expect([exitCode, text]).toEqual([0, `${dataDir}: the start creates the databases.\n`]);
    expect(json).toMatchObject({ ok: true, refused: null, running: false });
    expect(readdirSync(root)).toEqual([]);
  });

  test("on a folder of this version says that nothing changes", async () => {
    openInstallation(dataDir, databaseFiles);
    chmodSync(dataDir, 0o700);
    for (const name of readdirSync(dataDir)) chmodSync(join(dataDir, name), 0o600);
    const before = contents();
    const { exitCode, text, json } = await check();
    expect([exitCode, text]).toEqual([0, "A start would change nothing.\n"]);
    expect(json.changes).toEqual([]);
    expect(contents()).toEqual(before);
  });

  test("names the migrations of older tables and the size of the copy, and runs none", async () => {
    const newest = (name: string): number =>
      databaseFiles.find((one) => one.name === name)?.schema.migrations.length ?? 0;
    makeOlder(dataDir, "control.db", newest("control.db") - 2);
    makeOlder(dataDir, "events.db", newest("events.db"));
    makeOlder(dataDir, "replays.db", newest("replays.db"));
    const before = contents();
    const { json, text } = await check();
    const [change] = json.changes.filter(({ kind }: { kind: string }) => kind === "upgrade");
    const [control] = databaseFiles.filter(({ name }) => name === "control.db");
    const pending = control?.schema.migrations.slice(-2).map(({ tag }) => tag);
    expect(change).toMatchObject({ of: "control.db", migrations: pending });
    expect(change.copy_bytes).toBeGreaterThan(4_096);
    expect(text).toContain(
      `control.db: the start copies it (1 MB) and changes its tables: ${pending?.join(", ")}.`,
    );
    expect(contents()).toEqual(before);
  });

  test("says what would refuse a start, and exits with 1", async () => {
    openInstallation(dataDir, databaseFiles);
    rmSync(join(dataDir, "events.db"));
    const { exitCode, text, json } = await check();
    expect([exitCode, json.ok]).toEqual([1, false]);
    expect(text).toContain(`The start would be refused: ${join(dataDir, "events.db")} is missing`);
  });

  test("beside a running server says that it has to stop first", async () => {
    openInstallation(dataDir, databaseFiles);
    const lock = lockFolder(dataDir);
    try {
      const { exitCode, text, json } = await check();
      expect([exitCode, json.running]).toEqual([0, true]);
      expect(text).toContain("Stop it before you start another.");
    } finally {
      lock.release();
    }
  });
});
