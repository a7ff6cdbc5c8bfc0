import { pipeline } from "node:stream";
import { constants, createZstdCompress } from "node:zlib";

/** The level of a packed file, which is written once and stored for years. */
const level = 9;

/** Packs the pieces of a file, in memory: some 20 bytes an event. */
export async function packed(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const packer = createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: level } });
  const found: Uint8Array[] = [];
  const chunks: AsyncIterable<Uint8Array> = pipeline(pieces, packer, () => undefined);
  for await (const chunk of chunks) found.push(Uint8Array.from(chunk));
  return Buffer.concat(found);
}
