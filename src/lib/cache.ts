interface Entry {
  readonly value: unknown;
  readonly bytes: number;
}

/** The bytes that an entry takes besides its value: the key, the map's slot, the object. */
const entryBytes = 200;

/** Least-recently-used values under a bound of bytes. What is larger than the whole bound is not kept. */
export class ByteBoundedCache {
  private readonly entries = new Map<string, Entry>();
  private total = 0;
  private hitCount = 0;
  private missCount = 0;
  private dropped = 0;

  constructor(readonly bytesMax: number) {}

  /** Keys of what one caller stores must not be used by another: the type of the value rests on it. */
  get<T>(key: string, bytesOf: (value: T) => number, make: () => T): T {
    const found = this.entries.get(key);
    if (found !== undefined) {
      // Inserting it again moves the entry to the young end of the map.
      this.entries.delete(key);
      this.entries.set(key, found);
      this.hitCount++;
      return trusted(found.value);
    }
    this.missCount++;
    const value = make();
    this.keep(key, { value, bytes: bytesOf(value) + entryBytes });
    return value;
  }

  /** Keeps a value under its key, whether it was there or not, as if it had been asked for a moment ago. */
  put(key: string, value: unknown, bytes: number): void {
    const entry = this.entries.get(key);
    if (entry !== undefined) {
      this.entries.delete(key);
      this.total -= entry.bytes;
    }
    this.keep(key, { value, bytes: bytes + entryBytes });
  }

  clear(): void {
    this.entries.clear();
    this.total = 0;
  }
  /** Iterates over the keys, beginning with the one that is dropped first. */
  keys(): IterableIterator<string> {
    return this.entries.keys();
  }
  get bytes(): number {
    return this.total;
  }
  /**
   * The bytes of all values that were dropped, or too large to be kept. Other holders of such values may release them
   * too.
   */
  get droppedBytes(): number {
    return this.dropped;
  }
  get hits(): number {
    return this.hitCount;
  }
  get misses(): number {
    return this.missCount;
  }

  private keep(key: string, entry: Entry): void {
    if (entry.bytes > this.bytesMax) {
      this.dropped += entry.bytes;
      return;
    }
    // Making the value may have stored one under the same key.
    this.total -= this.entries.get(key)?.bytes ?? 0;
    this.entries.set(key, entry);
    this.total += entry.bytes;
    for (const [oldest, { bytes }] of this.entries) {
      if (this.total <= this.bytesMax) break;
      this.entries.delete(oldest);
      this.total -= bytes;
      this.dropped += bytes;
    }
  }
}

/** The map cannot say that a key always holds the same type; `get` asks it of its callers. */
function trusted<T>(value: unknown): T;
function trusted(value: unknown): unknown {
  return value;
}
