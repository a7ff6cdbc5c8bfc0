import type { Database } from "bun:sqlite";
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { dayOf } from "../../../src/domain/event";
import type { FilterItem } from "../../../src/domain/filter-items";
import { ByteBoundedCache } from "../../../src/lib/cache";
import { clock } from "../../../src/lib/clock";
import { compact, plan } from "../../../src/store/events/compact/compaction";
import { Inspection } from "../../../src/store/events/compact/inspection";
import { OverlapNotes } from "../../../src/store/events/compact/overlap-notes";
import { openSnapshots, type Snapshots } from "../../../src/store/events/read/snapshot";
import { SegmentReader } from "../../../src/store/events/segment/segment-reader";
import { openForReading, openForWriting } from "../../../src/store/events/tables";
import { type Tuning, usualTuning } from "../../../src/store/events/tuning";
import { Writer } from "../../../src/store/events/writer/writer";
import type { Entry, Read } from "../../../src/store/port";
import type { Snapshot } from "../../../src/store/questions";
import { packGroup } from "../../../src/store/shared/append/wire";
import type { Driven } from "./driven";
import { migratedFolder } from "./migrated";
import { ownHosts } from "./own-hosts";

/** The sizes of the engine, which a test makes small so that little data makes everything happen. */
export interface Sizes extends Tuning {
  readonly cacheBytes: number;
}
export const usualSizes: Sizes = { ...usualTuning, cacheBytes: 1 << 26 };

/** Columns that are not kept in the cache, by what is made of them and is. */
const notKept: ReadonlyMap<string, string> = new Map([["times", "event.time"]]);

/** No compaction may go on for ever: each merge leaves fewer segments than it found. */
const mergesMax = 2_000;

/** Each look at the clock: rows are soon old, and what rests does not for long. */
const inspectionStepMs = 100;

/** The place of a read: about to ask a question, or within one, at a statement or at one of its segments. */
export type PlaceInRead = "question" | "within";

/** The events engine in one thread on a folder of its own: what the workers do, one after the other. */
export class Engine implements Driven {
  private readonly folder = migratedFolder("sightline-engine-", ["events.db"]);
  readonly file = join(this.folder, "events.db");
  private db: Database;
  private writer: Writer;
  private snapshots: Snapshots;
  /** Every read calls this once a segment; a test can make it true. */
  isCancelled: () => boolean = () => false;
  /** This is called from within `read`: a test does in it what others do while the read lasts. */
  meanwhile: (place: PlaceInRead) => unknown = () => undefined;

  /** The engine begins with what another one, or a file that nobody has open, has stored, if one is given. */
  constructor(
    private readonly sizes: Sizes = usualSizes,
    like: Engine | string | null = null,
  ) {
    if (like instanceof Engine) like.db.run("pragma wal_checkpoint(truncate)");
    if (like !== null) copyFileSync(like instanceof Engine ? like.file : like, this.file);
    this.db = openForWriting(this.file, "normal");
    this.writer = new Writer(this.db, this.sizes);
    this.snapshots = this.openSnapshots();
  }

