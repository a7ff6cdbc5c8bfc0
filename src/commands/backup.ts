import { Database } from "bun:sqlite";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { ConfigError } from "../config";
import { refuseIfUnwritable, StorageRefused } from "../store/migrate";
import { takeRightsOfOthers } from "../store/private-files";

/** Events first: whatever project they belong to is then in the copy of the accounts, which is the younger one. */
const files = ["events.db", "control.db"];

/**
 * Copies the databases into an empty folder, beside a running server too: each copy is one consistent state of its
 * file, without free pages. A server started on the folder goes on from there.
 */
export function backup(dataDir: string, folder: string): void {
  const missing = files.filter((name) => !existsSync(join(dataDir, name)));
  if (missing.length > 0) {
    throw new ConfigError(
      `${dataDir} has no ${missing.join(" and no ")}: set DATA_DIR to the server's folder.`,
    );
  }
  for (const name of files) refuseIfUnwritable(join(dataDir, name));
  try {
    mkdirSync(folder, { recursive: true });
    if (readdirSync(folder).length > 0) {
      throw new ConfigError(`${folder} is not empty: name a new folder for each backup.`);
    }
    takeRightsOfOthers(folder);
    copyInto(dataDir, folder);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    throw new StorageRefused(`There is no copy in ${folder}: ${error.message}.`);
  }
}

/**
 * Both or neither: half a copy must not be taken for one, nor stand in the way of the next. They get their
 * names once both are whole, so that what a killed backup leaves does not look like one.
 */
function copyInto(dataDir: string, folder: string): void {
  const unfinished = files.map((name) => [name, join(folder, `${name}.part`)] as const);
  try {
    for (const [name, part] of unfinished) copyOf(join(dataDir, name), part);
    for (const [name, part] of unfinished) renameSync(part, join(folder, name));
    sync(folder);
  } catch (error) {
    for (const [, part] of unfinished) rmSync(part, { force: true });
    throw error;
  }
}

function copyOf(file: string, target: string): void {
  const database = new Database(file, { readonly: true, strict: true });
  try {
    database.query("vacuum into :target").run({ target });
  } finally {
    database.close();
  }
  // VACUUM INTO leaves it to the system when the copy reaches the disk.
  sync(target);
}

function sync(path: string): void {
  const descriptor = openSync(path, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}
