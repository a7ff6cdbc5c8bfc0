/** The most keys of one object; the table has twice as many slots. */
const keysMax = 2_048;
const slots = 2 * keysMax;
const probesMax = 16;

/**
 * The keys of the objects around the place that is read, one per depth, as hashes: of a key that comes twice
 * JSON.parse keeps the last. Two keys of one hash look like it, and are left to JSON.parse as well.
 */
export class NestedKeys {
  private readonly hashes: Int32Array;
  /** The object that each slot belongs to, so that nothing must be cleared between two objects. */
  private readonly owners: Uint32Array;
  private readonly current: Uint32Array;
  private objects = 0;
  /** The character bits of all keys since it was last set to 0. */
  bits = 0;

  constructor(depthMax: number) {
    this.hashes = new Int32Array(slots * (depthMax + 1));
    this.owners = new Uint32Array(slots * (depthMax + 1));
    this.current = new Uint32Array(depthMax + 1);
  }

  begin(depth: number): void {
    this.objects = (this.objects + 1) >>> 0;
    if (this.objects === 0) {
      this.owners.fill(0);
      this.objects = 1;
    }
    this.current[depth] = this.objects;
  }

  /** Adds a key. It returns false for one that may have come before, or for which there is no room. */
  add(depth: number, hash: number, bits: number): boolean {
    this.bits |= bits;
    const owner = this.current[depth];
    const from = depth * slots;
    for (let probe = 0; probe < probesMax; probe++) {
      const slot = from + ((hash + probe) & (slots - 1));
      if (this.owners[slot] !== owner) {
        this.owners[slot] = owner;
        this.hashes[slot] = hash;
        return true;
      }
      if (this.hashes[slot] === hash) return false;
    }
    return false;
  }
}
