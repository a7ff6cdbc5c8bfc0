const generationMax = 131_072;

/**
 * Remembers what was used last: at least so many entries, at most twice as many. When the young generation is full it
 * becomes the old one, and what is still in use moves back; there is never a moment at which all is forgotten.
 */
export class Recent<V> {
  private young = new Map<string, V>();
  private old = new Map<string, V>();

  constructor(private readonly max: number = generationMax) {}

  get(key: string): V | undefined {
    const value = this.young.get(key);
    if (value !== undefined) return value;
    const older = this.old.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }
  set(key: string, value: V): void {
    if (this.young.size >= this.max) {
      this.old = this.young;
      this.young = new Map();
    }
    this.young.set(key, value);
  }
  delete(key: string): void {
    this.young.delete(key);
    this.old.delete(key);
  }
}
