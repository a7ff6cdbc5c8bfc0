import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { cpSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkInstallation, type DatabaseFile, openInstallation } from "../store/installation";
import { databaseFiles } from "./databases";

let root = "";
let dataDir = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "sightline-installation-"));
  dataDir = join(root, "data");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const check = (folder = dataDir) => checkInstallation(folder, databaseFiles);
const open = (folder = dataDir) => openInstallation(folder, databaseFiles);
const change = (name: string, ...statements: string[]): void => {
  const db = new Database(join(dataDir, name));
  for (const statement of statements) db.run(statement);
  db.close();
};
/** Makes the folder look as a version before this one left it. */
function makeOld(): void {
  open();
  rmSync(join(dataDir, "replays.db"));
  change("events.db", "delete from setting where name like 'installation%'");
  change("control.db", "delete from setting where name like 'installation%'");
}
const addProject = (): void =>
  change(
    "control.db",
    `insert into account (id, tier, complimentary, created_at)
      values ('acc_1', 'pro', true, 0)`,
    `insert into project (id, account_id, name, token, allowed_origins, primary_domain, created_at)
      values ('proj_1', 'acc_1', 'kept', 'aat_1', '[]', '', 0)`,
  );
const idIn = (name: string): unknown => {
  const db = new Database(join(dataDir, name), { readonly: true });
  const row = db.query("select value from setting where name = 'installation_id'").values()[0];
  db.close();
  return row?.[0];
};
const names = ["events.db", "control.db"];

test("a new folder gets its databases with one id, and is whole from then on", () => {
  expect(check(root)).toBe("new");
  open();
  expect(check()).toBe("whole");
  expect(idIn("events.db")).toMatch(/^[0-9a-f]{32}$/);
  expect(idIn("control.db")).toBe(idIn("events.db"));
});

describe("a database beside another with content", () => {
  for (const name of names) {
    test(`${name} that is missing is told, and none is made`, () => {
      open();
      rmSync(join(dataDir, name));
      expect(() => open()).toThrow(`${join(dataDir, name)} is missing, but ${dataDir}`);
      expect(() => check()).toThrow("restore all of them from one backup");
    });
    for (const [what, empty] of [
      ["without a byte", (path: string) => truncateSync(path, 0)],
      ["without a table", (path: string) => emptyDatabase(path)],
    ] as const) {
      test(`${name} ${what} is told, and left as it is`, () => {
        open();
        empty(join(dataDir, name));
        const bytes = readFileSync(join(dataDir, name));
        expect(() => open()).toThrow(`${join(dataDir, name)} is empty, but`);
        expect(readFileSync(join(dataDir, name)).equals(bytes)).toBe(true);
      });
    }
    test(`${name} of another installation, labelled or not, is told`, () => {
      const elsewhere = join(root, "elsewhere");
      open();
      open(elsewhere);
      cpSync(join(elsewhere, name), join(dataDir, name));
      expect(() => open()).toThrow("come from different installations");
      change(name, "delete from setting where name = 'installation_id'");
      expect(() => open()).toThrow("come from different installations");
    });
  }
});

function emptyDatabase(path: string): void {
  rmSync(path);
  const db = new Database(path, { create: true });
  db.run("pragma user_version = 1");
  db.close();
}

describe("a folder of the version before", () => {
  test("gets one id for both", () => {
    makeOld();
    addProject();
    expect(check()).toBe("unlabelled");
    open();
    expect(check()).toBe("whole");
    expect(idIn("control.db")).toBe(idIn("events.db"));
  });

  test("whose events are gone is refused", () => {
    makeOld();
    addProject();
    rmSync(join(dataDir, "events.db"));
    expect(() => open()).toThrow("events.db is missing");
  });

  test("where only `setup` was run gets its events", () => {
    makeOld();
    rmSync(join(dataDir, "events.db"));
    open();
    expect(check()).toBe("whole");
  });

  test("is brought to its end wherever a crash cut the change short", () => {
    const crash = (): never => {
      throw new Error("crash");
    };
    for (const at of ["before the second file", "after the second file"]) {
      rmSync(dataDir, { recursive: true, force: true });
      makeOld();
      addProject();
      const cutShort = databaseFiles.map((one): DatabaseFile => {
        if (one.name !== "events.db") return one;
        if (at === "before the second file") return { ...one, open: crash };
        return { ...one, open: (file) => Object.assign(one.open(file), { close: crash }) };
      });
      expect(() => openInstallation(dataDir, cutShort)).toThrow("crash");
      const begun = idIn("control.db");
      expect(check()).toBe("unlabelled");
      open();
      expect([check(), idIn("control.db"), idIn("events.db")]).toEqual(["whole", begun, begun]);
    }
  });
});

test("a database that a later version adds joins, and may not go missing from then on", () => {
  const before = databaseFiles.filter(({ name }) => name !== "replays.db");
  openInstallation(dataDir, before);
  expect(check()).toBe("unlabelled");
  open();
  expect([check(), idIn("replays.db")]).toEqual(["whole", idIn("control.db")]);
  rmSync(join(dataDir, "replays.db"));
  expect(() => open()).toThrow("replays.db is missing");
});

test.each(["backup.part", "events.db.part", "control.db.part"])(
  "a backup in which %s lies is not served",
  (part) => {
    open();
    writeFileSync(join(dataDir, part), "");
    expect(() => open()).toThrow(`is an incomplete backup: it still contains ${part}`);
  },
);
