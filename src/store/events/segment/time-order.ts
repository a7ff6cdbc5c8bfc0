import { free } from "../../../lib/free";

/** Few rows are sorted by small digits, as there is a count for each value that a digit may have. */
const fewRows = 2_048;
const digitBitsOf = (rows: number): number => (rows <= fewRows ? 8 : digitBits);
const digitBits = 14;

/**
 * Row numbers by time; rows of equal time in their own order. Times are below 2^32, most often so far below that two
 * passes do.
 */
export function rowsByTime(times: Uint32Array): Uint32Array {
  return ordered(null, times);
}

/** Two digits: what is left of a ticket has two more, and with less than 2^31 each they stay small integers. */
const lowSpan = 2 ** (2 * digitBits);

/** Row numbers by ticket. */
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
  return ordered(rowsByTime(low), high);
}

/** Rows by what they have; those that have the same stay in the order in which they come: their own, if it is null. */
function ordered(rows: Uint32Array | null, times: Uint32Array): Uint32Array {
  const { length } = times;
  const bits = digitBitsOf(length);
  const mask = (1 << bits) - 1;
  let largest = 0;
  for (let row = 0; row < length; row++) if (times[row] > largest) largest = times[row];
  let from = rows;
  let spare: Uint32Array | null = null;
  for (let shift = 0; largest >>> shift > 0 && shift < 32; shift += bits) {
    const ends = endsOfDigits(times, shift, mask);
    const to: Uint32Array = spare ?? new Uint32Array(length);
    if (from === null) {
      for (let row = length - 1; row >= 0; row--) {
        to[--ends[(times[row] >>> shift) & mask]] = row;
      }
    } else {
      for (let i = length - 1; i >= 0; i--) {
        const row = from[i];
        to[--ends[(times[row] >>> shift) & mask]] = row;
      }
    }
    spare = from;
    from = to;
  }
  if (spare !== null && spare !== rows) free(spare);
  return from ?? Uint32Array.from(times.keys());
}

/** Returns where the rows of each digit end. */
function endsOfDigits(times: Uint32Array, shift: number, mask: number): Uint32Array {
  const ends = new Uint32Array(mask + 1);
  for (let row = 0; row < times.length; row++) ends[(times[row] >>> shift) & mask]++;
  for (let digit = 1; digit < ends.length; digit++) ends[digit] += ends[digit - 1];
  return ends;
}
