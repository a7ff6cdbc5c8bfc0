import { resolve } from "node:path";
import { ConfigError, readConfig } from "../config";
import { StorageFailed } from "../store/protocol/failure";
import { refusedBySystem, StorageRefused, systemCodeOf } from "../store/refused";

/** Returns the sentence for the person at the terminal, or null for a fault of ours, which keeps its stack. */
export function sentenceFor(error: unknown): string | null {
  if (error instanceof ConfigError || error instanceof StorageRefused) return error.message;
  const code = error instanceof StorageFailed ? error.sqliteCode : systemCodeOf(error);
  if (code === null) return null;
  const path = error instanceof Error && "path" in error ? String(error.path) : dataFolder();
  return refusedBySystem(path, code).message;
}

/** SQLite does not say which file it was: all of them are in this folder. */
function dataFolder(): string {
  try {
    return resolve(readConfig().dataDir);
  } catch {
    return "the data folder";
  }
}
