import { statfsSync } from "node:fs";

/** The bytes that the disk of a folder has left for this user. */
export function freeBytesIn(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
