import { Database } from "bun:sqlite";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { refuseIfUnwritable } from "./migrate";
import { takeRightsOfOthers } from "./private-files";
import { refusedBySystem, StorageRefused, systemCodeOf } from "./refused";

export interface FolderLock {
  /**
   * Writes down where the server that holds the lock is, for the other commands: its address for people, and the one
   * at which this machine reaches it.
   */
  tellAddress(url: string, localUrl: string): void;
  /** Returns false when its file was deleted or replaced: another process can lock the folder then. */
  isWhole(): boolean;
  release(): void;
}

const lockFile = "lock.db";
/** Commands that look for a server hold the lock for a moment, and must not keep one from starting. */
const lockWaitMsMax = 250;

/** Somebody else has it. */
export class FolderInUse extends StorageRefused {}

/** The reason why a server stops whose lock is no longer whole. */
export const folderLost =
  "lock.db was deleted or replaced, so a second server could use the folder at the same time. Restart " +
  "the server.";

/** A connection that nothing refers to is closed by the garbage collector, and its lock falls. */
const held = new Set<Database>();

/**
 * Makes sure that one server at a time uses a data folder. The lock is an exclusive transaction that never ends, so it
 * is the operating system's: it falls with the process, however that dies. Sub-commands that only read or that write
 * through SQLite's own locks do not take it.
 */
export function lockFolder(dataDir: string): FolderLock {
  const release = hold(dataDir);
  const locked = identityOf(dataDir);
  const isWhole = (): boolean => identityOf(dataDir) === locked;
  takeRightsOfOthers(dataDir);
  const told = join(dataDir, addressFile);
  // The file is of a server that was killed.
  rmSync(told, { force: true });
  return {
    tellAddress: (url, localUrl) => writeFileSync(told, JSON.stringify({ url, localUrl })),
    isWhole,
    release: () => {
      // Another server may have locked the folder since, and told its own address.
      if (isWhole()) rmSync(told, { force: true });
      release();
    },
  };
}

/** Returns which file the lock is on, or null when there is none. */
function identityOf(dataDir: string): string | null {
  const found = statSync(join(dataDir, lockFile), { throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev} ${found.ino}`;
}

/** Returns a function that releases the lock. */
function hold(dataDir: string): () => void {
  const file = join(dataDir, lockFile);
  const database = openIn(dataDir, file);
  try {
    refuseIfUnwritable(file);
    database.run(`pragma busy_timeout = ${lockWaitMsMax}`);
    database.run("pragma journal_mode = delete");
    database.run("begin exclusive");
  } catch (error) {
    database.close();
    if (error instanceof StorageRefused) throw error;
    if (systemCodeOf(error) === "SQLITE_BUSY") {
      throw new FolderInUse(
        `Another Sightline server is using ${dataDir}. Stop it, or set DATA_DIR to another folder.`,
      );
    }
    throw unlockable(file, error);
  }
  held.add(database);
  return () => {
    held.delete(database);
    database.close();
  };
}

/** Nobody is advised to delete the file: where a server runs, that would let a second one on the folder. */
function unlockable(file: string, error: unknown): StorageRefused {
  const code = systemCodeOf(error);
  if (code !== null && !/IOERR_.*LOCK/.test(code)) return refusedBySystem(file, code);
  return new StorageRefused(
    `The server cannot lock ${file}. Set DATA_DIR to a folder on a local disk, and check that no other ` +
      "program created this file.",
  );
}

/**
 * The address is in a file beside the lock, as nobody else can read a file under an exclusive lock. The file is valid
 * while the lock is held.
 */
const addressFile = "server.json";

/** The server that runs on a folder, with its address once it listens; null when there is none. */
export function serverOn(dataDir: string): { readonly url: string | null } | null {
  if (!existsSync(join(dataDir, lockFile))) return null;
  try {
    hold(dataDir)();
    return null;
  } catch (error) {
    if (!(error instanceof FolderInUse)) throw error;
    return { url: toldIn(dataDir, "url") };
  }
}

/** The address at which this machine reaches the server of a folder; null when none was written down. */
export const localUrlIn = (dataDir: string): string | null => toldIn(dataDir, "localUrl");

/** A file that a killed server left half-written tells nothing. */
function toldIn(dataDir: string, name: "url" | "localUrl"): string | null {
  const file = join(dataDir, addressFile);
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  return new RegExp(`"${name}":"(https?://[^"\\s]+)"[,}]`).exec(text)?.[1] ?? null;
}

function openIn(dataDir: string, file: string): Database {
  try {
    mkdirSync(dataDir, { recursive: true });
    return new Database(file, { create: true });
  } catch (error) {
    const code = systemCodeOf(error);
    if (code !== null && !/CANTOPEN|EACCES|EPERM/.test(code)) throw refusedBySystem(dataDir, code);
    throw new StorageRefused(
      `This user cannot write to ${dataDir}. Grant write permission, or set DATA_DIR to another folder.`,
    );
  }
}
