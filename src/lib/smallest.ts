/**
 * Finds the first `limit` members in ascending order among more candidates than are worth sorting. Only the best so far
 * are kept.
 */
export class Smallest<T> {
  private readonly kept: T[] = [];

  constructor(
    private readonly limit: number,
    private readonly compare: (a: T, b: T) => number,
  ) {}

  offer(candidate: T): void {
    const { kept, limit, compare } = this;
    if (limit === 0) return;
    if (kept.length === limit && compare(candidate, kept[limit - 1]) >= 0) return;
    let low = 0;
    let high = kept.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(kept[middle], candidate) <= 0) low = middle + 1;
      else high = middle;
    }
    if (kept.length === limit) kept.pop();
    kept.splice(low, 0, candidate);
  }
  members(): readonly T[] {
    return this.kept;
  }
  /** The last that would be shown; undefined as long as there is room for any. */
  get last(): T | undefined {
    return this.kept.length < this.limit ? undefined : this.kept[this.limit - 1];
  }
}
