/** In ascending values, the first place from `from` on whose value is not below the bound; their number if none is. */
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
