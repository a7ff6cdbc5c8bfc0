import { constants, zstdCompressSync } from "node:zlib";
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
 * Returns the text of a frame of a replay, named by its number. `bytes` is the frame's length. Throws DamagedBlob.
 * Bun's own decoder refuses a frame that is cut or whose blocks do not end; that of node:zlib returns what it has so
 * far, without an error. It has no bound of its own: the frame's head says the length, and the decoder holds it to
 * that.
 */
export function unpacked(frame: Uint8Array, replay: number, bytes = frame.length): Buffer {
  if (frame.length !== bytes) throw damaged(replay);
  try {
    const textBytes = contentBytesOf(frame);
    if (textBytes !== null && textBytes <= jsonBytesMax) return Bun.zstdDecompressSync(frame);
  } catch {
    // Its head or its blocks are cut short, or do not match the checksum.
    throw damaged(replay);
  }
  throw damaged(replay);
}

/**
 * The length of the content that the head of a frame states (RFC 8878, 3.1.1.1); ours always do. Null where it states
 * none. Throws a RangeError when the frame ends before.
 */
function contentBytesOf(frame: Uint8Array): number | null {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  const descriptor = view.getUint8(4);
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const at = 5 + (isSingleSegment ? 0 : 1) + dictionaryBytes;
  const width = descriptor >> 6;
  if (width === 1) return view.getUint16(at, true) + 256;
  if (width === 2) return view.getUint32(at, true);
  if (width === 3) return Number(view.getBigUint64(at, true));
  return isSingleSegment ? view.getUint8(at) : null;
}

const damaged = (replay: number): DamagedBlob =>
  new DamagedBlob(`Recording ${replay}: a part is cut short or does not match its checksum.`);

/** Tells contents apart: 52 bits, which a number holds exactly. */
export const hashOf = (json: Uint8Array): number =>
  Number(BigInt.asUintN(52, BigInt(Bun.hash(json))));
