import { type DatabaseMoment, LogFollower } from "./log-follower";
import type { Level } from "./manifest";
import { levels } from "./manifest";
import type { PageSet } from "./page-set";

/** One state of all databases together. */
export interface Moment {
  readonly atMs: number;
  /** In the order of the files. */
  readonly databases: readonly FileMoment[];
  close(): void;
}
export interface FileMoment extends DatabaseMoment {
  readonly file: string;
  /** The pages that changed since the base; null for a full copy. */
  readonly changed: PageSet | null;
}

/** Follows all databases of a data folder. */
export class Followers {
  readonly #followers: ReadonlyMap<string, LogFollower>;

  /** The paths of the files by their names. */
  constructor(paths: ReadonlyMap<string, string>) {
    this.#followers = new Map(
      [...paths].map(([file, path]) => [file, new LogFollower(path, levels)]),
    );
  }

  /**
   * Locks all databases for a moment, and returns the state in which they are then with what changed since the last
   * point of this level, or of one before it. A full one where some change may have gone unseen.
   */
  moment(wanted: Level, nowMs: () => number): { readonly moment: Moment; readonly level: Level } {
    const locked: LogFollower[] = [];
    const databases: FileMoment[] = [];
    try {
      for (const follower of this.#followers.values()) {
        locked.push(follower);
        follower.lock();
      }
      for (const follower of locked) follower.look();
      const isKnown = locked.every((follower) => follower.isComplete);
      const level = isKnown ? wanted : levels[0];
      for (const [file, follower] of this.#followers) {
        const changed = this.#take(follower, level);
        databases.push({ ...follower.moment(), file, changed });
      }
      return { level, moment: momentOf(nowMs(), databases) };
    } catch (error) {
      for (const one of databases) one.close();
      throw error;
    } finally {
      for (const follower of locked.reverse()) follower.unlock();
    }
  }

  /** The point was not stored: what changed until then has yet to be copied. */
  giveBack({ databases }: Moment, level: Level): void {
    for (const { file, changed } of databases) {
      const follower = this.#followers.get(file);
      if (changed === null) follower?.forget();
      else for (const use of usesOf(level)) follower?.giveBack(use, changed);
    }
  }

  /** Copies the log of a database into the file, so that it can start over. */
  copyLog(file: string): void {
    this.#followers.get(file)?.copyLog();
  }
  /** Copies those logs that are longer than this. */
  copyLongLogs(files: readonly string[], bytesMax: number): void {
    for (const file of files) {
      const follower = this.#followers.get(file);
      if (follower !== undefined && follower.logBytes > bytesMax) follower.copyLog();
    }
  }

  close(): void {
    for (const follower of this.#followers.values()) follower.close();
  }

  /** A point stands for those of finer levels too: what changes is counted from it on. */
  #take(follower: LogFollower, level: Level): PageSet | null {
    if (level === "full") {
      follower.startAnew();
      return null;
    }
    const [changed] = usesOf(level).map((use) => follower.take(use));
    return changed;
  }
}

/** The level, and those that are finer. */
const usesOf = (level: Level): readonly Level[] => levels.slice(levels.indexOf(level));

const momentOf = (atMs: number, databases: readonly FileMoment[]): Moment => ({
  atMs,
  databases,
  close: () => {
    for (const one of databases) one.close();
  },
});
