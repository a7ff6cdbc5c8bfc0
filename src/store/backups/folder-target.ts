import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { type Target, TargetFailed } from "./target";

const partSuffix = ".part";

/** A folder, of this machine or mounted. Objects get their names once they are on the disk. */
export class FolderTarget implements Target {
  constructor(private readonly folder: string) {}

  async put(name: string, bytes: Uint8Array): Promise<void> {
    const path = this.#pathOf(name);
    await this.#wrapped(async () => {
      mkdirSync(dirname(path), { recursive: true });
      const part = await open(path + partSuffix, "w");
      try {
        await part.writeFile(bytes);
        await part.sync();
      } finally {
        await part.close();
      }
      renameSync(path + partSuffix, path);
      await syncFolder(dirname(path));
    });
  }

  async get(name: string): Promise<Uint8Array | null> {
    const path = this.#pathOf(name);
    return await this.#wrapped(() => (existsSync(path) ? readFileSync(path) : null));
  }

  async list(prefix: string): Promise<readonly string[]> {
    const under = this.#pathOf(prefix);
    return await this.#wrapped(() => {
      if (!existsSync(under) || !statSync(under).isDirectory()) return [];
      const found = readdirSync(under, { recursive: true, withFileTypes: true });
      return found
        .filter((one) => one.isFile() && !one.name.endsWith(partSuffix))
        .map((one) => relative(this.folder, join(one.parentPath, one.name)).replaceAll(sep, "/"))
        .sort();
    });
  }

  async remove(name: string): Promise<void> {
    await this.#wrapped(() => rmSync(this.#pathOf(name), { force: true }));
  }

  #pathOf(name: string): string {
    return join(this.folder, ...name.split("/"));
  }

  async #wrapped<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw new TargetFailed(error instanceof Error ? error.message : "unknown");
    }
  }
}

async function syncFolder(path: string): Promise<void> {
  // Windows has no folders that can be opened.
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  await folder.sync();
  await folder.close();
}
