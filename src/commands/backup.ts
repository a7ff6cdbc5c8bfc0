import { Database } from "bun:sqlite";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { ConfigError } from "../config";
import { checkInstallation, unfinishedBackup } from "../store/installation";
import { lockFolder } from "../store/lock";
import { refuseIfDamaged, refuseIfUnwritable, type Schema } from "../store/migrate";
import { StorageRefused } from "../store/refused";
import { databaseName, folderName } from "../store/replay-places";
import { copyRecordings } from "../store/replays/copies";
import { databaseFiles } from "./databases";

/**
 * Tells whether this command itself left a file in its folder, working or when it was killed: SQLite keeps a journal.
 */
const isRemains = (name: string): boolean =>
  name === unfinishedBackup ||
  name === folderName ||
  databaseFiles.some((one) => name === one.name || name.startsWith(`${one.name}.part`));

/**
 * Copies the databases, and the files of closed recordings, into an empty folder,
 * beside a running server too: each copy is one consistent state of its
 * file, without free pages, and is read through before it counts. A server started on the folder goes on from there.
 */
export function backup(dataDir: string, folder: string): void {
  if (checkInstallation(dataDir, databaseFiles) === "new") {
    throw new ConfigError(
      `${resolve(dataDir)} contains no Sightline data. Set DATA_DIR to the server's data folder.`,
    );
  }
  for (const { name } of databaseFiles) refuseIfUnwritable(join(dataDir, name));
  const isMade = !existsSync(folder);
  try {
    mkdirSync(folder, { recursive: true });
    refuseIfTaken(folder);
    const lock = lockFolder(folder);
    try {
      refuseIfTaken(folder);
      removeRemains(folder);
      copyInto(dataDir, folder);
    } finally {
      rmSync(join(folder, "lock.db"), { force: true });
      lock.release();
    }
  } catch (error) {
    if (isMade && existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder);
    if (!(error instanceof Error && "code" in error)) throw error;
    throw new StorageRefused(`The backup to ${folder} failed: ${error.message}.`);
  }
}

/** A killed backup left its mark and half its work, which nobody needs; anything else in a folder is not ours. */
function refuseIfTaken(folder: string): void {
  const names = namesIn(folder);
  const isUnfinished = names.includes(unfinishedBackup) && names.every(isRemains);
  if (names.length === 0 || isUnfinished) return;
  throw new ConfigError(`${folder} is not empty. Use a new folder for each backup.`);
}

/** The mark goes last, so that another kill leaves no half that looks whole. */
function removeRemains(folder: string): void {
  const names = namesIn(folder).filter(isRemains);
  for (const name of [...names.filter((one) => one !== unfinishedBackup), unfinishedBackup]) {
    rmSync(join(folder, name), { force: true, recursive: true });
  }
}

/**
 * All or none: half a copy must not be taken for one, nor stand in the way of the next. They get their names once all
 * are whole, and until then a mark says that they are not.
 */
function copyInto(dataDir: string, folder: string): void {
  const mark = join(folder, unfinishedBackup);
  const names = databaseFiles.map(({ name }) => name);
  writeFileSync(mark, "");
  sync(mark);
  sync(folder);
  try {
    for (const { name, schema } of databaseFiles) {
      copyOf(join(dataDir, name), join(folder, `${name}.part`), schema);
    }
    copyRecordings(join(folder, `${databaseName}.part`), dataDir, folder);
    for (const name of names) renameSync(join(folder, `${name}.part`), join(folder, name));
    sync(folder);
    rmSync(mark);
    sync(folder);
  } catch (error) {
    removeRemains(folder);
    throw error;
  }
}

const namesIn = (folder: string): string[] =>
  readdirSync(folder).filter((name) => !name.startsWith("lock.db"));

/**
 * The original is checked first: what is damaged in there is copied with all that would show it made new, and the copy
 * would look well. Then the copy, of which nobody will ask before it is needed.
 */
function copyOf(file: string, target: string, schema: Schema): void {
  refuseIfDamaged(file, schema);
  const database = new Database(file, { readonly: true, strict: true });
  try {
    database.query("vacuum into :target").run({ target });
  } finally {
    database.close();
  }
  // VACUUM INTO leaves it to the system when the copy reaches the disk.
  sync(target);
  refuseIfDamaged(target, schema);
}

function sync(path: string): void {
  const descriptor = openSync(path, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}
