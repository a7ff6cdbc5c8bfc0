import { Database } from "bun:sqlite";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { databaseFiles } from "../../src/commands/databases";
import { migrate } from "../../src/store/migrate";

/** Makes one database as a version had it that knew the first of the migrations alone. */
export function makeOlder(dataDir: string, name: string, migrationCount: number): void {
  mkdirSync(dataDir, { recursive: true });
  const one = databaseFiles.find((database) => database.name === name);
  if (one === undefined) throw new Error(`There is no database ${name}.`);
  const file = join(dataDir, name);
  const db = new Database(file, { create: true, strict: true });
  db.run("pragma auto_vacuum = incremental");
  db.run("pragma journal_mode = wal");
  const migrations = one.schema.migrations.slice(0, migrationCount);
  migrate(db, file, { ...one.schema, migrations });
  db.close();
}
