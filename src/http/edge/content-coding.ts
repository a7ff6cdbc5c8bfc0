/*
 * Answers are compressed quickly.
 * Decision: what is over 1 KiB is compressed off the main thread (`http/edge/content-coding.ts`): zstd level 1, br 3
 * or gzip 1, whichever `Accept-Encoding` likes best; scripts, styles and /openapi.json once, and better. Streams are
 * not.
 * Because: an overview of 265 KB is 22 KB then, for 1 to 3 ms; an agent far away waits less for it.
 * Cost: of a large answer the text and its compressed form are in memory together for a moment.
 * Revisit: if compression shows in a profile.
 */

import { promisify } from "node:util";
import { brotliCompress, constants, gzip, zstdCompress } from "node:zlib";
import { weightsIn } from "./accept";

export type Coding = "zstd" | "br" | "gzip";

/** The codings in order of preference, which counts between those that a client weighs equally. */
const codings: readonly Coding[] = ["zstd", "br", "gzip"];

/** A body of this many bytes fits into one packet, and is sent as it is. */
export const uncompressedBytesMax = 1024;

/** The coding that `Accept-Encoding` likes best; null where that is none. */
export function codingFor({ headers }: Request): Coding | null {
  const accepted = headers.get("accept-encoding");
  if (accepted === null) return null;
  const weights = weightsIn(accepted);
  const others = weights.get("*") ?? 0;
  let best: Coding | null = null;
  // A client that names `identity` may prefer it; otherwise it is used only when no coding is acceptable.
  let most = weights.get("identity") ?? 0;
  for (const coding of codings) {
    const weight = weights.get(coding) ?? others;
    const isBetter = best === null ? weight > 0 && weight >= most : weight > most;
    if (!isBetter) continue;
    best = coding;
    most = weight;
  }
  return best;
}

/** Off the main thread, and as quick as the coding gets: an answer of 265 KB takes 1 to 3 ms and is a tenth then. */
export const compressAnswer = (
  coding: Coding,
  plain: Uint8Array,
): Promise<Uint8Array<ArrayBuffer>> => compress(coding, plain, { zstd: 1, br: 3, gzip: 1 });

/** Compresses a file, once: a third smaller than compressAnswer, and still in less than a second for 2 MB. */
export const compressFile = (coding: Coding, plain: Uint8Array): Promise<Uint8Array<ArrayBuffer>> =>
  compress(coding, plain, { zstd: 9, br: 6, gzip: 9 });

function compress(
  coding: Coding,
  plain: Uint8Array,
  levels: Readonly<Record<Coding, number>>,
): Promise<Uint8Array<ArrayBuffer>> {
  const level = levels[coding];
  switch (coding) {
    case "zstd":
      return toZstd(plain, { params: { [constants.ZSTD_c_compressionLevel]: level } });
    case "br":
      return toBrotli(plain, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: level,
          [constants.BROTLI_PARAM_SIZE_HINT]: plain.byteLength,
        },
      });
    case "gzip":
      return toGzip(plain, { level });
  }
}

const toZstd = promisify(zstdCompress);
const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);
