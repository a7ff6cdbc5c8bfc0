/** Each of the two tables begins with the smaller size, and grows to the larger one (2 MB). */
const slotsMin = 1 << 12;
const slotsMax = 1 << 18;
const hashBitsMask = (1n << 52n) - 1n;

/**
 * A set of the hashes of recent texts. It has at least the last hundred thousand. When the newer table is half full,
 * the older one is dropped.
 */
export class SeenHashes {
  private newer = new Float64Array(slotsMin);
  private older = new Float64Array(slotsMin);
  private count = 0;

  constructor(private readonly seed: bigint) {}

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

  /** Returns a hash above 0. The seed is secret, so that outsiders cannot make texts with equal hashes. */
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

/** Returns the slot of a hash, or the empty slot where it belongs. */
function slotOf(table: Float64Array, hash: number): number {
  let slot = hash % table.length;
  while (table[slot] !== 0 && table[slot] !== hash) slot = (slot + 1) % table.length;
  return slot;
}