  /** Several entries as one request of one commit. Returns how many events were new. */
  append(entries: readonly Entry[]): number {
    const [stored = 0] = this.writer.commit(packGroup([entries])).stored;
    return stored;
  }
  async read<Input, Output>(
    read: Read<Input, Output>,
    input: Input,
    narrowedBy: readonly FilterItem[] = [],
  ): Promise<Output> {
    const seen = { ownHosts, narrowedBy };
    return JSON.parse(await this.snapshots.run(this.watched(read), input, seen));
  }
  /** Asks a reader that has nothing in memory. */
  async readCold<Input, Output>(read: Read<Input, Output>, input: Input): Promise<Output> {
    const cold = openSnapshots(this.file, this.sizes.cacheBytes, () => false, this.sizes);
    try {
      return JSON.parse(await cold.run(read, input, { ownHosts }));
    } finally {
      cold.close();
    }
  }
  /** Names of the stored columns that a read loads from segments of columns, when nothing is cached. */
  async columnsTouched<Input, Output>(read: Read<Input, Output>, input: Input): Promise<string[]> {
    const touched = await this.touched(read, input);
    return [...new Set(touched.map(([, column]) => column))].sort();
  }
  /** Returns the number of segments of which a read loads columns. */
  async segmentsTouched<Input, Output>(read: Read<Input, Output>, input: Input): Promise<number> {
    const touched = await this.touched(read, input);
    return new Set(touched.map(([segment]) => segment)).size;
  }
  forget(projectId: string, retainedFromMs: number): void {
    this.writer.forget(projectId, retainedFromMs);
  }
  showAgain(aheadOfMs: number, retainedFromMs: number): void {
    this.writer.showAgain(aheadOfMs, retainedFromMs);
  }
  purge(projectId: string): void {
    this.writer.purge(projectId);
  }
  replaceProject(projectId: string, stagingId: string): void {
    this.writer.replaceProject(projectId, stagingId);
  }
  endMembership(projectId: string, membership: string): void {
    this.writer.endMembership(projectId, membership);
  }
  unlink(projectId: string, previousId: string, membership: string | null = null): string | null {
    return this.writer.unlink(projectId, previousId, membership);
  }
  /** Up to the given number of merges of all projects together. */
  compact(merges = Number.POSITIVE_INFINITY): void {
    const db = openForReading(this.file);
    const reader = new SegmentReader(db, new ByteBoundedCache(0), this.sizes);
    const tuned = { tuning: this.sizes };
    const today = dayOf(clock.nowMs());
    const projects = db.query("select id from project").values() as [number][];
    let done = 0;
    for (const [project] of projects) {
      for (let inputs = plan(db, project, today, tuned); inputs !== null && done < merges; done++) {
        this.writer.replace([{ inputs, outputs: compact(db, reader, project, inputs) }]);
        if (done > mergesMax) throw new Error("Compaction does not come to an end.");
        inputs = plan(db, project, today, tuned);
      }
    }
    db.close();
  }
  /** Notes which segments share sessions, in however small projects. Returns of how many it did. */
  noteOverlaps(): number {
    const db = openForReading(this.file);
    try {
      const always = { isBusy: false, owedIds: new Set<number>(), isInTime: () => true };
      const { overlaps, faults } = new OverlapNotes(db, () => performance.now(), {
        ...this.sizes,
        overlapSegmentsMin: 1,
      }).find(always);
      if (faults.length > 0) throw new Error(`OverlapNotes failed: ${JSON.stringify(faults)}`);
      this.writer.noteOverlaps(overlaps);
      return overlaps.length;
    } finally {
      db.close();
    }
  }
  /** Looks through all texts that nobody has looked through. Returns how many were flagged. */
  inspect(): number {
    const db = openForReading(this.file);
    let [nowMs, flagged] = [0, 0];
    try {
      const inspection = new Inspection(db, () => (nowMs += inspectionStepMs));
      for (;;) {
        const { note, faults, isMoreToCome } = inspection.find();
        if (faults.length > 0) throw new Error(`Inspection failed: ${JSON.stringify(faults)}`);
        if (note !== null) this.writer.noteInspection(note);
        flagged += note?.flagged.length ?? 0;
        if (note === null && !isMoreToCome) return flagged;
      }
    } finally {
      db.close();
    }
  }
  sweep(): void {
    while (this.writer.sweep());
  }
  /** Nothing is kept but the files. */
  restart(cacheBytes: number = this.sizes.cacheBytes): void {
    this.snapshots.close();
    this.db.close();
    this.db = openForWriting(this.file, "normal");
    this.writer = new Writer(this.db, this.sizes);
    this.snapshots = this.openSnapshots(cacheBytes);
  }
  /** What reads keep in memory is gone; the writer goes on. */
  restartReader(): void {
    this.snapshots.close();
    this.snapshots = this.openSnapshots();
  }
  get cachedBytes(): number {
    return this.snapshots.cache.bytes;
  }
  get cachedKeys(): readonly string[] {
    return [...this.snapshots.cache.keys()];
  }
  close(): void {
    this.snapshots.close();
    this.db.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async touched<Input, Output>(
    read: Read<Input, Output>,
    input: Input,
  ): Promise<[string, string][]> {
    this.restartReader();
    await this.read(read, input);
    return [...this.snapshots.cache.keys()]
      .map((key): [string, string] => {
        const end = key.indexOf(":");
        const name = key.slice(end + 1);
        return [key.slice(0, end), notKept.get(name) ?? name];
      })
      .filter(([, column]) => /^(visit|event|property)\./.test(column));
  }
  private openSnapshots(cacheBytes: number = this.sizes.cacheBytes): Snapshots {
    const isCancelled = (): boolean => {
      this.meanwhile("within");
      return this.isCancelled();
    };
    return openSnapshots(this.file, cacheBytes, isCancelled, this.sizes);
  }
  private watched<Input, Output>(read: Read<Input, Output>): Read<Input, Output> {
    const before = (ask: (...asked: unknown[]) => unknown) => {
      return (...asked: unknown[]): unknown => {
        this.meanwhile("question");
        return ask(...asked);
      };
    };
    return {
      ...read,
      run: (snapshot, input) => {
        const watched = Object.entries(snapshot).map(([name, ask]) => [name, before(ask)]);
        return read.run(Object.fromEntries(watched) as Snapshot, input);
      },
    };
  }
}

/** Runs work at a time of its own, to its end. */
export function at<T>(nowMs: number, work: () => T): T {
  const undo = clock.replace(() => nowMs);
  let isPending = false;
  try {
    const result = work();
    if (result instanceof Promise) {
      isPending = true;
      return result.finally(undo) as T;
    }
    return result;
  } finally {
    if (!isPending) undo();
  }
}
