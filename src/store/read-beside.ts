import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";

/** Asks a database that a server may be using. Null where it is not there, or a start has yet to make its tables. */
export function readBeside<Answer>(file: string, ask: (db: Database) => Answer): Answer | null {
  if (!existsSync(file)) return null;
  const db = new Database(file, { readonly: true, strict: true });
  try {
    const tables = db.query("select 1 from sqlite_schema where name = 'setting'").get();
    return tables === null ? null : ask(db);
  } finally {
    db.close();
  }
}
