import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { replaceLogWriter } from "../lib/log";
import { migrate, refuseIfUnusable, refuseIfUnwritable, type Schema } from "./migrate";
import type { Migration } from "./migrations.macro";
import { StorageRefused } from "./refused";

const first: Migration = { tag: "0000_notes", when: 1_000, sql: "create table note (text text);" };
const second: Migration = {
  tag: "0001_authors",
  when: 2_000,
  sql: "alter table note add author text;\n--> statement-breakpoint\ncreate table author (id integer);",
};

let folder: string;
let file: string;
let restoreLog: () => void;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "migrate-"));
  file = join(folder, "notes.db");
  restoreLog = replaceLogWriter(() => undefined);
});
afterEach(() => {
  restoreLog();
  rmSync(folder, { recursive: true });
});

/** Opens, does something, closes, as a program that is started and stopped. */
const schemaOf = (migrations: readonly Migration[]): Schema => ({
  migrations,
  withoutCopy: new Set(),
  checkContent: null,
});

function run<T>(migrations: readonly Migration[], work: (db: Database) => T): T {
  refuseIfUnusable(file, schemaOf(migrations));
  const db = new Database(file, { create: true, strict: true });
  db.run("pragma journal_mode = wal");
  try {
    migrate(db, file, schemaOf(migrations));
    return work(db);
  } finally {
    db.close();
  }
}

const manyNotes = `
  with recursive number (n) as (select 1 union all select n + 1 from number where n < 4000)
  insert into note (text) select 'note ' || n || hex(zeroblob(30)) from number`;
const addNote = (text: string) => (db: Database) => {
  db.query("insert into note (text) values (?)").run(text);
};
const texts = (db: Database): unknown[] => db.query("select text from note").values().flat();

describe("migrations", () => {
  test("a new file gets all of them and no copy", () => {
    run([first, second], (db) => {
      db.query("insert into note (text, author) values ('a', 'b')").run();
    });
    expect(readdirSync(folder).filter((name) => name.includes("before"))).toEqual([]);
  });

  test("an existing file is copied beside itself before its schema changes, log included", () => {
    run([first], addNote("kept"));
    run([first, second], addNote("new"));

    const copy = new Database(`${file}.before-upgrade-from-0000_notes`, { readonly: true });
    expect(texts(copy)).toEqual(["kept"]);
    expect(copy.query("select name from pragma_table_info('note')").values()).toEqual([["text"]]);
    copy.close();
    expect(run([first, second], texts)).toEqual(["kept", "new"]);
  });

  test("a copy cut short by a crash is made again", () => {
    run([first], addNote("kept"));
    writeFileSync(`${file}.before-upgrade-from-0000_notes.part`, "half of it");
    run([first, second], () => undefined);
    const names = readdirSync(folder);
    expect(names).toContain("notes.db.before-upgrade-from-0000_notes");
    expect(names.filter((name) => name.endsWith(".part"))).toEqual([]);
  });

  test("a migration that fails leaves the file at its version", () => {
    run([first], addNote("kept"));
    const broken = {
      ...second,
      sql: "create table author (id);\n--> statement-breakpoint\nnonsense",
    };
    expect(() => run([first, broken], texts)).toThrow();
    expect(run([first, second], texts)).toEqual(["kept"]);
  });

  test("the journal is the one that drizzle keeps", () => {
    const rows = run([first, second], (db) =>
      db.query("select id, length(hash) as digits, created_at from __drizzle_migrations").all(),
    );
    expect(rows).toEqual([
      { id: 1, digits: 64, created_at: 1_000 },
      { id: 2, digits: 64, created_at: 2_000 },
    ]);
  });
});

describe("a file that is not used", () => {
  test("one written by a newer program is named and left as it is", () => {
    run([first, second], addNote("kept"));
    const before = contents();
    expect(refusal([first])).toBe(
      `A newer version of Sightline wrote ${file}. Start that version, or restore the copy of the file from ` +
        "before the upgrade.",
    );
    expect(contents()).toEqual(before);
  });

  const damages: Record<string, () => void> = {
    "its header is overwritten": () => overwrite(0, 100),
    "its schema is overwritten": () => overwrite(100, 3_900),
    "a page in its middle is overwritten": () => overwrite(20 * 4_096, 4_096),
    "it is cut in half": () => truncateSync(file, statSync(file).size / 2),
    "it is another file": () => writeFileSync(file, "not a database\n".repeat(1_000)),
    "it is only a few bytes": () => truncateSync(file, 60),
  };
  for (const [how, damage] of Object.entries(damages)) {
    test(`one is refused with its name and the remedy, and left as it is, when ${how}`, () => {
      run([first], (db) => {
        db.query(manyNotes).run();
      });
      damage();
      const before = contents();
      const message = refusal([first]);
      expect(message).toStartWith(`${file} is damaged (`);
      expect(message).toEndWith(
        "). Restore it from a backup, or move all databases to another folder to start with empty ones.",
      );
      expect(contents()).toEqual(before);
    });
  }

  test("an empty or absent file is fine", () => {
    refuseIfUnusable(file, schemaOf([first]));
    writeFileSync(file, "");
    expect(run([first], texts)).toEqual([]);
  });
});

function refusal(migrations: readonly Migration[]): string {
  try {
    run(migrations, () => undefined);
  } catch (error) {
    if (error instanceof StorageRefused) return error.message;
    throw error;
  }
  throw new Error("It was not refused.");
}

/** Every file of the folder with its bytes. */
const contents = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "hex")]),
  );

/** With what is in no valid page. */
function overwrite(at: number, bytes: number): void {
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, Buffer.alloc(bytes, 0xa5), 0, bytes, at);
  closeSync(descriptor);
}

test("a log that a server removes meanwhile is nothing that this user could not write", async () => {
  writeFileSync(file, "");
  const script = `
    const { rmSync, writeFileSync } = require("node:fs");
    for (let n = 0; n < 4_000; n++) { writeFileSync(process.argv[1], ""); rmSync(process.argv[1]); }`;
  const server = Bun.spawn([process.execPath, "-e", script, `${file}-wal`]);
  let looks = 0;
  while (server.exitCode === null) {
    refuseIfUnwritable(file);
    looks++;
    if (looks % 100 === 0) await Bun.sleep(0);
  }
  expect(looks).toBeGreaterThan(100);
  expect(() => refuseIfUnwritable(join(folder, "missing", "notes.db"))).toThrow(StorageRefused);
});
