import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { StorageRefused } from "../migrate";
import { databaseName, folderName } from "./places";
import { openForReading } from "./tables";

/** Closed recordings and what their files have to hold. */
const SEALED = `
  select number, stored_bytes as bytes from replay where is_sealed = 1 order by number`;

interface Sealed {
  readonly number: number;
  readonly bytes: number;
}

function sealedIn(database: string): readonly Sealed[] {
  if (!existsSync(database) || statSync(database).size === 0) return [];
  const db = openForReading(database);
  try {
    return db.query(SEALED).all() as Sealed[];
  } finally {
    db.close();
  }
}

/**
 * Copies the files of the closed recordings that a copy of the database names: they never change, and one that is gone
 * by now was deleted meanwhile, which a start on the copy notices.
 */
export function copyRecordings(databaseCopy: string, dataDir: string, folder: string): void {
  const target = join(folder, folderName);
  mkdirSync(target, { recursive: true });
  for (const { number } of sealedIn(databaseCopy)) {
    const [from, to] = [join(dataDir, folderName, String(number)), join(target, String(number))];
    try {
      copyFileSync(from, to);
    } catch (error) {
      if (existsSync(from)) throw error;
      continue;
    }
    sync(to);
  }
  if (process.platform !== "win32") sync(target);
}

/** How many closed recordings there are. Throws StorageRefused when a file of one is not whole. */
export function checkRecordings(dataDir: string): string {
  const database = join(dataDir, databaseName);
  const broken = (): readonly Sealed[] =>
    sealedIn(database).filter(({ number, bytes }) => bytesOf(dataDir, number) !== bytes);
  const found = broken();
  // A running server may have deleted some between the look at the table and the look at the files.
  const still = new Set(found.length === 0 ? [] : broken().map(({ number }) => number));
  const lost = found.filter(({ number }) => still.has(number));
  if (lost.length === 0) return `${sealedIn(database).length} closed recordings`;
  throw new StorageRefused(
    `${lost.length} files of ${join(dataDir, folderName)} are missing or not whole. Restore them from a backup; ` +
      "recordings without their file count as deleted at the next start.",
  );
}

function bytesOf(dataDir: string, number: number): number | null {
  const path = join(dataDir, folderName, String(number));
  return existsSync(path) ? statSync(path).size : null;
}

function sync(path: string): void {
  const descriptor = openSync(path, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}
