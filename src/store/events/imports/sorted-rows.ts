import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Hash } from "../segment/hash";

/** An event of a file on its way to its place in the order of times. */
export interface SortedRow {
  /** The order: by time, and what is of one time in the order of the file. */
  readonly orderMs: number;
  /** The number of the row among those that may be stored, from 0. */
  readonly ordinal: number;
  /** The key that identifies a repeat of a row (seen-keys.ts). */
  readonly key: Hash;
  readonly user: string | null;
  /** The event as segments of rows have it (shared/event-line.ts). */
  readonly line: string;
}

/** The text that is sorted in memory; what is more lies on the disk in runs. */
const runCharsMax = 4 * 1024 * 1024;
const readBytes = 64 * 1024;
const rowsPerPiece = 1_024;
const lineFeed = 10;

/** Rows in the order of their times, of which any number takes the memory of one run. */
export class SortedRows {
  private rows: SortedRow[] = [];
  private chars = 0;
  private readonly runs: string[] = [];

  constructor(private readonly folder: string) {}

  add(row: SortedRow): void {
    this.rows.push(row);
    this.chars += row.line.length;
    if (this.chars > runCharsMax) this.writeRun();
  }

  /** Yields all rows in order, in pieces. Nothing can be added then. */
  *pieces(): Generator<readonly SortedRow[]> {
    if (this.runs.length === 0) {
      this.rows.sort(inOrder);
      for (let at = 0; at < this.rows.length; at += rowsPerPiece) {
        yield this.rows.slice(at, at + rowsPerPiece);
      }
      return;
    }
    if (this.rows.length > 0) this.writeRun();
    const heap = new RunHeap(this.runs.map((path) => new Run(path)));
    try {
      for (let piece: SortedRow[] = []; ; piece = []) {
        for (let row = heap.take(); row !== null; row = heap.take()) {
          if (piece.push(row) === rowsPerPiece) break;
        }
        if (piece.length === 0) return;
        yield piece;
      }
    } finally {
      heap.close();
    }
  }

  private writeRun(): void {
    const path = join(this.folder, `run-${this.runs.length}`);
    this.rows.sort(inOrder);
    const file = openSync(path, "w");
    try {
      for (let at = 0; at < this.rows.length; at += rowsPerPiece) {
        writeAll(
          file,
          this.rows
            .slice(at, at + rowsPerPiece)
            .map(textOf)
            .join(""),
        );
      }
    } finally {
      closeSync(file);
    }
    this.runs.push(path);
    this.rows = [];
    this.chars = 0;
    Bun.gc(true); // The rows are most of the heap, which would grow to a multiple of them.
  }
}

const inOrder = (a: SortedRow, b: SortedRow): number =>
  a.orderMs - b.orderMs || a.ordinal - b.ordinal;

/** No part of it holds a tab or a line feed: JSON escapes them. */
const textOf = ({ orderMs, ordinal, key: [high, low], user, line }: SortedRow): string =>
  `${orderMs}\t${ordinal}\t${high}\t${low}\t${user === null ? "" : JSON.stringify(user)}\t${line}\n`;

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

/** A run that is read from its beginning to its end. */
class Run {
  private readonly file: number;
  private rest = Buffer.alloc(0);
  private lines: string[] = [];
  private at = 0;
  head: SortedRow | null;

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

  private read(): SortedRow | null {
    if (this.at === this.lines.length && !this.fill()) return null;
    return rowOf(this.lines[this.at++]);
  }
  /** Reads more until there is a whole line; false at the end. */
  private fill(): boolean {
    for (;;) {
      const bytes = Buffer.allocUnsafe(readBytes);
      const read = readSync(this.file, bytes, 0, readBytes, null);
      if (read === 0) return false;
      const all = Buffer.concat([this.rest, bytes.subarray(0, read)]);
      const end = all.lastIndexOf(lineFeed);
      this.rest = all.subarray(end + 1);
      if (end < 0) continue;
      this.lines = all.toString("utf8", 0, end).split("\n");
      this.at = 0;
      return true;
    }
  }
}

/** Takes the first of the heads of some runs again and again. */
class RunHeap {
  private readonly heap: Run[];

  constructor(private readonly runs: readonly Run[]) {
    this.heap = runs.filter(({ head }) => head !== null);
    for (let at = (this.heap.length >> 1) - 1; at >= 0; at--) this.sink(at);
  }
  take(): SortedRow | null {
    const [first] = this.heap;
    if (first === undefined) return null;
    const row = first.head;
    first.advance();
    if (first.head === null) {
      const last = this.heap.pop();
      if (last !== undefined && this.heap.length > 0) this.heap[0] = last;
    }
    this.sink(0);
    return row;
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
