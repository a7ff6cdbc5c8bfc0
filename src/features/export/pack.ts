import { pipeline, type Transform } from "node:stream";
import { constants, createGzip, createZstdCompress } from "node:zlib";
import type { ExportCompression } from "./schema";

/** The bytes that are packed before they are handed over. */
const chunkSize = 256 * 1024;

/** Packs a file on its way, as one member that any unpacker reads to its end. */
export function packed(
  plain: AsyncIterable<Uint8Array>,
  compress: ExportCompression,
): AsyncIterable<Uint8Array> {
  if (compress === "none") return plain;
  return chunksOf(plain, packers[compress]());
}

async function* chunksOf(
  plain: AsyncIterable<Uint8Array>,
  packer: Transform,
): AsyncGenerator<Uint8Array> {
  // A failure of the file ends the packer with the same error, which its reader meets.
  const chunks: AsyncIterable<Uint8Array> = pipeline(plain, packer, () => undefined);
  // The packer goes on to use the buffer of a chunk, and whoever takes the file may hand its buffers over.
  for await (const chunk of chunks) yield Uint8Array.from(chunk);
}

const packers = {
  gzip: () => createGzip({ level: 1, chunkSize }),
  zstd: () => createZstdCompress({ chunkSize, params: { [constants.ZSTD_c_compressionLevel]: 1 } }),
};
