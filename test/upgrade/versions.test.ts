import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { databaseFiles } from "../../src/commands/databases";
import { replaceLogWriter } from "../../src/lib/log";
import { refuseIfDamaged } from "../../src/store/migrate";
import { makeOlder } from "./older";

let folder = "";
let restoreLog = (): void => undefined;
beforeEach(() => {
  restoreLog = replaceLogWriter(() => undefined);
});
afterEach(() => {
  restoreLog();
  rmSync(folder, { recursive: true, force: true });
});

/** The tables, columns and indexes of a file. */
function shapeOf(file: string): unknown {
  const db = new Database(file, { readonly: true });
  try {
    const objects = db.query("select type, name, tbl_name from sqlite_schema order by 1, 2");
    const columns = db.query(
      `select t.name, c.name, c.type, c."notnull", c.pk from sqlite_schema t, pragma_table_info(t.name) c
      where t.type = 'table' order by 1, 2`,
    );
    return { objects: objects.values(), columns: columns.values() };
  } finally {
    db.close();
  }
}

describe("every version of the tables that there ever was", () => {
  for (const { name, schema, open } of databaseFiles) {
    test(`${name} is brought to the shape of a new file, and is whole`, () => {
      folder = mkdtempSync(join(tmpdir(), "sightline-versions-"));
      const fresh = join(folder, "new.db");
      open(fresh).close();
      const shape = shapeOf(fresh);
      for (let count = 1; count <= schema.migrations.length; count++) {
        const dataDir = join(folder, String(count));
        makeOlder(dataDir, name, count);
        const file = join(dataDir, name);
        open(file).close();
        expect([count, shapeOf(file)]).toEqual([count, shape]);
        refuseIfDamaged(file, schema);
        const copies = readdirSync(dataDir).filter((one) => one.includes(".before-upgrade-from-"));
        const before = `${name}.before-upgrade-from-${schema.migrations[count - 1]?.tag}`;
        expect(copies).toEqual(count === schema.migrations.length ? [] : [before]);
      }
    });
  }
});
