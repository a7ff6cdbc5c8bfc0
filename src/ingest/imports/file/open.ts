import { brokenFile } from "./broken";
import type { FileEntry, OpenedFile } from "./opened-file";
import { ByteMeter, isZip, packingOf, unpacked } from "./unpack";
import { zipEntries } from "./zip";

/** The bytes of a file by which it is known how it is packed. */
const signatureBytes = 4;

/** A file beside the upload, which a process that was killed may leave. */
const scratchEnding = "-scratch";

/** The bytes that are handed over at once: what is made of them is a moment's work. */
const pieceBytes = 256 * 1024;

/** Opens an uploaded file, however it is packed. Throws IMPORT_BROKEN for an archive that cannot be read. */
export async function openImportFile(path: string): Promise<OpenedFile> {
  const file = Bun.file(path);
  if (file.size === 0) throw brokenFile("The file is empty.");
  const meter = new ByteMeter();
  const start = await file.slice(0, signatureBytes).bytes();
  const isArchive = isZip(start);
  const entries = isArchive ? await zipEntries(path, meter) : [plainEntry(path, meter)];
  return {
    isArchive,
    scratchPath: `${path}${scratchEnding}`,
    entries: entries.map(({ name, read }) => ({ name, read: () => counted(read(), meter) })),
    startPass: (at, of) => meter.startPass(at, of),
    progress: () => meter.progress(file.size),
  };
}

/** A file that is no archive: plain, or packed as a whole. */
function plainEntry(path: string, meter: ByteMeter): FileEntry {
  return { name: "", read: () => readPlain(path, meter) };
}

async function* readPlain(path: string, meter: ByteMeter): AsyncGenerator<Uint8Array> {
  const file = Bun.file(path);
  const packing = packingOf(await file.slice(0, signatureBytes).bytes());
  const packed = file.stream().pipeThrough(meter.packedCounter());
  yield* unpacked(packed, packing, "The file");
}

async function* counted(
  bytes: AsyncIterable<Uint8Array>,
  meter: ByteMeter,
): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    meter.count(piece.byteLength);
    for (let at = 0; at < piece.byteLength; at += pieceBytes) {
      yield piece.subarray(at, at + pieceBytes);
    }
  }
}
