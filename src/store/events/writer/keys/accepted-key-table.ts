import { blockOf, type KeyList, newKeyList } from "./key-list";

/** A table begins small, because a server may receive few events, and grows to 4 MB in one step. */
const slotBitsMin = 12;
const slotBits = 18;

/**
 * The newest keys in memory: an open-addressing table, at most half full. The first bits of a key give its slot, so the
 * table is nearly sorted, and a sorted block of it can be read without the rest.
 */
export class AcceptedKeyTable {
  size = 0;
  /** The rows of the log with the keys of this table: their number, and the last one. */
  logRows = 0;
  throughId = 0;
  firstAtMs = Number.POSITIVE_INFINITY;
  lastAtMs = Number.NEGATIVE_INFINITY;
  private bits = slotBitsMin;
  private high = new Uint32Array(1 << slotBitsMin);
  private low = new Uint32Array(1 << slotBitsMin);
  /** 0 = the slot is empty. */
  private atMs = new Float64Array(1 << slotBitsMin);

  /** Returns when the key was accepted; null if the table does not have it. */
  find(high: number, low: number): number | null {
    const atMs = this.atMs[this.slotOf(high, low)];
    return atMs === 0 ? null : atMs;
  }

  set(high: number, low: number, atMs: number): void {
    const slot = this.slotOf(high, low);
    if (this.atMs[slot] === 0) this.size++;
    this.high[slot] = high;
    this.low[slot] = low;
    this.atMs[slot] = atMs;
    if (atMs < this.firstAtMs) this.firstAtMs = atMs;
    if (atMs > this.lastAtMs) this.lastAtMs = atMs;
    if (this.size * 2 > this.atMs.length) this.grow();
  }

  /** The keys of one of 2^blockBits blocks, sorted. */
  block(number: number, blockBits: number): KeyList {
    const span = 2 ** (this.bits - blockBits);
    const mask = this.atMs.length - 1;
    const slots: number[] = [];
    // Keys that found their slot taken went on to the next: beyond the block's own slots, up to an empty one.
    for (let i = number * span; i < (number + 1) * span || this.atMs[i & mask] !== 0; i++) {
      const slot = i & mask;
      if (this.atMs[slot] !== 0 && blockOf(this.high[slot], blockBits) === number) slots.push(slot);
    }
    slots.sort((a, b) => this.high[a] - this.high[b] || this.low[a] - this.low[b]);
    const list = newKeyList(slots.length);
    slots.forEach((slot, i) => {
      list.high[i] = this.high[slot];
      list.low[i] = this.low[slot];
      list.atMs[i] = this.atMs[slot];
    });
    return { ...list, length: slots.length };
  }

  /** Returns this table without its keys; a new one if this one does not have the usual size. */
  emptied(): AcceptedKeyTable {
    if (this.bits !== slotBits) return new AcceptedKeyTable();
    this.size = 0;
    this.logRows = 0;
    this.throughId = 0;
    this.firstAtMs = Number.POSITIVE_INFINITY;
    this.lastAtMs = Number.NEGATIVE_INFINITY;
    this.atMs.fill(0);
    return this;
  }

  private slotOf(high: number, low: number): number {
    const mask = this.atMs.length - 1;
    let slot = high >>> (32 - this.bits);
    while (this.atMs[slot] !== 0 && (this.high[slot] !== high || this.low[slot] !== low)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  /** Grows the table. Only a commit with more keys than a group of requests can have needs this. */
  private grow(): void {
    const { high, low, atMs } = this;
    this.bits = Math.max(slotBits, this.bits + 1);
    const slots = 1 << this.bits;
    this.high = new Uint32Array(slots);
    this.low = new Uint32Array(slots);
    this.atMs = new Float64Array(slots);
    for (let i = 0; i < atMs.length; i++) {
      if (atMs[i] === 0) continue;
      const slot = this.slotOf(high[i], low[i]);
      this.high[slot] = high[i];
      this.low[slot] = low[i];
      this.atMs[slot] = atMs[i];
    }
  }
}
