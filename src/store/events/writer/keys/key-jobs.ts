import type { Database } from "bun:sqlite";
import type { AcceptedKeyTable } from "./accepted-key-table";
import { filterBytesFor } from "./key-filter";
import { blockBitsFor, blockOf, type KeyList, mergeKeys, newKeyList } from "./key-list";
import { type KeyBlocks, KeyRun, type StoredRun } from "./key-run";
import type { KeySummary } from "./key-summary";

const insertRun = `
  insert into key_run (first_at, last_at, key_count, block_bits, filter_bytes, state)
  values (?, ?, ?, ?, ?, 'building')`;
const setState = "update key_run set state = ? where id = ?";
const setSealed = `
  insert into setting (name, value) values ('keys_sealed_through', ?)
  on conflict do update set value = excluded.value`;

/** A job that runs in small parts between the commits, so that no commit waits for it. */
interface KeyJob {
  readonly run: KeyRun;
  readonly isDone: boolean;
  /** Runs a small part of the job. Returns the number of keys that it processed. */
  step(): number;
  finish(): void;
}

/** Writes a full table as a run. Nothing needs the table's rows of the log afterwards. */
export class SealJob implements KeyJob {
  readonly run: KeyRun;

  constructor(
    private readonly db: Database,
    blocks: KeyBlocks,
    readonly table: AcceptedKeyTable,
    bytesFree: number,
  ) {
    const { firstAtMs, lastAtMs, size } = table;
    this.run = begin(db, blocks, { firstAtMs, lastAtMs, keyCount: size }, bytesFree);
  }
  get isDone(): boolean {
    return this.run.writtenBelow === this.run.blockCount;
  }
  /** Adds the keys to the summary, if there is one, before look-ups use the run. */
  step(summary?: KeySummary): number {
    const keys = this.table.block(this.run.writtenBelow, this.run.stored.blockBits);
    summary?.add(keys);
    this.run.write(keys, 0, keys.length);
    return keys.length + 1;
  }
  finish(): void {
    this.db.query(setState).run("live", this.run.stored.id);
    this.db.query(setSealed).run(String(this.table.throughId));
  }
}

/** Merges runs of similar size into one, from the lowest key to the highest, without expired keys. */
export class MergeJob implements KeyJob {
  readonly run: KeyRun;
  private readonly streams: readonly KeyStream[];
  private readonly unitBits: number;
  private unit = 0;

  constructor(
    private readonly db: Database,
    blocks: KeyBlocks,
    readonly inputs: readonly KeyRun[],
    bytesFree: number,
    private readonly expiredAtMs: number,
  ) {
    const stored = inputs.map((input) => input.stored);
    const sums = {
      firstAtMs: Math.min(...stored.map(({ firstAtMs }) => firstAtMs)),
      lastAtMs: Math.max(...stored.map(({ lastAtMs }) => lastAtMs)),
      keyCount: stored.reduce((sum, { keyCount }) => sum + keyCount, 0),
    };
    this.run = begin(db, blocks, sums, bytesFree);
    this.streams = inputs.map((input) => new KeyStream(input));
    this.unitBits = Math.max(...stored.map(({ blockBits }) => blockBits));
  }
  get isDone(): boolean {
    return this.unit === 2 ** this.unitBits;
  }

  step(): number {
    const end = ++this.unit * 2 ** (32 - this.unitBits);
    let lists = this.streams.map((stream) => stream.below(end));
    while (lists.length > 1) {
      lists = lists.flatMap((list, i) =>
        i % 2 === 1 ? [] : [i + 1 < lists.length ? mergeKeys(list, lists[i + 1]) : list],
      );
    }
    const keys = without(lists[0], this.expiredAtMs);
    const { blockBits } = this.run.stored;
    const blocksEnd = this.isDone ? this.run.blockCount : blockOf(end, blockBits);
    for (let from = 0; this.run.writtenBelow < blocksEnd; ) {
      let to = from;
      while (to < keys.length && blockOf(keys.high[to], blockBits) === this.run.writtenBelow) to++;
      this.run.write(keys, from, to);
      from = to;
    }
    for (const input of this.inputs) {
      input.moveBelow(this.isDone ? input.blockCount : blockOf(end, input.stored.blockBits));
    }
    return keys.length + this.inputs.length;
  }
  finish(): void {
    this.db.query(setState).run("live", this.run.stored.id);
    for (const input of this.inputs) this.db.query(setState).run("retired", input.stored.id);
  }
}

/** The keys of a run from the lowest to the highest. */
class KeyStream {
  private list = newKeyList(0);
  private at = 0;
  private nextBlock = 0;
  constructor(private readonly run: KeyRun) {}

  /** Returns the following keys whose upper half is below `end`. */
  below(end: number): KeyList {
    let found = newKeyList(0);
    for (;;) {
      const from = this.at;
      while (this.at < this.list.length && this.list.high[this.at] < end) this.at++;
      const part = slice(this.list, from, this.at);
      found = found.length === 0 ? part : mergeKeys(found, part);
      if (this.at < this.list.length || this.nextBlock === this.run.blockCount) return found;
      if (this.nextBlock * 2 ** (32 - this.run.stored.blockBits) >= end) return found;
      this.list = this.run.read(this.nextBlock++) ?? newKeyList(0);
      this.at = 0;
    }
  }
}

function begin(
  db: Database,
  blocks: KeyBlocks,
  sums: Pick<StoredRun, "firstAtMs" | "lastAtMs" | "keyCount">,
  bytesFree: number,
): KeyRun {
  const { firstAtMs, lastAtMs, keyCount } = sums;
  const blockBits = blockBitsFor(keyCount);
  const filterBytes = filterBytesFor(keyCount, 2 ** blockBits, bytesFree);
  const { lastInsertRowid } = db
    .query(insertRun)
    .run(firstAtMs, lastAtMs, keyCount, blockBits, filterBytes);
  return new KeyRun(
    { ...sums, id: Number(lastInsertRowid), blockBits, filterBytes },
    blocks,
    false,
  );
}

function without(keys: KeyList, expiredAtMs: number): KeyList {
  const { high, low, atMs } = newKeyList(keys.length);
  let length = 0;
  for (let i = 0; i < keys.length; i++) {
    if (keys.atMs[i] <= expiredAtMs) continue;
    high[length] = keys.high[i];
    low[length] = keys.low[i];
    atMs[length++] = keys.atMs[i];
  }
  return { high, low, atMs, length };
}

const slice = ({ high, low, atMs }: KeyList, from: number, to: number): KeyList => ({
  high: high.subarray(from, to),
  low: low.subarray(from, to),
  atMs: atMs.subarray(from, to),
  length: to - from,
});
