import { brokenFile, fileTooLarge, unpackedBytesMax } from "./broken";

/** The ways in which a file or an entry of an archive may be packed; null is plain. */
export type Packing = "gzip" | "zstd" | "deflate-raw" | null;

/** Tells by its first bytes how a file is packed. */
export function packingOf(start: Uint8Array): Packing {
  if (start[0] === 0x1f && start[1] === 0x8b) return "gzip";
  return beginsWith(start, [0x28, 0xb5, 0x2f, 0xfd]) ? "zstd" : null;
}

/** An archive begins with a file, or, if it has none, with its directory. */
export const isZip = (start: Uint8Array): boolean =>
  beginsWith(start, [0x50, 0x4b, 3, 4]) || beginsWith(start, [0x50, 0x4b, 5, 6]);

const beginsWith = (bytes: Uint8Array, signature: readonly number[]): boolean =>
  signature.every((byte, at) => bytes[at] === byte);

/** Counts the bytes of a file, packed and unpacked, while it is read. */
export class ByteMeter {
  #packed = 0;
  #unpacked = 0;
  #pass = { at: 0, of: 1 };

  /** Counts a piece before it is unpacked. */
  packedCounter(): TransformStream<Uint8Array, Uint8Array> {
    return new TransformStream({
      transform: (piece, controller) => {
        this.#packed += piece.byteLength;
        controller.enqueue(piece);
      },
    });
  }
  /** Counts unpacked bytes, and throws where there are more than one upload may have. */
  count(bytes: number): void {
    this.#unpacked += bytes;
    if (this.#unpacked > unpackedBytesMax) throw fileTooLarge();
  }
  startPass(at: number, of: number): void {
    this.#packed = 0;
    this.#unpacked = 0;
    this.#pass = { at, of };
  }
  /** The part of all passes over a file of this size that is done. */
  progress(size: number): number {
    const { at, of } = this.#pass;
    return (at + Math.min(1, this.#packed / size)) / of;
  }
}

/**
 * Unpacks bytes piece by piece. The streams of the runtime take the next packed bytes only when the last ones are used,
 * and refuse data that is cut short or goes on after its end; `node:zlib` takes a Zstandard file that is cut for whole.
 */
export async function* unpacked(
  packed: ReadableStream<Uint8Array>,
  packing: Packing,
  what: string,
): AsyncGenerator<Uint8Array> {
  if (packing === null) return yield* packed;
  try {
    // The types of the platform say that it takes buffers of more kinds than these.
    const unpacking: ReadableWritablePair = new DecompressionStream(packing);
    yield* packed.pipeThrough<Uint8Array>(unpacking);
  } catch {
    throw brokenFile(`${what} is damaged or cut short: it cannot be unpacked. Export it again.`);
  }
}
