import { createHash, type Hash } from "node:crypto";
import { statSync } from "node:fs";
import { parsed } from "./checked-lines";

/** A file of an export that broke off, as far as its lines are whole. */
export interface BegunFile {
  readonly project: string;
  /** The bytes of its whole lines. */
  readonly size: number;
  /** The number of its lines after the first one. */
  readonly count: number;
  /** The id of its last event. */
  readonly lastId: string;
  /** The hash of the whole lines, to go on with. */
  readonly digest: Hash;
}

const newline = 0x0a;
/** A longer line is no line of an export. */
const lineBytesMax = 16 * 1024 * 1024;

/**
 * Returns what a file has of an export that can go on: JSON lines that end with an event. Returns null for every other
 * file, such as one with a last line.
 */
export async function begunFile(path: string, kind: string): Promise<BegunFile | null> {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return null;
  const digest = createHash("sha256");
  const read = { size: 0, lines: 0, first: nothing, second: nothing, last: nothing };
  let rest: Uint8Array = nothing;
  for await (const bytes of Bun.file(path).stream()) {
    const known = rest.byteLength === 0 ? bytes : Buffer.concat([rest, bytes]);
    if (known.byteLength > lineBytesMax) return null;
    const end = known.lastIndexOf(newline) + 1;
    rest = Uint8Array.from(known.subarray(end));
    digest.update(known.subarray(0, end));
    read.size += end;
    for (let at = 0; at < end; ) {
      const next = known.indexOf(newline, at) + 1;
      read.lines++;
      if (read.lines === 1) read.first = Uint8Array.from(known.subarray(at, next));
      if (read.lines === 2) read.second = Uint8Array.from(known.subarray(at, next));
      if (next === end) read.last = Uint8Array.from(known.subarray(at, next));
      at = next;
    }
  }
  const [head, second, last] = [read.first, read.second, read.last].map(parsed);
  if (head?.kind !== "sightline" || head.version !== 1 || last?.kind !== "event") return null;
  // A file of everything begins with what is no event, where there is such a thing.
  if (kind === "events" && second?.kind !== "event") return null;
  return {
    project: String(head.project),
    size: read.size,
    count: read.lines - 1,
    lastId: String(last.id),
    digest,
  };
}

const nothing = new Uint8Array(0);
