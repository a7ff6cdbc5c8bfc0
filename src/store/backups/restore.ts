import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { folderName } from "../replay-places";
import { type Catalogue, recordingsOf } from "./catalogue";
import type { DatabaseCopy, Manifest } from "./manifest";
import { pagesIn } from "./page-object";

/** How far a restore is, for people who wait. */
export interface RestoreProgress {
  readonly objects: number;
  readonly ofObjects: number;
  readonly bytes: number;
}

/**
 * Writes the databases and recordings of a point into a folder that is there and empty. Throws PointDamaged, WrongKey
 * or TargetFailed, and leaves what it has written: the caller removes it.
 */
export async function restoreInto(
  folder: string,
  chain: readonly Manifest[],
  catalogue: Catalogue,
  progress: (now: RestoreProgress) => void = () => undefined,
): Promise<RestoreProgress> {
  const recordings = recordingsOf(chain);
  const copies = chain.flatMap(({ databases }) => databases);
  const ofObjects = copies.flatMap(({ objects }) => objects).length + recordings.length;
  let now: RestoreProgress = { objects: 0, ofObjects, bytes: 0 };
  const count = (bytes: number): void => {
    now = { ofObjects, objects: now.objects + 1, bytes: now.bytes + bytes };
    progress(now);
  };
  for (const copy of copies) await writePages(folder, copy, catalogue, count);
  mkdirSync(join(folder, folderName), { recursive: true });
  for (const one of recordings) {
    const bytes = await catalogue.object(one);
    writeDurably(join(folder, folderName, String(one.number)), bytes);
    count(one.bytes);
  }
  for (const path of [join(folder, folderName), folder]) sync(path);
  return now;
}

/** Writes the pages over those of the points before; the file has the length that it had at the moment. */
async function writePages(
  folder: string,
  { file, pageBytes, pages, objects }: DatabaseCopy,
  catalogue: Catalogue,
  count: (bytes: number) => void,
): Promise<void> {
  const path = join(folder, file);
  const descriptor = openSync(path, existsSync(path) ? "r+" : "w+");
  try {
    for (const object of objects) {
      for (const { page, bytes } of pagesIn(await catalogue.object(object))) {
        writeSync(descriptor, bytes, 0, bytes.byteLength, (page - 1) * pageBytes);
      }
      count(object.bytes);
    }
    ftruncateSync(descriptor, pages * pageBytes);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function writeDurably(path: string, bytes: Uint8Array): void {
  writeFileSync(path, bytes);
  sync(path);
}

function sync(path: string): void {
  if (process.platform === "win32") return;
  const descriptor = openSync(path, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}
