import { Database } from "bun:sqlite";
import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { assert } from "../../lib/assert";
import { areEqual, pageOfFrame, readFrame, runsBetween, type Salts, saltsOf } from "./log-frames";
import { PageSet } from "./page-set";

/*
 * A backup copies the pages that changed.
 * Decision: one connection always holds a read transaction. It keeps SQLite from starting the log over, or, when the
 * whole log is already in the file, from copying the log once more: so the log starts over at most once between two
 * looks, and no frame is overwritten unseen.
 * Because: a frame of the log names its page; nothing else says cheaply which pages of a large file have changed.
 * Cost: the log grows until the next look, and then a lock of a moment keeps writers away (`look`).
 */

const busyMs = 5_000;

/** The frames of the present run of a log that were looked at. */
interface Run {
  readonly salts: Salts;
  frames: number;
  /** The newest frame of each page, counted from 1. */
  readonly frameOf: Map<number, number>;
}

/** One state of a database, at a commit. It must be closed: until then the log does not start over. */
export interface DatabaseMoment {
  readonly pageBytes: number;
  readonly pages: number;
  /** Reads a page, counted from 1, as it was at the moment. */
  read(page: number, into: Uint8Array): void;
  /** A connection that sees the moment. */
  readonly db: Database;
  close(): void;
}

/** Follows the log of one database and notes which pages change. Every other connection may write meanwhile. */
export class LogFollower {
  /** The pages that changed, for each use of them: each forgets when it has copied them. */
  readonly #changed: Map<string, PageSet>;
  readonly #lock: Database;
  readonly #look: Database;
  readonly #file: number;
  #log: number | null = null;
  #run: Run | null = null;
  #holding: Database | null = null;
  #isComplete = false;
  readonly #pageBytes: number;

