import { closeSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Hash } from "../segment/hash";

/** An event of a file, to be sorted by time. */
export interface SortedRow {
  /** Rows are sorted by this time; rows of equal times stay in the order of the file. */
  readonly orderMs: number;
  /** The number of the row among those that may be stored, from 0. */
  readonly ordinal: number;
  /** The key that identifies a repeat of a row (seen-keys.ts). */
  readonly key: Hash;
  readonly user: string | null;
  /** The event as segments of rows have it (shared/event-line.ts). */
  readonly line: string;
}

export interface SortSizes {
  /** The text that is sorted in memory; the rest lies on the disk in runs. */
  readonly runCharsMax: number;
  /** Runs of one size that are merged into one of the next size: each takes some buffers while it is read. */
  readonly runsMergedMax: number;
}
const usualSizes: SortSizes = { runCharsMax: 2 * 1024 * 1024, runsMergedMax: 32 };
/** After this many bytes of text garbage is collected, as the heap would otherwise grow to a multiple of them. */
const garbageCharsMax = 8 * 1024 * 1024;
const readBytes = 32 * 1024;
const rowsPerPiece = 1_024;
const lineFeed = 10;

/**
 * Sorts rows by time (external merge sort). Any number of rows takes the memory of one new run, and of `runsMergedMax`
 * runs of each size that are read. A file of 16 GiB has runs of three sizes.
 */
export class SortedRows {
  private rows: SortedRow[] = [];
  private chars = 0;
  /** The runs by size, smallest first: each of a place was merged from `runsMergedMax` of the place before. */
  private readonly runs: string[][] = [[]];
  private runsWritten = 0;

  constructor(
    private readonly folder: string,
    private readonly sizes: SortSizes = usualSizes,
  ) {}

  add(row: SortedRow): void {
    this.rows.push(row);
    this.chars += row.line.length;
    if (this.chars > this.sizes.runCharsMax) this.sortIntoRun();
  }

  /** Yields all rows in order, in pieces. Call it after the last row. */
  *pieces(): Generator<readonly SortedRow[]> {
    if (this.runsWritten === 0) {
      this.rows.sort(inOrder);
      for (let at = 0; at < this.rows.length; at += rowsPerPiece) {
        yield this.rows.slice(at, at + rowsPerPiece);
      }
      return;
    }
    if (this.rows.length > 0) this.sortIntoRun();
    for (const texts of mergedTexts(this.runs.flat())) yield texts.map(rowOf);
  }

  private sortIntoRun(): void {
    this.rows.sort(inOrder);
    this.addRun(0, inPieces(this.rows));
    this.rows = [];
    this.chars = 0;
    Bun.gc(true);
  }
  /** Writes a run. If there are many of its size, it merges them into one of the next size. */
  private addRun(size: number, pieces: Iterable<readonly string[]>): void {
    this.runs[size] ??= [];
    const runs = this.runs[size];
    runs.push(writeRun(join(this.folder, `run-${this.runsWritten++}`), pieces));
    if (runs.length < this.sizes.runsMergedMax) return;
    this.addRun(size + 1, mergedTexts(runs));
    for (const path of runs.splice(0)) rmSync(path);
  }
}

function* inPieces(rows: readonly SortedRow[]): Generator<readonly string[]> {
  for (let at = 0; at < rows.length; at += rowsPerPiece) {
    yield rows.slice(at, at + rowsPerPiece).map(textOf);
  }
}

/** Returns the path, when all is written. */
function writeRun(path: string, pieces: Iterable<readonly string[]>): string {
  const file = openSync(path, "w");
  let chars = 0;
  try {
    for (const texts of pieces) {
      const text = texts.map((one) => `${one}\n`).join("");
      writeAll(file, text);
      chars += text.length;
      if (chars < garbageCharsMax) continue;
      chars = 0;
      Bun.gc(true);
    }
  } finally {
    closeSync(file);
  }
  return path;
}

/** Merges some runs, and yields their rows in order, in pieces. */
function* mergedTexts(paths: readonly string[]): Generator<readonly string[]> {
  const heap = new RunHeap(paths.map((path) => new Run(path)));
  try {
    for (let piece: string[] = []; ; piece = []) {
      for (let text = heap.take(); text !== null; text = heap.take()) {
        if (piece.push(text) === rowsPerPiece) break;
      }
      if (piece.length === 0) return;
      yield piece;
    }
  } finally {
    heap.close();
  }
}

