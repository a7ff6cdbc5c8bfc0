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
import { databaseName, folderName } from "../replay-places";
import { ReplayFile } from "./files";
import { unpacked } from "./frame";
import { openForReading } from "./tables";

/** Closed recordings and what their files have to hold. */
const SEALED = `
  select number, stored_bytes as bytes from replay where is_sealed = 1 order by number`;

/** The places of a recording's segments in its file. */
const PLACES = `
  select place, bytes from segment where replay = :number and place is not null order by place`;

/** What stands in the database itself: parts of open recordings, and what is known of closed ones. */
const FRAMES = `
  select replay, bytes, frame from segment where frame is not null
  union all select replay, length(frame) as bytes, frame from timeline`;

/** Open recordings have no file yet. */
const OPEN = `
  select count(*) as count from replay where status = 'recording'`;

/** Names of files in a message. */
const namedMax = 10;

interface Frame {
  readonly replay: number;
  readonly bytes: number;
  readonly frame: Uint8Array;
}
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
 * by now was deleted meanwhile, which a start on the copy notices. Throws StorageRefused when a copy is not whole, as
 * the original is not then.
 */
export function copyRecordings(databaseCopy: string, dataDir: string, folder: string): void {
  refuseDamagedFrames(databaseCopy);
  copyFiles(databaseCopy, dataDir, folder);
  const isDamaged = (db: Database, one: Sealed): boolean =>
    existsSync(join(folder, folderName, String(one.number))) && !isWhole(db, folder, one);
  const damaged = look(databaseCopy, [], (db) =>
    (db.query(SEALED).all() as Sealed[]).filter((one) => isDamaged(db, one)),
  );
  if (damaged.length === 0) return;
  const numbers = damaged.map(({ number }) => number).slice(0, namedMax);
  throw new StorageRefused(
    `${damaged.length} files in ${join(dataDir, folderName)} are damaged: ${numbers.join(", ")}. Restore ` +
      "them from a backup, or delete them: the next start treats their recordings as deleted.",
  );
}

function copyFiles(databaseCopy: string, dataDir: string, folder: string): void {
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

/**
 * Compares all parts of recordings with their checksums, and returns how many recordings there are. Throws
 * StorageRefused when one is not whole.
 */
export function checkRecordings(dataDir: string): string {
  const database = join(dataDir, databaseName);
  refuseDamagedFrames(database);
  const broken = (): readonly Sealed[] =>
    look(database, [], (db) => {
      const sealed = db.query(SEALED).all() as Sealed[];
      return sealed.filter((one) => !isWhole(db, dataDir, one));
    });
  const found = broken();
  // A running server may have deleted some between the look at the table and the look at the files.
  const still = new Set(found.length === 0 ? [] : broken().map(({ number }) => number));
  const lost = found.filter(({ number }) => still.has(number));
  if (lost.length === 0) {
    const open = look(database, 0, (db) => (db.query(OPEN).get() as { count: number }).count);
    return `${sealedIn(database).length} closed recordings and ${open} open ones`;
  }
  throw new StorageRefused(
    `${lost.length} files in ${join(dataDir, folderName)} are missing or damaged. Restore them from a ` +
      "backup; the next start treats recordings without a file as deleted.",
  );
}

/** Looks at what stands in the database itself; a checksum of its own is all that it has. */
function refuseDamagedFrames(database: string): void {
  const damaged = look(database, new Set<number>(), (db) => {
    const frames = db.query(FRAMES).iterate() as Iterable<Frame>;
    const found = new Set<number>();
    for (const { replay, bytes, frame } of frames) {
      if (!isDecoded(frame, replay, bytes)) found.add(replay);
    }
    return found;
  });
  if (damaged.size === 0) return;
  throw new StorageRefused(
    `${damaged.size} recordings in ${database} are damaged. Delete them, or restore the databases from a backup.`,
  );
}

function isDecoded(frame: Uint8Array, replay: number, bytes: number): boolean {
  try {
    unpacked(frame, replay, bytes);
    return true;
  } catch (error) {
    if (error instanceof DamagedBlob) return false;
    throw error;
  }
}

/** Tells whether the file of a closed recording is what was written. */
export const isWholeRecording = (dataDir: string, recording: Sealed): boolean =>
  look(join(dataDir, databaseName), false, (db) => isWhole(db, dataDir, recording));

/** Reads all of it: only so is it known that what is stored is what was written. */
function isWhole(db: Database, dataDir: string, { number, bytes }: Sealed): boolean {
  const path = join(dataDir, folderName, String(number));
  if (!existsSync(path) || statSync(path).size !== bytes) return false;
  const file = new ReplayFile(openSync(path, "r"));
  try {
    const places = db.query(PLACES).all({ number }) as { place: number; bytes: number }[];
    return places.every(({ place, bytes }) => isDecoded(file.read(place, bytes), number, bytes));
  } finally {
    file.close();
  }
}

function sync(path: string): void {
  const descriptor = openSync(path, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}
