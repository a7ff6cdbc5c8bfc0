import type { Database } from "bun:sqlite";
import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { basename } from "node:path";
import { log } from "../lib/log";

/** https://www.sqlite.org/fileformat2.html, section 4: a header, then frames of a header and a page each. */
const logHeaderBytes = 32;
/** Of the header; its checksum follows. */
const checksummedBytes = 24;
const frameHeaderBytes = 24;
const logSaltAt = 16;
const frameSaltAt = 8;
const saltBytes = 8;

/**
 * Says in one line of the log how much of the end of a database's write-ahead log is not used: SQLite serves every
 * whole commit up to the first frame that is damaged or missing, and is silent about the rest.
 */
export function reportUnusedLog(db: Database, file: string): void {
  const bytes = unusedLogBytes(db, `${file}-wal`);
  if (bytes === 0) return;
  log("warn", "the end of a write-ahead log belongs to no whole commit and is not used", {
    file: basename(file),
    bytes,
  });
}

function unusedLogBytes(db: Database, logFile: string): number {
  if (!existsSync(logFile)) return 0;
  const { size } = statSync(logFile);
  if (size <= logHeaderBytes) return 0;
  const { log: frames } = db.query("pragma wal_checkpoint(noop)").get() as { log: number };
  const { page_size: pageBytes } = db.query("pragma page_size").get() as { page_size: number };
  const frameBytes = frameHeaderBytes + pageBytes;
  const descriptor = openSync(logFile, "r");
  try {
    // Without a header that holds, SQLite starts over and uses nothing of the log.
    if (!isHeaderWhole(read(descriptor, 0, logHeaderBytes))) return size;
    const salt = read(descriptor, logSaltAt, saltBytes);
    const usedEnd = logHeaderBytes + Math.max(0, frames) * frameBytes;
    let end = usedEnd;
    // What an earlier round of the log left behind carries another salt: it is no loss.
    while (end < size && read(descriptor, end + frameSaltAt, saltBytes).equals(salt)) {
      end += frameBytes;
    }
    return Math.min(end, size) - usedEnd;
  } finally {
    closeSync(descriptor);
  }
}

function isHeaderWhole(header: Buffer): boolean {
  const isBigEndian = (header.readUInt32BE(0) & 1) === 1;
  let [first, second] = [0, 0];
  for (let at = 0; at < checksummedBytes; at += 8) {
    const word = (offset: number): number =>
      isBigEndian ? header.readUInt32BE(at + offset) : header.readUInt32LE(at + offset);
    first = (first + word(0) + second) >>> 0;
    second = (second + word(4) + first) >>> 0;
  }
  return (
    header.readUInt32BE(checksummedBytes) === first &&
    header.readUInt32BE(checksummedBytes + 4) === second
  );
}

function read(descriptor: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  readSync(descriptor, bytes, 0, length, at);
  return bytes;
}
