import { resolve } from "node:path";
import { ConfigError, readConfig } from "../config";
import { visibleText } from "../lib/visible-text";
import { StorageFailed } from "../store/protocol/failure";
import { refusedBySystem, StorageRefused, systemCodeOf } from "../store/refused";
import { CommandFailed, RefusedByServer, ServerLost } from "./remote/remote-error";

/** Returns the sentence for the person at the terminal, or null for a fault of ours, which keeps its stack. */
export function sentenceFor(error: unknown): string | null {
  if (error instanceof ConfigError || error instanceof StorageRefused) return error.message;
  if (isOfRemote(error)) return visibleText(error.message);
  const code = error instanceof StorageFailed ? error.sqliteCode : systemCodeOf(error);
  if (code === null) return null;
  const path = error instanceof Error && "path" in error ? String(error.path) : dataFolder();
  return refusedBySystem(path, code).message;
}

/** A server's message may repeat texts of others, which must not steer a terminal. */
const isOfRemote = (error: unknown): error is Error =>
  error instanceof RefusedByServer || error instanceof ServerLost || error instanceof CommandFailed;

/** SQLite does not say which file it was: all of them are in this folder. */
function dataFolder(): string {
  try {
    return resolve(readConfig().dataDir);
  } catch {
    return "the data folder";
  }
}
