const digitBits = 14;
const digitMask = (1 << digitBits) - 1;

/**
 * Row numbers by time; rows of equal time in their own order. Times are below 2^32, most often so far below that two
 * passes do.
 */
export function rowsByTime(times: Uint32Array): Uint32Array<ArrayBuffer> {
  const rows = new Uint32Array(times.length);
  for (let row = 0; row < rows.length; row++) rows[row] = row;
  return ordered(rows, times);
}

/** Two digits: what is left of a ticket has two more, and with less than 2^31 each they stay small integers. */
const lowSpan = 2 ** (2 * digitBits);

/** Row numbers by ticket. */
export function rowsByTicket(tickets: Float64Array): Uint32Array {
  const low = new Uint32Array(tickets.length);
  const high = new Uint32Array(tickets.length);
  let least = tickets[0];
  for (const ticket of tickets) if (ticket < least) least = ticket;
  for (let row = 0; row < tickets.length; row++) {
    const ticket = tickets[row] - least;
    high[row] = Math.floor(ticket / lowSpan);
    low[row] = ticket - high[row] * lowSpan;
  }
  return ordered(rowsByTime(low), high);
}

/** The rows by what they have; those that have the same stay in the order in which they come. */
function ordered(rows: Uint32Array<ArrayBuffer>, times: Uint32Array): Uint32Array<ArrayBuffer> {
  let from = rows;
  let to = new Uint32Array(rows.length);
  let largest = 0;
  for (const time of times) if (time > largest) largest = time;
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
