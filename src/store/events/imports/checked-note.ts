import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { StoredImport } from "../../imports";
import type { Basis } from "./basis";

/** The result of a check, which lies beside the file that has its events. */
export interface Checked extends StoredImport {
  /** Names the check. */
  readonly content: string;
  readonly basis: Basis;
  /** Those of the work. */
  readonly takenDates: readonly string[];
  readonly foldedDates: readonly string[];
  readonly zone: string;
  readonly hasContext: boolean;
  /** Tells whether the file links ids, so that the result depends on the links of the project. */
  readonly hasLinks: boolean;
  /** The times of the first and the last event of the file. */
  readonly firstMs: number;
  readonly lastMs: number;
  /** The number of events that a commit stores. */
  readonly events: number;
}

export const checkedPath = (folder: string): string => join(folder, "checked.db");
const notePath = (folder: string): string => join(folder, "checked.json");

/** Writes a note, which is on the disk when this returns. A crash leaves the whole note or none. */
export function writeChecked(folder: string, checked: Checked): void {
  const path = notePath(folder);
  const file = openSync(`${path}.part`, "w");
  try {
    const bytes = Buffer.from(JSON.stringify(checked));
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(`${path}.part`, path);
  const parent = openSync(folder, "r");
  fsyncSync(parent);
  closeSync(parent);
}

/** Returns the note of a finished check; null if there is none. */
export function readChecked(folder: string): Checked | null {
  if (!existsSync(notePath(folder)) || !existsSync(checkedPath(folder))) return null;
  return JSON.parse(readFileSync(notePath(folder), "utf8"));
}
