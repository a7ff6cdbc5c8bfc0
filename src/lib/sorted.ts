/**
 * Returns the first index, from `from` on, at which ascending values are not below the bound, or their number if none
 * is.
 */
export function lowerBound(bound: number, values: ArrayLike<number>, from = 0): number {
  let low = from;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle] < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
