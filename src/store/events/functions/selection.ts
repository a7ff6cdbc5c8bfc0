/**
 * The members with the `count` largest values, and others as large as the last of them, in the order they came. Values
 * are looked at several times.
 */
export function largest(
  members: readonly number[],
  count: number,
  worthOf: (member: number) => number,
): readonly number[] {
  if (members.length <= count) return members;
  const values = new Float64Array(members.length);
  for (let i = 0; i < members.length; i++) values[i] = worthOf(members[i]);
  const least = nthLargest(values, count);
  return members.filter((member) => worthOf(member) >= least);
}

/** The n-th largest of the values (n from 1), found without sorting them all. Changes the order of `values`. */
export function nthLargest(values: Float64Array, n: number): number {
  let left = 0;
  let right = values.length - 1;
  const at = n - 1;
  while (left < right) {
    const pivot = values[(left + right) >>> 1];
    let i = left;
    let j = right;
    while (i <= j) {
      while (values[i] > pivot) i++;
      while (values[j] < pivot) j--;
      if (i > j) break;
      const kept = values[i];
      values[i++] = values[j];
      values[j--] = kept;
    }
    if (at <= j) right = j;
    else if (at >= i) left = i;
    else break;
  }
  return values[at];
}

/**
 * The first `limit` members in ascending order, of more candidates than one would like to sort. Of what is compared,
 * only the best so far is kept.
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
}
