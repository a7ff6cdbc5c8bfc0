import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { segmentJsonBytesMax } from "../../domain/replay/limits";
import { DamagedBlob } from "../damage";

/** Level 3 takes up to twice the time: 2 % less of a page full of text, 3 to 24 % more of one that repeats itself. */
const level = 1;
/** Cleaning may make a text longer, such as a picture that is given a source. */
const jsonBytesMax = 4 * segmentJsonBytesMax;

const options = {
  params: {
    [constants.ZSTD_c_compressionLevel]: level,
    [constants.ZSTD_c_checksumFlag]: 1,
  },
};

/** Compresses the text of a recording to a frame, which has a checksum. */
export const packed = (json: Uint8Array): Buffer<ArrayBuffer> => zstdCompressSync(json, options);

/**
 * Returns the text of a frame of a replay, named by its number. `bytes` is the frame's length, as its end could be lost
 * without the decoder noticing. Throws DamagedBlob.
 */
export function unpacked(frame: Uint8Array, replay: number, bytes = frame.length): Buffer {
  if (frame.length !== bytes) throw damaged(replay);
  try {
    return zstdDecompressSync(frame, { maxOutputLength: jsonBytesMax });
  } catch {
    throw damaged(replay);
  }
}

const damaged = (replay: number): DamagedBlob =>
  new DamagedBlob(`Recording ${replay}: a part is cut short or does not match its checksum.`);

/** Tells contents apart: 52 bits, which a number holds exactly. */
export const hashOf = (json: Uint8Array): number =>
  Number(BigInt.asUintN(52, BigInt(Bun.hash(json))));
