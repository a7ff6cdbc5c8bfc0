/** A frame of SQLite's write-ahead log: one page as one commit wrote it. */
export interface WalFrame {
  readonly startsAt: number;
  readonly endsCommit: boolean;
}

const headerBytes = 32;
const frameHeaderBytes = 24;

/** The frames that count: those after them are left over from an earlier round of the log and have other salts. */
export function framesOf(wal: Buffer): WalFrame[] {
  const pageBytes = wal.readUInt32BE(8);
  const salts = wal.subarray(16, 24);
  const frames: WalFrame[] = [];
  for (let at = headerBytes; at + frameHeaderBytes + pageBytes <= wal.length; ) {
    if (!wal.subarray(at + 8, at + 16).equals(salts)) break;
    frames.push({ startsAt: at, endsCommit: wal.readUInt32BE(at + 4) !== 0 });
    at += frameHeaderBytes + pageBytes;
  }
  return frames;
}
