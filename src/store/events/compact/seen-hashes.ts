/** Each of the two tables begins small, and has 2 MB once that is not enough. */
const slotsMin = 1 << 12;
const slotsMax = 1 << 18;
const hashBitsMask = (1n << 52n) - 1n;

/**
 * Remembers which texts were seen lately, by their hashes: all of the last hundred thousand and some more. When a table
 * is half full the older one is dropped.
 */
export class SeenHashes {
  private newer = new Float64Array(slotsMin);
  private older = new Float64Array(slotsMin);
  private count = 0;

  constructor(private readonly seed: bigint) {}

  /** Tells whether a text was seen, by its hash. */
  has(hash: number): boolean {
    return isIn(this.newer, hash) || isIn(this.older, hash);
  }

  add(hash: number): void {
    if (this.count === this.newer.length / 2) this.makeRoom();
    const slot = slotOf(this.newer, hash);
    if (this.newer[slot] === hash) return;
    this.newer[slot] = hash;
    this.count++;
  }

  /** Outsiders do not know the seed: they cannot make texts that are taken for others. 0 is an empty slot. */
  hashOf(text: string): number {
    return Number(Bun.hash.xxHash3(text, this.seed) & hashBitsMask) + 1;
  }

  private makeRoom(): void {
    const full = this.newer;
    if (full.length < slotsMax) {
      this.newer = new Float64Array(slotsMax);
      for (const hash of full) if (hash !== 0) this.newer[slotOf(this.newer, hash)] = hash;
      return;
    }
    this.newer = this.older.length === slotsMax ? this.older.fill(0) : new Float64Array(slotsMax);
    this.older = full;
    this.count = 0;
  }
}

const isIn = (table: Float64Array, hash: number): boolean => table[slotOf(table, hash)] === hash;

/** The slot that has the hash, or where it would be put. */
function slotOf(table: Float64Array, hash: number): number {
  let slot = hash % table.length;
  while (table[slot] !== 0 && table[slot] !== hash) slot = (slot + 1) % table.length;
  return slot;
}
