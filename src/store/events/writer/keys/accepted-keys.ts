import type { Database, Statement } from "bun:sqlite";
import { hourMs } from "../../../../lib/clock";
import { hash64 } from "../../segment/hash";
import { type Tuning, usualTuning } from "../../tuning";
import { AcceptedKeyTable } from "./accepted-key-table";
import { MergeJob, SealJob } from "./key-jobs";
import { KeyBlocks, KeyRun, type StoredRun } from "./key-run";
import { type KeySummary, SummaryJob } from "./key-summary";
import { sweepKeys } from "./sweep-keys";

export const idempotencyMs = 48 * hourMs;

/** Two tables of 2^18 slots, one of them for a moment twice as large. */
const tableBytes = 12 * 1024 * 1024;
/** These jobs process this number of keys per new key: one to seal, one per level of runs, some for the summary. */
const workPerKey = 6;
/** With less work per key, keys that come without a pause would be sealed and merged too late. */
const workPerKeyLeast = 3;
const workMin = 512;
/** About three milliseconds … */
const workMax = 16_384;
/** … of which requests wait at most this long, also where the machine is slow or busy. */
const workMsMax = 2;

const liveRuns = `
  select id, first_at as firstAtMs, last_at as lastAtMs, key_count as keyCount,
    block_bits as blockBits, filter_bytes as filterBytes
  from key_run where state = 'live' order by id`;
const retireLeftOver = `
  update key_run set state = 'retired'
  where state = 'building' or (state = 'live' and last_at <= ?)`;
const sealedThrough = "select value from setting where name = 'keys_sealed_through'";
const logSince = `
  select id, accepted_at as atMs, hashes from accepted_key
  where id > ? and accepted_at > ? order by id`;
const insertLog = "insert into accepted_key (accepted_at, hashes) values (?, ?)";

interface LogRow {
  readonly id: number;
  readonly atMs: number;
  readonly hashes: Uint8Array;
}

/**
 * The idempotency keys of the last 48 hours, as 64-bit hashes of the project, the event id and the other fields by
 * which the server recognises a repeat: a stranger who guesses an id cannot make somebody else's event vanish.
 *
 * The newest are in a table in memory, and in a log of one row per commit. A full table is sealed: written as a sorted
 * run; runs of like size are merged. Both happen a few blocks per commit. A key is looked up in the tables and, where
 * neither the summary of all runs nor the filter of a run rules it out, in the one block of the run that can have it.
 */
export class AcceptedKeys {
  private active = new AcceptedKeyTable();
  private readonly full: AcceptedKeyTable[] = [];
  /** A sealed table, which the next one reuses: the first use of fresh memory of its size costs milliseconds. */
  private spare: AcceptedKeyTable | null = null;
  private runs: KeyRun[];
  private seal: SealJob | null = null;
  private merge: MergeJob | null = null;
  private summing: SummaryJob | null = null;
  /** The summary of all runs; null while there is none that has the keys of every run. */
  private summary: KeySummary | null = null;
  /** A server that receives no events needs no summary. */
  private isAsked = false;
  private fresh: number[] = [];
  private hasAbandoned = true;
  private readonly expiredAtStartMs: number;
  private readonly blocks: KeyBlocks;
  private readonly insertLog: Statement;

  constructor(
    private readonly db: Database,
    private readonly seed: bigint,
    nowMs: number,
    private readonly tuning: Tuning = usualTuning,
  ) {
    this.blocks = new KeyBlocks(db);
    this.insertLog = db.prepare(insertLog);
    this.expiredAtStartMs = nowMs - idempotencyMs;
    this.runs = (db.query(liveRuns).all() as StoredRun[])
      .filter(({ lastAtMs }) => lastAtMs > this.expiredAtStartMs)
      .map((stored) => new KeyRun(stored, this.blocks, true));
    const rows = db.query(logSince).iterate(this.sealedThrough(), this.expiredAtStartMs);
    for (const row of rows as Iterable<LogRow>) this.restore(row);
  }

  /**
   * Returns false when the project's event id was accepted within 48 hours together with these other fields, which are
   * JSON; otherwise accepts it.
   */
  accept(projectId: number, eventId: string, others: string, nowMs: number): boolean {
    const expiredAtMs = nowMs - idempotencyMs;
    const [high, low] = hash64(`${projectId}:${eventId}:${others}`, this.seed);
    if (this.isKnown(high, low, expiredAtMs)) return false;
    this.active.set(high, low, nowMs);
    this.fresh.push(low, high);
    return true;
  }

  /** Stores the newly accepted keys in the transaction of the events, and seals and merges a few blocks. */
  store(nowMs: number): void {
    const count = this.fresh.length / 2;
    if (count > 0) {
      this.isAsked = true;
      const hashes = new Uint8Array(new Uint32Array(this.fresh).buffer);
      const { lastInsertRowid } = this.insertLog.run(nowMs, hashes);
      this.noteRow(Number(lastInsertRowid));
      this.fresh = [];
    }
    const most = Math.min(workMax, workMin + workPerKey * count);
    this.work(most, Math.min(most, workPerKeyLeast * count), nowMs);
  }

  /** Deletes a few rows of keys that have expired or were merged. Returns whether there are more. */
  sweep(nowMs: number): boolean {
    this.work(workMax, 0, nowMs);
    const expiredAtMs = nowMs - idempotencyMs;
    const { merge } = this;
    const expired = this.runs.filter(
      (run) => run.stored.lastAtMs <= expiredAtMs && merge?.inputs.includes(run) !== true,
    );
    this.runs = this.runs.filter((run) => !expired.includes(run));
    const expiredIds = expired.map((run) => run.stored.id);
    const isMore = sweepKeys(this.db, expiredIds, expiredAtMs, this.sealedThrough());
    return isMore || this.summing !== null;
  }

