import { Database } from "bun:sqlite";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { refuseIfUnwritable } from "./migrate";
import { takeRightsOfOthers } from "./private-files";
import { StorageRefused } from "./refused";

export interface FolderLock {
  /** Writes the address of the server that holds the lock, for the other commands. */
  tellAddress(url: string): void;
  release(): void;
}

/** Somebody else has it. */
export class FolderInUse extends StorageRefused {}

/** A connection that nothing refers to is closed by the garbage collector, and its lock falls. */
const held = new Set<Database>();

/**
 * Makes sure that one server at a time uses a data folder. The lock is an exclusive transaction that never ends, so it
 * is the operating system's: it falls with the process, however that dies. Sub-commands that only read or that write
 * through SQLite's own locks do not take it.
 */
export function lockFolder(dataDir: string): FolderLock {
  const release = hold(dataDir);
  takeRightsOfOthers(dataDir);
  const told = join(dataDir, addressFile);
  // The file is of a server that was killed.
  rmSync(told, { force: true });
  return {
    tellAddress: (url) => writeFileSync(told, JSON.stringify({ url })),
    release: () => {
      rmSync(told, { force: true });
      release();
    },
  };
}

/** Returns what lets go of it. */
function hold(dataDir: string): () => void {
  const file = join(dataDir, "lock.db");
  const database = openIn(dataDir, file);
  try {
    refuseIfUnwritable(file);
    database.run("pragma busy_timeout = 0");
    database.run("pragma journal_mode = delete");
    database.run("begin exclusive");
  } catch (error) {
    database.close();
    if (error instanceof StorageRefused) throw error;
    if (error instanceof Error && "code" in error && error.code === "SQLITE_BUSY") {
      throw new FolderInUse(
        `Another Sightline is running on ${dataDir}. Stop it, or set DATA_DIR to another folder.`,
      );
    }
    throw new StorageRefused(
      `${file} cannot be locked. Delete that file, which holds nothing, and keep DATA_DIR on a local disk.`,
    );
  }
  held.add(database);
  return () => {
    held.delete(database);
    database.close();
  };
}

/**
 * The address is in a file beside the lock, as nobody else can read a file under an exclusive lock. The file is valid
 * while the lock is held.
 */
const addressFile = "server.json";

/** The server that runs on a folder, with its address once it listens; null when there is none. */
export function serverOn(dataDir: string): { readonly url: string | null } | null {
  if (!existsSync(join(dataDir, "lock.db"))) return null;
  const told = join(dataDir, addressFile);
  try {
    hold(dataDir)();
    return null;
  } catch (error) {
    if (!(error instanceof FolderInUse)) throw error;
    const text = existsSync(told) ? readFileSync(told, "utf8") : "";
    const [, url = null] = /^\{"url":"(https?:\/\/[^"\s]+)"\}$/.exec(text) ?? [];
    return { url };
  }
}

function openIn(dataDir: string, file: string): Database {
  try {
    mkdirSync(dataDir, { recursive: true });
    return new Database(file, { create: true });
  } catch {
    throw new StorageRefused(
      `${dataDir} cannot be written. Give this user the right to write there, or set DATA_DIR to another folder.`,
    );
  }
}
