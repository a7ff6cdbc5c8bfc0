import type { Database } from "bun:sqlite";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openControlFile } from "../../../src/store/control/database";
import { openForWriting } from "../../../src/store/events/tables";

const makers: Readonly<Record<string, (file: string) => Database>> = {
  "control.db": openControlFile,
  "events.db": (file) => {
    const db = openForWriting(file, "normal");
    // Each copy draws one of its own.
    db.run("delete from setting where name = 'hash_seed'");
    return db;
  },
};
const migrated = new Map<string, Uint8Array>();

/**
 * A new data folder, with the named databases as a first start makes them. To run all migrations takes twice the time
 * of an opening, so that is done once per process, and what comes of it is copied.
 */
export function migratedFolder(prefix: string, names = Object.keys(makers)): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  for (const name of names) writeFileSync(join(folder, name), migratedFile(name));
  return folder;
}

function migratedFile(name: string): Uint8Array {
  const known = migrated.get(name);
  if (known !== undefined) return known;
  const folder = mkdtempSync(join(tmpdir(), "sightline-migrated-"));
  const file = join(folder, name);
  makers[name]?.(file).close();
  const bytes = readFileSync(file);
  rmSync(folder, { recursive: true, force: true });
  migrated.set(name, bytes);
  return bytes;
}
