import type { Database } from "bun:sqlite";
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
import { DamagedBlob } from "../damage";
import { StorageRefused } from "../refused";
import { ReplayFile } from "./files";
import { unpacked } from "./frame";
import { databaseName, folderName } from "./places";
import { openForReading } from "./tables";

/** Closed recordings and what their files have to hold. */
const SEALED = `
  select number, stored_bytes as bytes from replay where is_sealed = 1 order by number`;

/** The places of a recording's segments in its file. */
const PLACES = `
  select place, bytes from segment where replay = :number and place is not null order by place`;

interface Sealed {
  readonly number: number;
  readonly bytes: number;
}

const sealedIn = (database: string): readonly Sealed[] =>
  look(database, [], (db) => db.query(SEALED).all() as Sealed[]);

function look<Result>(database: string, none: Result, ask: (db: Database) => Result): Result {
  if (!existsSync(database) || statSync(database).size === 0) return none;
  const db = openForReading(database);
  try {
    return ask(db);
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

/** Returns the number of closed recordings. Throws StorageRefused when a file of one is not whole. */
export function checkRecordings(dataDir: string): string {
  const database = join(dataDir, databaseName);
  const broken = (): readonly Sealed[] =>
    look(database, [], (db) => {
      const sealed = db.query(SEALED).all() as Sealed[];
      return sealed.filter((one) => !isWhole(db, dataDir, one));
    });
  const found = broken();
  // A running server may have deleted some between the look at the table and the look at the files.
  const still = new Set(found.length === 0 ? [] : broken().map(({ number }) => number));
  const lost = found.filter(({ number }) => still.has(number));
  if (lost.length === 0) return `${sealedIn(database).length} closed recordings`;
  throw new StorageRefused(
    `${lost.length} files of ${join(dataDir, folderName)} are missing or damaged. Restore them from a backup; ` +
      "recordings without their file count as deleted at the next start.",
  );
}

/** Reads all of it: only so is it known that what is stored is what was written. */
function isWhole(db: Database, dataDir: string, { number, bytes }: Sealed): boolean {
  const path = join(dataDir, folderName, String(number));
  if (!existsSync(path) || statSync(path).size !== bytes) return false;
  const file = new ReplayFile(openSync(path, "r"));
  try {
    const places = db.query(PLACES).all({ number }) as { place: number; bytes: number }[];
    for (const { place, bytes } of places) unpacked(file.read(place, bytes), number, bytes);
    return true;
  } catch (error) {
    if (error instanceof DamagedBlob) return false;
    throw error;
  } finally {
    file.close();
  }
}

function sync(path: string): void {
  const descriptor = openSync(path, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}
