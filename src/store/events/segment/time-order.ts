import { free } from "../../../lib/free";

/** Few rows are sorted by smaller digits, as each pass goes over a count for each value of a digit. */
const fewRows = 2_048;
const digitBitsOf = (rows: number): number => (rows <= fewRows ? 8 : digitBits);
const digitBits = 14;

/** Returns row numbers in order of time. Rows with equal times keep their order. Mostly two passes are enough. */
export function rowsByTime(times: Uint32Array): Uint32Array {
  return radixSort(null, times);
}

/** The low half of a ticket has two digits and the high half two more. Both are below 2^31, so they stay integers. */
const lowSpan = 2 ** (2 * digitBits);

/** Returns row numbers in order of tickets. */
export function rowsByTicket(tickets: Float64Array): Uint32Array {
  const low = new Uint32Array(tickets.length);
  const high = new Uint32Array(tickets.length);
  let least = tickets[0];
  for (let row = 0; row < tickets.length; row++) if (tickets[row] < least) least = tickets[row];
  for (let row = 0; row < tickets.length; row++) {
    const ticket = tickets[row] - least;
    high[row] = Math.floor(ticket / lowSpan);
    low[row] = ticket - high[row] * lowSpan;
  }
  return radixSort(rowsByTime(low), high);
}

/** Sorts rows by their keys. Rows with equal keys keep their order. Null stands for all rows in their own order. */
function radixSort(rows: Uint32Array | null, keys: Uint32Array): Uint32Array {
  const { length } = keys;
  const bits = digitBitsOf(length);
  const mask = (1 << bits) - 1;
  let largest = 0;
  for (let row = 0; row < length; row++) if (keys[row] > largest) largest = keys[row];
  let from = rows;
  let spare: Uint32Array | null = null;
  for (let shift = 0; largest >>> shift > 0 && shift < 32; shift += bits) {
    const ends = endsOfDigits(keys, shift, mask);
    const to: Uint32Array = spare ?? new Uint32Array(length);
    if (from === null) {
      for (let row = length - 1; row >= 0; row--) {
        to[--ends[(keys[row] >>> shift) & mask]] = row;
      }
    } else {
      for (let i = length - 1; i >= 0; i--) {
        const row = from[i];
        to[--ends[(keys[row] >>> shift) & mask]] = row;
      }
    }
    spare = from;
    from = to;
  }
  if (spare !== null && spare !== rows) free(spare);
  return from ?? Uint32Array.from(keys.keys());
}

/** Returns the end of the rows with each digit in the sorted order. */
function endsOfDigits(keys: Uint32Array, shift: number, mask: number): Uint32Array {
  const ends = new Uint32Array(mask + 1);
  for (let row = 0; row < keys.length; row++) ends[(keys[row] >>> shift) & mask]++;
  for (let digit = 1; digit < ends.length; digit++) ends[digit] += ends[digit - 1];
  return ends;
}
