const digitBits = 14;
const digitMask = (1 << digitBits) - 1;

/**
 * Row numbers by time; rows of equal time in their own order. Times are below 2^32, most often so far below that two
 * passes do.
 */
export function rowsByTime(times: Uint32Array): Uint32Array {
  let from = new Uint32Array(times.length);
  let to = new Uint32Array(times.length);
  let largest = 0;
  for (let row = 0; row < times.length; row++) {
    from[row] = row;
    if (times[row] > largest) largest = times[row];
  }
  for (let shift = 0; largest >>> shift > 0 && shift < 32; shift += digitBits) {
    const ends = endsOfDigits(times, shift);
    for (let i = from.length - 1; i >= 0; i--) {
      to[--ends[(times[from[i]] >>> shift) & digitMask]] = from[i];
    }
    [from, to] = [to, from];
  }
  return from;
}

/** Where the rows of each digit end. */
function endsOfDigits(times: Uint32Array, shift: number): Uint32Array {
  const ends = new Uint32Array(digitMask + 1);
  for (let row = 0; row < times.length; row++) ends[(times[row] >>> shift) & digitMask]++;
  for (let digit = 1; digit < ends.length; digit++) ends[digit] += ends[digit - 1];
  return ends;
}
