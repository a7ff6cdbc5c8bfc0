import { Database } from "bun:sqlite";
import { rmSync } from "node:fs";

const cacheKib = 8 * 1024;
/** Nothing of it outlives the work that it is for, so nothing of it is made durable. */
const pragmas = [
  "pragma journal_mode = off",
  "pragma synchronous = off",
  "pragma locking_mode = exclusive",
  `pragma cache_size = -${cacheKib}`,
];

/** Opens a database for the time of one piece of work. What a process that was killed left in its file goes. */
export function openScratch(path: string, createTable: string): Database {
  rmSync(path, { force: true });
  const db = new Database(path, { create: true, strict: true });
  for (const pragma of pragmas) db.run(pragma);
  db.run(createTable);
  db.run("begin");
  return db;
}

export function closeScratch(db: Database, path: string): void {
  db.close();
  rmSync(path, { force: true });
}
