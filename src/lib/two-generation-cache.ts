/**
 * Remembers what was computed for recent keys, for at most `2 × size` of them. Two generations instead of an order of
 * use: a hit is one look into a map, and when the newer one is full the older one goes as a whole.
 */
export class TwoGenerationCache<Key, Value> {
  #newer = new Map<Key, Value>();
  #older = new Map<Key, Value>();

  constructor(private readonly size: number) {}

  get(key: Key, make: (key: Key) => Value): Value {
    const newer = this.#newer.get(key);
    if (newer !== undefined) return newer;
    const older = this.#older.get(key);
    const value = older === undefined ? make(key) : older;
    this.set(key, value);
    return value;
  }
  set(key: Key, value: Value): void {
    if (this.#newer.size >= this.size) {
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#newer.set(key, value);
  }
  delete(key: Key): void {
    this.#newer.delete(key);
    this.#older.delete(key);
  }

  /** The number of keys that are remembered. */
  get count(): number {
    return this.#newer.size + this.#older.size;
  }
}