  constructor(
    private readonly path: string,
    uses: readonly string[],
  ) {
    this.#changed = new Map(uses.map((use) => [use, new PageSet()]));
    this.#lock = this.#open({ readwrite: true, create: false });
    this.#look = this.#open({ readwrite: true, create: false });
    this.#file = openSync(path, "r");
    const { page_size: pageBytes } = this.#look.query("pragma page_size").get() as {
      page_size: number;
    };
    this.#pageBytes = pageBytes;
  }

  /** Keeps writers away until `unlock`. What is committed by then is the moment that `look` sees. */
  lock(): void {
    // Most of what there is to look at is looked at before: then the lock is short.
    this.#scan(this.#frames().log);
    this.#lock.run("begin immediate");
  }
  unlock(): void {
    if (this.#lock.inTransaction) this.#lock.run("rollback");
  }

  /** Notes the pages that changed, and holds the log from here on. Needs the lock. */
  look(): void {
    assert(this.#lock.inTransaction, "nobody writes while the log is looked at");
    if (!this.#scan(this.#frames().log)) this.#isComplete = false;
    const next = this.#open({ readonly: true });
    hold(next);
    this.#endHold();
    this.#holding = next;
  }

  /**
   * Copies the log into the file, so that it starts over. Takes the lock itself, for as long as the last bit takes.
   * Returns the frames that are left because other readers still need them.
   */
  copyLog(): number {
    this.lock();
    try {
      this.look();
    } finally {
      this.unlock();
    }
    this.#look.query("pragma wal_checkpoint(passive)").get();
    this.lock();
    try {
      this.look();
      this.#endHold();
      this.#look.query("pragma wal_checkpoint(passive)").get();
      const { log, checkpointed } = this.#frames();
      this.look();
      return log - checkpointed;
    } finally {
      this.unlock();
    }
  }

  /** The bytes of the log that were not started over. */
  get logBytes(): number {
    return this.#frames().log * this.#pageBytes;
  }

  /** Returns what is committed now. Needs the lock, and a look under it. */
  moment(): DatabaseMoment {
    assert(this.#lock.inTransaction, "nobody writes while a moment begins");
    const db = this.#open({ readonly: true });
    hold(db);
    const { page_count: pages } = db.query("pragma page_count").get() as { page_count: number };
    const salts = this.#run?.salts;
    const frameOf = new Map(this.#run?.frameOf);
    const read = (page: number, into: Uint8Array): void => {
      const frame = frameOf.get(page);
      const isRead =
        salts !== undefined &&
        frame !== undefined &&
        readFrame(this.#log as number, frame, salts, into);
      // The log has started over, so all of it was in the file, which stays as it is while the moment is held.
      if (!isRead) this.#readFromFile(page, into);
    };
    return { db, pages, pageBytes: this.#pageBytes, read, close: () => db.close() };
  }

  /** Tells whether every change since `startAnew` is known. */
  get isComplete(): boolean {
    return this.#isComplete;
  }
  /** Returns the pages that changed since the last time. */
  take(use: string): PageSet {
    const taken = this.#changed.get(use);
    assert(taken !== undefined && this.#isComplete, "all changes for a use are known");
    this.#changed.set(use, new PageSet());
    return taken;
  }
  /** The caller did not copy the pages that it took. */
  giveBack(use: string, pages: PageSet): void {
    this.#changed.get(use)?.addAll(pages);
  }
  /** The caller copies everything at the moment that was looked at: what changes from there on is known. */
  startAnew(): void {
    for (const use of this.#changed.keys()) this.#changed.set(use, new PageSet());
    this.#isComplete = true;
  }
  /** Everything was not copied. */
  forget(): void {
    this.#isComplete = false;
  }

  /** The databases are closed before: nobody else copies what is left of the log. */
  close(): void {
    this.unlock();
    this.#endHold();
    this.#lock.close();
    this.#look.run("pragma busy_timeout = 0");
    this.#look.query("pragma wal_checkpoint(truncate)").get();
    this.#look.close();
    closeSync(this.#file);
    if (this.#log !== null) closeSync(this.#log);
  }

  #open(options: { readonly?: boolean; readwrite?: boolean; create?: boolean }): Database {
    const db = new Database(this.path, { ...options, strict: true });
    db.run(`pragma busy_timeout = ${busyMs}`);
    db.run("pragma wal_autocheckpoint = 0");
    // Only a read opens the log: the first after a crash recovers it, and others would meet that.
    db.query("select count(*) from sqlite_schema").get();
    return db;
  }

  #endHold(): void {
    this.#holding?.close();
    this.#holding = null;
  }

  /** The frames of the log, and how many of them are in the file. */
  #frames(): { readonly log: number; readonly checkpointed: number } {
    const row = this.#look.query("pragma wal_checkpoint(noop)").get();
    const { log, checkpointed } = row as { log: number; checkpointed: number };
    return { log: Math.max(0, log), checkpointed: Math.max(0, checkpointed) };
  }

  /** Looks at the frames up to this one. Returns whether they could be read. */
  #scan(frames: number): boolean {
    if (frames === 0) return true;
    this.#log ??= existsSync(`${this.path}-wal`) ? openSync(`${this.path}-wal`, "r") : null;
    const salts = this.#log === null ? null : saltsOf(this.#log);
    if (this.#log === null || salts === null) return false;
    const run = this.#runOf(salts);
    this.#run = run;
    while (run.frames < frames) {
      const page = pageOfFrame(this.#log, run.frames + 1, { salts, pageBytes: this.#pageBytes });
      if (page === null) return false;
      run.frames += 1;
      run.frameOf.set(page, run.frames);
      for (const changed of this.#changed.values()) changed.add(page);
    }
    return true;
  }

  #runOf(salts: Salts): Run {
    const run = this.#run;
    if (run !== null && areEqual(run.salts, salts)) return run;
    if (run !== null && runsBetween(run.salts, salts) !== 1) this.#isComplete = false;
    return { salts, frames: 0, frameOf: new Map() };
  }

  #readFromFile(page: number, into: Uint8Array): void {
    const place = (page - 1) * this.#pageBytes;
    const bytes = readSync(this.#file, into, 0, into.byteLength, place);
    if (bytes !== into.byteLength) throw new Error(`${this.path} ends within page ${page}.`);
  }
}

/** Begins a read transaction at what is committed now. */
function hold(db: Database): void {
  db.run("begin");
  db.query("select count(*) from sqlite_schema").get();
}
