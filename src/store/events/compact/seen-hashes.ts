/** Of one of two tables: 2 MB. */
const places = 1 << 18;
const hashesMax = places / 2;
const hashBitsMask = (1n << 52n) - 1n;

/**
 * Which texts were seen of late, by their hashes: all of the last hundred thousand and some more. When a table is
 * half full the older one is let go of.
 */
export class SeenHashes {
  private newer = new Float64Array(places);
  private older = new Float64Array(places);
  private count = 0;

  constructor(private readonly seed: bigint) {}

  /** Whether it was seen. */
  has(text: string): boolean {
    const hash = this.hashOf(text);
    return isIn(this.newer, hash) || isIn(this.older, hash);
  }

  add(text: string): void {
    if (this.count === hashesMax) {
      [this.newer, this.older] = [this.older.fill(0), this.newer];
      this.count = 0;
    }
    const hash = this.hashOf(text);
    const place = placeOf(this.newer, hash);
    if (this.newer[place] === hash) return;
    this.newer[place] = hash;
    this.count++;
  }

  /** Outsiders do not know the seed: they cannot make texts that are taken for others. 0 is an empty place. */
  private hashOf(text: string): number {
    return Number(Bun.hash.xxHash3(text, this.seed) & hashBitsMask) + 1;
  }
}

const isIn = (table: Float64Array, hash: number): boolean => table[placeOf(table, hash)] === hash;

/** Where it is, or would be. */
function placeOf(table: Float64Array, hash: number): number {
  let place = hash % places;
  while (table[place] !== 0 && table[place] !== hash) place = (place + 1) % places;
  return place;
}
