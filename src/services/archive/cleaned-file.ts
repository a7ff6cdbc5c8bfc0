import { createHash } from "node:crypto";
import { pipeline, Readable } from "node:stream";
import { createZstdDecompress } from "node:zlib";
import { LineSum } from "../../reads/export/jsonl";
import { packed } from "./packed";

/** A packed file without the lines of a person. */
export interface CleanedFile {
  readonly bytes: Uint8Array;
  readonly events: number;
}
/** The number of events in a file without those of the person, and the file without them; null where it has none. */
export interface LookedThrough {
  readonly events: number;
  readonly cleaned: CleanedFile | null;
}

/** The fields of an event in a file that say whose it is. */
export interface ArchivedLine {
  readonly id: string;
  readonly user_id: string | null;
}

/** A file cannot be unpacked, or its lines do not match the count and checksum in its last line. */
export class ArchiveDamaged extends Error {}

/** Reads a packed file, and packs it again without the lines of the person. Throws ArchiveDamaged. */
export async function lookThrough(
  file: Uint8Array,
  isErased: (line: ArchivedLine) => boolean,
): Promise<LookedThrough> {
  let erased = 0;
  let events = 0;
  for await (const lines of linesIn(file)) {
    for (const { event } of lines) {
      if (event === null) continue;
      if (isErased(event)) erased++;
      else events++;
    }
  }
  if (erased === 0) return { events, cleaned: null };
  return { events, cleaned: { bytes: await packed(linesWithout(file, isErased)), events } };
}

async function* linesWithout(
  file: Uint8Array,
  isErased: (line: ArchivedLine) => boolean,
): AsyncGenerator<Uint8Array> {
  const sum = new LineSum();
  let lastId: string | null = null;
  for await (const lines of linesIn(file)) {
    const left = lines.filter(({ event }) => event === null || !isErased(event));
    const events = left.flatMap(({ event }) => event ?? []);
    lastId = events.at(-1)?.id ?? lastId;
    yield sum.add(Buffer.concat(left.map(({ bytes }) => bytes)), events.length);
  }
  yield sum.endLine(lastId);
}

interface Line {
  /** With its end of line. */
  readonly bytes: Uint8Array;
  /** Null for the first line. */
  readonly event: ArchivedLine | null;
}
const endOfLine = 10;

/** All lines but the last, in pieces. Throws ArchiveDamaged where the last one does not match them. */
async function* linesIn(file: Uint8Array): AsyncGenerator<readonly Line[]> {
  const digest = createHash("sha256");
  let [rest, count, isOver] = [Buffer.alloc(0), 0, false];
  const chunks: AsyncIterable<Uint8Array> = pipeline(
    Readable.from(piecesOf(file)),
    createZstdDecompress(),
    () => undefined,
  );
  try {
    for await (const chunk of chunks) {
      rest = Buffer.concat([rest, chunk]);
      const lines: Line[] = [];
      for (let end = rest.indexOf(endOfLine); end >= 0; end = rest.indexOf(endOfLine)) {
        const bytes = rest.subarray(0, end + 1);
        rest = rest.subarray(end + 1);
        if (isOver) throw new ArchiveDamaged("the file has lines after its last line");
        const line: OwnLine = JSON.parse(bytes.toString("utf8"));
        if (line.kind === "end") {
          if (line.count !== count || line.sha256 !== digest.digest("hex")) throw otherLines();
          isOver = true;
          continue;
        }
        digest.update(bytes);
        if (line.kind === "event") count++;
        lines.push({ bytes, event: line.kind === "event" ? line : null });
      }
      if (lines.length > 0) yield lines;
    }
  } catch (error) {
    throw error instanceof ArchiveDamaged
      ? error
      : new ArchiveDamaged("the file cannot be unpacked");
  }
  if (!isOver) throw otherLines();
}

interface OwnLine extends ArchivedLine {
  readonly kind: string;
  /** The last line has these. */
  readonly count?: number;
  readonly sha256?: string;
}

const otherLines = (): ArchiveDamaged =>
  new ArchiveDamaged("the lines of the file do not match its last line");

const pieceBytes = 64 * 1024;
/** The packed file in pieces, so that other work goes on between them. */
function* piecesOf(file: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < file.length; at += pieceBytes) yield file.subarray(at, at + pieceBytes);
}
