import type { Database, Statement } from "bun:sqlite";
import { BlockFilter, blocksPerChunk } from "./key-filter";
import {
  type BlockForm,
  blockOf,
  findInBlock,
  type KeyList,
  packBlock,
  unpackBlock,
} from "./key-list";

/** A row of key_run. */
export interface StoredRun extends BlockForm {
  readonly id: number;
  readonly keyCount: number;
  /** The bytes of the filter per block; 0 when there was no memory for one. */
  readonly filterBytes: number;
}

/** Statements over blocks and filters. An id consists of the number of the run and the number within it. */
export class KeyBlocks {
  readonly findBlock: Statement;
  readonly insertBlock: Statement;
  readonly findFilter: Statement;
  readonly insertFilter: Statement;
  constructor(db: Database) {
    this.findBlock = db.prepare("select records from key_block where id = ?");
    this.insertBlock = db.prepare("insert into key_block (id, records) values (?, ?)");
    this.findFilter = db.prepare("select bits from key_filter where id = ?");
    this.insertFilter = db.prepare("insert into key_filter (id, bits) values (?, ?)");
  }
}
const blocksPerRunMax = 2 ** 20;
export const idOf = (run: number, number: number): number => run * blocksPerRunMax + number;

/** A sorted, immutable set of older keys in the file, behind a filter in memory. */
export class KeyRun {
  /** A merge has moved the blocks below this to its own run. */
  movedBelow = 0;
  /** While a run is being written, the blocks below this one are there. */
  writtenBelow: number;
  private readonly filter: BlockFilter | null;
  private readonly chunks: (Uint8Array | undefined)[] = [];

  constructor(
    readonly stored: StoredRun,
    private readonly blocks: KeyBlocks,
    isWritten: boolean,
  ) {
    this.writtenBelow = isWritten ? this.blockCount : 0;
    const { filterBytes, keyCount } = stored;
    this.filter =
      filterBytes === 0 ? null : new BlockFilter(filterBytes, keyCount / this.blockCount);
  }
  get blockCount(): number {
    return 2 ** this.stored.blockBits;
  }
  /** The most bytes that its filter may take. */
  get filterBytes(): number {
    return this.stored.filterBytes * this.blockCount;
  }

  /** Returns when the key was accepted; null if the run does not have it. */
  find(high: number, low: number): number | null {
    const block = blockOf(high, this.stored.blockBits);
    if (block < this.movedBelow || block >= this.writtenBelow) return null;
    const chunk = this.filter === null ? null : this.chunkOf(block);
    if (chunk !== null && !this.filter!.mayHave(chunk, block, high, low)) return null;
    const records = this.recordsOf(block);
    return records === null ? null : findInBlock(records, high, low, this.stored);
  }

  /** All keys of a block. */
  read(block: number): KeyList | null {
    const records = this.recordsOf(block);
    return records === null ? null : unpackBlock(records, block, this.stored);
  }

  /** Writes the next block: the keys `from` to `to` of a list. */
  write(keys: KeyList, from: number, to: number): void {
    const block = this.writtenBelow++;
    if (to > from) {
      const records = packBlock(keys, from, to, this.stored);
      this.blocks.insertBlock.run(idOf(this.stored.id, block), records);
    }
    if (this.filter === null) return;
    const chunk = Math.floor(block / blocksPerChunk);
    this.chunks[chunk] ??= this.filter.newChunk();
    this.filter.add(this.chunks[chunk], block, keys, from, to);
    if (this.writtenBelow % blocksPerChunk === 0 || this.writtenBelow === this.blockCount) {
      this.blocks.insertFilter.run(idOf(this.stored.id, chunk), this.chunks[chunk]);
    }
  }

  /** Releases the filters of the blocks below `end`, which are in another run now. */
  moveBelow(end: number): void {
    this.movedBelow = end;
    const chunks = Math.floor(end / blocksPerChunk);
    for (let chunk = chunks - 1; chunk >= 0 && this.chunks[chunk] !== undefined; chunk--) {
      this.chunks[chunk] = undefined;
    }
  }

  /** Loads filters at their first use, so that a start reads none. */
  private chunkOf(block: number): Uint8Array | null {
    const number = Math.floor(block / blocksPerChunk);
    const known = this.chunks[number];
    if (known !== undefined) return known;
    const row = this.blocks.findFilter.get(idOf(this.stored.id, number)) as Bits | null;
    if (row === null) return null;
    this.chunks[number] = row.bits;
    return row.bits;
  }
  private recordsOf(block: number): Uint8Array | null {
    const row = this.blocks.findBlock.get(idOf(this.stored.id, block)) as Records | null;
    return row?.records ?? null;
  }
}

interface Bits {
  readonly bits: Uint8Array;
}
interface Records {
  readonly records: Uint8Array;
}
