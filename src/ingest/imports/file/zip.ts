/*
 * yauzl reads the directory of an archive, the runtime unpacks its entries.
 * Decision: yauzl finds the entries of a zip file and where each begins. Entries are cut out of the file by that,
 * unpacked by the runtime's streams, and held to their size and checksum here.
 * Because: yauzl reads one entry of the directory at a time, knows zip64, and refuses names that leave the archive. Its
 * own streams unpack at a fifth of the speed.
 * Cost: two small packages.
 * Revisit: when the runtime reads archives itself.
 */

import { type Entry, openPromise, type ZipFile } from "yauzl";
import { brokenFile, fileTooLarge, unpackedBytesMax } from "./broken";
import type { FileEntry } from "./opened-file";
import { type ByteMeter, unpacked } from "./unpack";

/** The entries of one archive: a product that writes a file a day has written fewer in 25 years. */
const archiveEntriesMax = 10_000;
const entryNameCharsMax = 512;

/** Lists the files of an archive. Throws IMPORT_BROKEN for one that is damaged or that nobody made in good faith. */
export async function zipEntries(path: string, meter: ByteMeter): Promise<readonly FileEntry[]> {
  const zip = await openZip(path);
  try {
    if (zip.entryCount > archiveEntriesMax) throw tooManyEntries(zip.entryCount);
    const entries: Entry[] = [];
    for await (const entry of directoryOf(zip)) if (isFile(entry)) entries.push(entry);
    checkTogether(entries);
    const placed: FileEntry[] = [];
    for (const entry of entries) placed.push(await placedEntry(path, zip, entry, meter));
    return placed;
  } finally {
    zip.close();
  }
}

async function openZip(path: string): Promise<ZipFile> {
  try {
    return await openPromise(path, { autoClose: false });
  } catch {
    throw brokenFile("The archive is cut short or damaged: it has no directory. Upload it again.");
  }
}

async function* directoryOf(zip: ZipFile): AsyncGenerator<Entry> {
  let number = 0;
  try {
    for await (const entry of zip.eachEntry()) {
      number++;
      yield entry;
    }
  } catch {
    throw brokenFile(
      `Entry ${number + 1} of the archive is damaged, or its name leads out of the archive.`,
    );
  }
}

/** Folders are no files, and neither are the notes that some systems add. */
function isFile({ fileName }: Entry): boolean {
  return !fileName.endsWith("/") && !/(?:^|\/)(?:__MACOSX\/|\.)/.test(fileName);
}

const tooManyEntries = (count: number) =>
  brokenFile(`The archive has ${count} entries. It may have at most ${archiveEntriesMax}.`);

function checkTogether(entries: readonly Entry[]): void {
  const names = new Set<string>();
  let bytes = 0;
  for (const [index, { fileName, uncompressedSize }] of entries.entries()) {
    if (fileName.length > entryNameCharsMax || names.has(fileName)) {
      throw brokenFile(
        `File ${index + 1} of the archive has a name that is too long or not its own.`,
      );
    }
    names.add(fileName);
    bytes += uncompressedSize;
  }
  if (bytes > unpackedBytesMax) throw fileTooLarge();
}

/** Finds the bytes of an entry in the file. */
async function placedEntry(
  path: string,
  zip: ZipFile,
  entry: Entry,
  meter: ByteMeter,
): Promise<FileEntry> {
  const name = nameOf(entry);
  const what = `${JSON.stringify(name)} in the archive`;
  if (!entry.canDecodeFileData()) {
    throw brokenFile(`${what} is encrypted, or packed in a way other than deflate. Pack it again.`);
  }
  const start = await startOf(zip, entry, what);
  const part = Bun.file(path).slice(start, start + entry.compressedSize);
  const packing = entry.isCompressed() ? "deflate-raw" : null;
  const packed = () => part.stream().pipeThrough(meter.packedCounter());
  return { name, read: () => verified(unpacked(packed(), packing, what), entry, what) };
}

const nameOf = ({ fileName }: Entry): string => fileName.slice(fileName.lastIndexOf("/") + 1);

async function startOf(zip: ZipFile, entry: Entry, what: string): Promise<number> {
  try {
    return (await zip.readLocalFileHeaderPromise(entry, { minimal: true })).fileDataStart;
  } catch {
    throw brokenFile(`${what} does not lie where the archive says. Upload the archive again.`);
  }
}

/** Holds an entry to the size and the checksum that the archive names. */
async function* verified(
  bytes: AsyncIterable<Uint8Array>,
  { uncompressedSize, crc32 }: Entry,
  what: string,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  let checksum = 0;
  for await (const piece of bytes) {
    size += piece.byteLength;
    if (size > uncompressedSize) break;
    checksum = Bun.hash.crc32(piece, checksum);
    yield piece;
  }
  if (size !== uncompressedSize || checksum !== crc32) {
    throw brokenFile(`${what} is damaged: it is not as long or not the same as the archive says.`);
  }
}