  /** The bytes that tables and filters may take. A merge frees the old filters while its own grows. */
  get memoryBytes(): number {
    const inputs = this.merge?.inputs ?? [];
    const others = this.runs.filter((run) => !inputs.includes(run));
    const merged = Math.max(bytesOf(inputs), this.merge?.run.filterBytes ?? 0);
    const ofSummary = (this.summary ?? this.summing?.summary)?.bytes ?? 0;
    return tableBytes + bytesOf(others) + merged + (this.seal?.run.filterBytes ?? 0) + ofSummary;
  }
  get runCount(): number {
    return this.runs.length;
  }

  private isKnown(high: number, low: number, expiredAtMs: number): boolean {
    const isLive = (atMs: number | null): boolean => atMs !== null && atMs > expiredAtMs;
    if (isLive(this.active.find(high, low))) return true;
    for (const table of this.full) if (isLive(table.find(high, low))) return true;
    if (this.summary?.mayHave(high, low) === false) return false;
    for (const run of this.runs) if (isLive(run.find(high, low))) return true;
    return this.merge !== null && isLive(this.merge.run.find(high, low));
  }

  /** Processes at most the given number of keys; after `workMsMax` only the rest of the smallest number. */
  private work(most: number, least: number, nowMs: number): void {
    if (this.hasAbandoned) {
      // Jobs that a crash or a failed transaction ended begin again. Runs that expired meanwhile are retired.
      this.db.query(retireLeftOver).run(this.expiredAtStartMs);
      this.hasAbandoned = false;
    }
    const endsAtMs = performance.now() + workMsMax;
    for (let dealtWith = 0; dealtWith < most; ) {
      const done = this.sealStep() || this.mergeStep(nowMs) || this.summaryStep();
      if (done === 0) return;
      dealtWith += done;
      if (dealtWith >= least && performance.now() > endsAtMs) return;
    }
  }
  private sealStep(): number {
    if (this.full.length === 0) return 0;
    const [table] = this.full;
    this.seal ??= new SealJob(this.db, this.blocks, table, this.bytesFree([]));
    const summary = this.summary ?? this.summing?.summary;
    const done = this.seal.step(summary);
    if (summary?.isFull === true) {
      this.summary = null;
      this.summing = null;
    }
    if (this.seal.isDone) {
      this.seal.finish();
      this.runs.push(this.seal.run);
      this.full.shift();
      this.spare = table.emptied();
      this.seal = null;
    }
    return done;
  }
  private mergeStep(nowMs: number): number {
    this.merge ??= this.nextMerge(nowMs - idempotencyMs);
    if (this.merge === null) return 0;
    const { merge } = this;
    const done = merge.step();
    if (merge.isDone) {
      merge.finish();
      this.runs = [merge.run, ...this.runs.filter((run) => !merge.inputs.includes(run))];
      this.merge = null;
    }
    return done;
  }
  /** Begins a summary if no table is being sealed: from then on, sealing adds its keys to the summary. */
  private summaryStep(): number {
    if (this.summary !== null || !this.isAsked) return 0;
    this.summing ??= SummaryJob.of(this.runs, this.bytesFree([]) / 2);
    if (this.summing === null) return 0;
    const done = this.summing.step(this.runs);
    if (this.summing.isDone) {
      this.summary = this.summing.summary;
      this.summing = null;
    }
    return done;
  }
  private nextMerge(expiredAtMs: number): MergeJob | null {
    const { keyTableKeysMax: tableKeysMax, keyFanIn: fanIn } = this.tuning;
    const tiers = Map.groupBy(this.runs, ({ stored }) =>
      Math.max(0, Math.floor(Math.log(stored.keyCount / tableKeysMax) / Math.log(fanIn) + 0.5)),
    );
    for (const runs of tiers.values()) {
      if (runs.length < fanIn) continue;
      const inputs = runs.slice(0, fanIn);
      return new MergeJob(this.db, this.blocks, inputs, this.bytesFree(inputs), expiredAtMs);
    }
    return null;
  }
  /** Returns the free bytes. A merge frees the filters of the runs that it replaces while its own filter grows. */
  private bytesFree(replaced: readonly KeyRun[]): number {
    return this.tuning.keyMemoryBytesMax - this.memoryBytes + bytesOf(replaced);
  }

  private restore({ id, atMs, hashes }: LogRow): void {
    const halves = new Uint32Array(hashes.slice().buffer);
    for (let i = 0; i < halves.length; i += 2) this.active.set(halves[i + 1], halves[i], atMs);
    this.noteRow(id);
  }
  private noteRow(id: number): void {
    this.active.logRows++;
    this.active.throughId = id;
    const { keyTableKeysMax, keyTableRowsMax } = this.tuning;
    if (this.active.size < keyTableKeysMax && this.active.logRows < keyTableRowsMax) return;
    this.full.push(this.active);
    this.active = this.spare ?? new AcceptedKeyTable();
    this.spare = null;
  }
  private sealedThrough(): number {
    const row = this.db.query(sealedThrough).get() as { value: string } | null;
    return Number(row?.value ?? 0);
  }
}

const bytesOf = (runs: readonly KeyRun[]): number =>
  runs.reduce((sum, run) => sum + run.filterBytes, 0);