interface Place {
  readonly orderMs: number;
  readonly ordinal: number;
}
const inOrder = (a: Place, b: Place): number => a.orderMs - b.orderMs || a.ordinal - b.ordinal;

/** No part of it holds a tab or a line feed: JSON escapes them. */
const textOf = ({ orderMs, ordinal, key: [high, low], user, line }: SortedRow): string =>
  `${orderMs}\t${ordinal}\t${high}\t${low}\t${user === null ? "" : JSON.stringify(user)}\t${line}`;

function rowOf(text: string): SortedRow {
  let from = 0;
  const next = (): string => {
    const to = text.indexOf("\t", from);
    const part = text.slice(from, to);
    from = to + 1;
    return part;
  };
  const [orderMs, ordinal, high, low] = [next(), next(), next(), next()].map(Number) as [
    number,
    number,
    number,
    number,
  ];
  const user = next();
  const key = [high, low] as const;
  const line = text.slice(from);
  return { orderMs, ordinal, key, user: user === "" ? null : JSON.parse(user), line };
}

function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}

/** The next row of a run, of which only the place in the order is parsed yet. */
interface Head extends Place {
  readonly text: string;
}

function headOf(text: string): Head {
  const end = text.indexOf("\t");
  const orderMs = Number(text.slice(0, end));
  return { orderMs, ordinal: Number(text.slice(end + 1, text.indexOf("\t", end + 1))), text };
}

/** A run that is read from its beginning to its end. */
class Run {
  private readonly file: number;
  /** The bytes that were read. They begin with a line whose end was not read yet. */
  private buffer = Buffer.allocUnsafe(readBytes);
  private kept = 0;
  private lines: string[] = [];
  private at = 0;
  head: Head | null;

  constructor(path: string) {
    this.file = openSync(path, "r");
    this.head = this.read();
  }
  advance(): void {
    this.head = this.read();
  }
  close(): void {
    closeSync(this.file);
  }

  private read(): Head | null {
    if (this.at === this.lines.length && !this.fill()) return null;
    return headOf(this.lines[this.at++]);
  }
  /** Reads until there is a whole line. Returns false at the end. */
  private fill(): boolean {
    for (;;) {
      if (this.kept === this.buffer.length) this.widen();
      const { buffer, kept } = this;
      const read = readSync(this.file, buffer, kept, buffer.length - kept, null);
      if (read === 0) return false;
      const filled = kept + read;
      const end = buffer.subarray(0, filled).lastIndexOf(lineFeed);
      this.kept = filled - (end + 1);
      if (end < 0) continue;
      this.lines = buffer.toString("utf8", 0, end).split("\n");
      this.at = 0;
      buffer.copyWithin(0, end + 1, filled);
      return true;
    }
  }
  private widen(): void {
    const wider = Buffer.allocUnsafe(2 * this.buffer.length);
    this.buffer.copy(wider);
    this.buffer = wider;
  }
}

/** A heap of runs by their heads. */
class RunHeap {
  private readonly heap: Run[];

  constructor(private readonly runs: readonly Run[]) {
    this.heap = runs.filter(({ head }) => head !== null);
    for (let at = (this.heap.length >> 1) - 1; at >= 0; at--) this.sink(at);
  }
  take(): string | null {
    const [first] = this.heap;
    if (first === undefined) return null;
    const text = first.head?.text ?? null;
    first.advance();
    if (first.head === null) {
      const last = this.heap.pop();
      if (last !== undefined && this.heap.length > 0) this.heap[0] = last;
    }
    this.sink(0);
    return text;
  }
  close(): void {
    for (const run of this.runs) run.close();
  }

  private sink(from: number): void {
    const { heap } = this;
    for (let at = from; ; ) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < heap.length && isBefore(heap[child], heap[least])) least = child;
      }
      if (least === at) return;
      [heap[at], heap[least]] = [heap[least], heap[at]];
      at = least;
    }
  }
}

const isBefore = (a: Run, b: Run): boolean => inOrder(a.head!, b.head!) < 0;
