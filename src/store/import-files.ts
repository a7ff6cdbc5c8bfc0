import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { log } from "../lib/log";
import { StorageFailed } from "./protocol/failure";
import { systemCodeOf } from "./refused";

/** The bytes that are read at a time, so that other work comes in between. */
const readBytes = 1024 * 1024;

/** The uploaded files, each in a folder of its import, which has all that is made of it. */
export class ImportFiles {
  private readonly root: string;

  constructor(dataDir: string) {
    this.root = join(dataDir, importsFolder);
  }

  folderOf(id: string): string {
    return join(this.root, id);
  }
  pathOf(id: string): string {
    return join(this.folderOf(id), "file");
  }
  /** Tells whether the first bytes of the file are there. */
  has(id: string, bytes: number): boolean {
    return bytes === 0 || (existsSync(this.pathOf(id)) && statSync(this.pathOf(id)).size >= bytes);
  }

  /** Writes a part at its place. It is on the disk when this resolves. Throws StorageFailed where there is no room. */
  async write(id: string, offset: number, bytes: Uint8Array): Promise<void> {
    try {
      await this.#write(id, offset, bytes);
    } catch (error) {
      const cause = systemCodeOf(error);
      if (cause === null) throw error;
      log("error", "a part of an upload was not stored", { cause });
      throw new StorageFailed(cause);
    }
  }

  async #write(id: string, offset: number, bytes: Uint8Array): Promise<void> {
    mkdirSync(this.folderOf(id), { recursive: true });
    // This overwrites bytes behind the offset that a write left when it was cut off.
    const file = await open(this.pathOf(id), existsSync(this.pathOf(id)) ? "r+" : "w");
    try {
      for (let at = 0; at < bytes.length; ) {
        const { bytesWritten } = await file.write(bytes, at, bytes.length - at, offset + at);
        at += bytesWritten;
      }
      await file.sync();
    } finally {
      await file.close();
    }
    if (offset === 0) await syncFolder(this.folderOf(id));
  }

  /** Yields the bytes from a place to another one. */
  async *read(id: string, from: number, to: number): AsyncGenerator<Uint8Array> {
    const file = await open(this.pathOf(id), "r");
    try {
      for (let at = from; at < to; ) {
        const buffer = new Uint8Array(Math.min(readBytes, to - at));
        const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
        if (bytesRead === 0) return;
        yield buffer.subarray(0, bytesRead);
        at += bytesRead;
      }
    } finally {
      await file.close();
    }
  }

  remove(id: string): void {
    rmSync(this.folderOf(id), { recursive: true, force: true });
  }
  /** Removes the folders of all other imports. */
  removeOthers(ids: ReadonlySet<string>): void {
    if (!existsSync(this.root)) return;
    for (const name of readdirSync(this.root)) if (!ids.has(name)) this.remove(name);
  }
}

/** The folder beside the databases. */
const importsFolder = "imports";

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
