import { statfsSync } from "node:fs";
import { statfs } from "node:fs/promises";

/** The bytes that the disk of a folder has left for this user. */
export function freeBytesIn(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** The room on a file system: what is left for this user, and all of it. */
export interface DiskRoom {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/** Does not hold the thread while a disk hangs. */
export async function roomIn(folder: string): Promise<DiskRoom> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}
