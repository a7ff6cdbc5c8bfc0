import { readSync } from "node:fs";

/*
 * The write-ahead log of SQLite as a file: https://www.sqlite.org/fileformat2.html#walformat
 * It has a header and then frames; each frame is a header and a page. A log that starts over is overwritten from its
 * first frame on, with the first of its two salts one higher.
 */

const headerBytes = 32;
const frameHeaderBytes = 24;

/** The two random numbers that every frame of one run of a log repeats. The first counts the runs. */
export interface Salts {
  readonly first: number;
  readonly second: number;
}

/** The salts in the header of a log; null while the log has no header. */
export function saltsOf(log: number): Salts | null {
  const header = Buffer.alloc(headerBytes);
  if (readSync(log, header, 0, headerBytes, 0) < headerBytes) return null;
  return { first: header.readUInt32BE(16), second: header.readUInt32BE(20) };
}

export const areEqual = (left: Salts, right: Salts): boolean =>
  left.first === right.first && left.second === right.second;

/** How many times a log started over between two runs. */
export const runsBetween = (earlier: Salts, later: Salts): number =>
  (later.first - earlier.first) >>> 0;

const placeOf = (frame: number, pageBytes: number): number =>
  headerBytes + (frame - 1) * (frameHeaderBytes + pageBytes);

/** The number of the page that a frame, counted from 1, holds; null when the frame is not of this run. */
export function pageOfFrame(
  log: number,
  frame: number,
  { salts, pageBytes }: { readonly salts: Salts; readonly pageBytes: number },
): number | null {
  const header = Buffer.alloc(frameHeaderBytes);
  const bytes = readSync(log, header, 0, frameHeaderBytes, placeOf(frame, pageBytes));
  if (bytes < frameHeaderBytes) return null;
  const own = { first: header.readUInt32BE(8), second: header.readUInt32BE(12) };
  return areEqual(own, salts) ? header.readUInt32BE(0) : null;
}

/**
 * Reads the page in a frame. Returns false when the frame is not of this run any more: SQLite writes the header of a
 * frame before the page, so a header that is still the old one after the page was read says that the page was, too.
 */
export function readFrame(log: number, frame: number, salts: Salts, into: Uint8Array): boolean {
  const pageBytes = into.byteLength;
  const place = placeOf(frame, pageBytes) + frameHeaderBytes;
  if (readSync(log, into, 0, pageBytes, place) < pageBytes) return false;
  return pageOfFrame(log, frame, { salts, pageBytes }) !== null;
}
