import { gzipSync } from "node:zlib";

/** One file of an archive. */
export interface ArchivedFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly isExecutable: boolean;
}

const blockBytes = 512;
const pathBytesMax = 100;

/** Makes a tar.gz whose bytes depend on the files and the time alone: no owner, no order of a disk, no clock. */
export function archiveOf(files: readonly ArchivedFile[], timeSeconds: number): Uint8Array {
  const sorted = [...files].sort((a, b) => (a.path < b.path ? -1 : 1));
  const blocks = sorted.flatMap((file) => [
    headerOf(file, timeSeconds),
    file.bytes,
    Buffer.alloc((blockBytes - (file.bytes.length % blockBytes)) % blockBytes),
  ]);
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)]), { level: 9 });
}

/** The header of POSIX ustar. */
function headerOf({ path, bytes, isExecutable }: ArchivedFile, timeSeconds: number): Buffer {
  if (Buffer.byteLength(path) > pathBytesMax) throw new Error(`The path ${path} is too long.`);
  const header = Buffer.alloc(blockBytes);
  const octal = (value: number, at: number, length: number): void => {
    header.write(`${value.toString(8).padStart(length - 1, "0")}\0`, at);
  };
  header.write(path, 0);
  octal(isExecutable ? 0o755 : 0o644, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(bytes.length, 124, 12);
  octal(timeSeconds, 136, 12);
  header.write("        ", 148);
  header.write("0", 156);
  header.write("ustar\x0000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}
