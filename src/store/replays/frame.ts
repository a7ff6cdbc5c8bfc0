import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { segmentJsonBytesMax } from "../../domain/replay/limits";

const level = 3;
/** Cleaning may make a text longer, such as a picture that is given a source. */
const jsonBytesMax = 4 * segmentJsonBytesMax;

const options = {
  params: {
    [constants.ZSTD_c_compressionLevel]: level,
    [constants.ZSTD_c_checksumFlag]: 1,
  },
};

/** How texts of recordings are kept. A frame knows whether it is damaged. */
export const packed = (json: Uint8Array): Buffer<ArrayBuffer> => zstdCompressSync(json, options);

export const unpacked = (frame: Uint8Array): Buffer =>
  zstdDecompressSync(frame, { maxOutputLength: jsonBytesMax });

/** Tells contents apart: 52 bits, which a number holds exactly. */
export const hashOf = (json: Uint8Array): number =>
  Number(BigInt.asUintN(52, BigInt(Bun.hash(json))));
