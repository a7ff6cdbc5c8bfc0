/*
 * Open recordings are rows, closed ones files.
 * Decision: segments are rows of replays.db while their replay is open; then one file takes them and is never changed.
 * Because: a group of segments shares one fsync, the database stays small, and a deleted replay gives its space back
 * at once.
 * Cost: each byte is written twice; a crash between the two leaves a file that the next start removes.
 * Revisit: when files no longer fit one folder.
 */

import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { ApiError } from "../../domain/errors";

/** The folder of closed recordings: one file each, named by its number and never changed once it has that name. */
export class ReplayFiles {
  constructor(private readonly folder: string) {}

  make(): void {
    mkdirSync(this.folder, { recursive: true });
  }

  /** Writes frames one after another. The file is on the disk, whole, when this returns. Returns its bytes. */
  write(number: number, frames: Iterable<Uint8Array>): number {
    const path = this.#pathOf(number);
    const unfinished = `${path}.part`;
    let bytes = 0;
    try {
      const file = openSync(unfinished, "w", 0o600);
      try {
        for (const frame of frames) {
          for (let at = 0; at < frame.length; ) at += writeSync(file, frame, at);
          bytes += frame.length;
        }
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(unfinished, path);
    } catch (error) {
      rmSync(unfinished, { force: true });
      throw error;
    }
    this.#syncFolder();
    return bytes;
  }

  /** Returns the size of a file, or null when there is none. */
  bytesOf(number: number): number | null {
    const path = this.#pathOf(number);
    return existsSync(path) ? statSync(path).size : null;
  }

  /** Throws NOT_FOUND when it was erased meanwhile. */
  open(number: number): ReplayFile {
    const path = this.#pathOf(number);
    try {
      return new ReplayFile(openSync(path, "r"));
    } catch (error) {
      if (existsSync(path)) throw error;
      throw new ApiError("NOT_FOUND", "This replay was deleted.");
    }
  }

  remove(number: number): void {
    rmSync(this.#pathOf(number), { force: true });
  }

  /** Removes what is no file of these numbers: what a crash left behind. */
  keepOnly(numbers: ReadonlySet<number>): void {
    for (const name of readdirSync(this.folder)) {
      const isWanted = /^[1-9]\d*$/.test(name) && numbers.has(Number(name));
      if (!isWanted) rmSync(join(this.folder, name), { force: true, recursive: true });
    }
  }

  #pathOf(number: number): string {
    return join(this.folder, String(number));
  }

  /** Makes a new name last. Systems that cannot sync a folder do not need it. */
  #syncFolder(): void {
    if (process.platform === "win32") return;
    const folder = openSync(this.folder, "r");
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  }
}

export class ReplayFile {
  constructor(private readonly file: number) {}

  read(place: number, bytes: number): Uint8Array {
    const frame = Buffer.alloc(bytes);
    let at = 0;
    while (at < bytes) {
      const count = readSync(this.file, frame, at, bytes - at, place + at);
      if (count === 0) break;
      at += count;
    }
    return frame.subarray(0, at);
  }

  close(): void {
    closeSync(this.file);
  }
}
