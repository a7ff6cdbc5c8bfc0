import { lowerBound } from "../../../lib/sorted";
import type { Hash } from "../segment/hash";
import type { Segment } from "../segment/segment";

const slotsMin = 1_024;

/** Session keys and their numbers, 1, 2, 3, …, by open addressing. */
export class SessionKeyTable {
  /** The last number given; `clear` does not reset it. */
  count = 0;
  private used = 0;
  private high: Uint32Array;
  private low: Uint32Array;
  private numbers: Uint32Array;

  /** The number of slots is a power of two. */
  constructor(slots = slotsMin) {
    this.high = new Uint32Array(slots);
    this.low = new Uint32Array(slots);
    this.numbers = new Uint32Array(slots);
  }

  clear(): void {
    this.numbers.fill(0);
    this.used = 0;
  }
  /** Returns the number of a key, the next number for a new key. */
  number(high: number, low: number): number {
    const slot = this.slotOf(high, low);
    if (this.numbers[slot] !== 0) return this.numbers[slot];
    this.high[slot] = high;
    this.low[slot] = low;
    const number = ++this.count;
    this.numbers[slot] = number;
    if (++this.used * 2 > this.numbers.length) this.grow();
    return number;
  }
  /** Returns the number of a key; 0 if the table does not have it. */
  find(high: number, low: number): number {
    return this.numbers[this.slotOf(high, low)];
  }

  /** Tells whether the table has a key with this high half. */
  hasHigh(high: number): boolean {
    const { numbers } = this;
    const mask = numbers.length - 1;
    let slot = high & mask;
    while (numbers[slot] !== 0 && this.high[slot] !== high) slot = (slot + 1) & mask;
    return numbers[slot] !== 0;
  }

  /** A filter that passes the high halves of all its keys. */
  addTo(filter: HighFilter): void {
    const { high, numbers } = this;
    for (let slot = 0; slot < numbers.length; slot++) {
      if (numbers[slot] !== 0) filter.add(high[slot]);
    }
  }

  private slotOf(high: number, low: number): number {
    const { numbers } = this;
    const mask = numbers.length - 1;
    let slot = high & mask;
    while (numbers[slot] !== 0 && (this.high[slot] !== high || this.low[slot] !== low)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }
  private grow(): void {
    const { high, low, numbers } = this;
    this.high = new Uint32Array(numbers.length * 2);
    this.low = new Uint32Array(numbers.length * 2);
    this.numbers = new Uint32Array(numbers.length * 2);
    numbers.forEach((number, index) => {
      if (number === 0) return;
      const slot = this.slotOf(high[index], low[index]);
      this.high[slot] = high[index];
      this.low[slot] = low[index];
      this.numbers[slot] = number;
    });
  }
}

/** Visits without session have the key 0, hence they come first. */
export function firstWithSession(segment: Segment): number {
  const { sessionHigh: high } = segment;
  if (high[0] !== 0) return 0;
  const low = segment.sessionLow;
  let visit = 0;
  while (visit < high.length && high[visit] === 0 && low[visit] === 0) visit++;
  return visit;
}

/**
 * Returns the visits of a session, from the first up to the end: keys are sorted, so the visits follow each other. It
 * reads the low halves of keys only if the high half occurs.
 */
export function visitsOfSession(
  segment: Segment,
  [high, low]: Hash,
): readonly [first: number, end: number] {
  const { sessionHigh: highs } = segment;
  let first = lowerBound(high, highs);
  if (highs[first] !== high) return [first, first];
  const { sessionLow: lows } = segment;
  while (highs[first] === high && lows[first] < low) first++;
  let end = first;
  while (highs[end] === high && lows[end] === low) end++;
  return [first, end];
}

/** The key of each visit in the table; 0 without session. */
export function keysOf(segment: Segment, keys: SessionKeyTable): Uint32Array<ArrayBuffer> {
  const { sessionHigh, sessionLow } = segment;
  const of = new Uint32Array(segment.visitCount);
  for (let visit = firstWithSession(segment); visit < of.length; visit++) {
    of[visit] = keys.number(sessionHigh[visit], sessionLow[visit]);
  }
  return of;
}

/** Searches the sorted keys of segments for some keys. */
export class WantedKeys {
  private readonly filter: HighFilter;

  constructor(private readonly keys: SessionKeyTable) {
    this.filter = new HighFilter(keys.count, 32);
    keys.addTo(this.filter);
  }

  /** Calls `see` for each visit of a segment with one of the keys. It reads low halves only if a high one occurs. */
  matchVisits(segment: Segment, see: (visit: number, key: number) => void): void {
    const { sessionHigh: high } = segment;
    let visit = this.next(segment, firstWithSession(segment));
    for (; visit < high.length; visit = this.next(segment, visit + 1)) {
      see(visit, this.keys.find(high[visit], segment.sessionLow[visit]));
    }
  }
  /** Tells whether a segment has any of the keys. */
  areIn(segment: Segment): boolean {
    return this.next(segment, firstWithSession(segment)) < segment.sessionHigh.length;
  }

  private next(segment: Segment, from: number): number {
    const { filter, keys } = this;
    const { sessionHigh: high } = segment;
    const end = high.length;
    let visit = filter.next(high, from, end);
    for (; visit < end; visit = filter.next(high, visit + 1, end)) {
      if (keys.hasHigh(high[visit]) && keys.find(high[visit], segment.sessionLow[visit]) !== 0) {
        break;
      }
    }
    return visit;
  }
}

/** The bits for each key. The filter passes about one of this number of other keys by mistake. */
const bitsPerKey = 32;

/**
 * A filter that rejects nearly every high half that none of its keys has. A bit stands for each of many ranges. Sorted
 * halves read the bits in the order of memory.
 */
export class HighFilter {
  private readonly bits: Uint32Array;
  private readonly shift: number;
  private readonly mask: number;

  /** The table is for about `count` keys whose high halves differ in their lowest `span` bits alone. */
  constructor(count: number, span: number) {
    const size = Math.ceil(Math.log2(Math.max(1, count * bitsPerKey)));
    const rangeBits = Math.min(span, 24, Math.max(10, size));
    this.shift = span - rangeBits;
    this.mask = 2 ** rangeBits - 1;
    this.bits = new Uint32Array(Math.max(1, 2 ** rangeBits / 32));
  }
  add(high: number): void {
    const range = (high >>> this.shift) & this.mask;
    this.bits[range >>> 5] |= 1 << (range & 31);
  }
  /** The first place from `at` on, before `end`, whose value may be one of them; `end` when there is none. */
  next(highs: Uint32Array, at: number, end: number): number {
    const { bits, shift, mask } = this;
    let place = at;
    for (; place < end; place++) {
      const range = (highs[place] >>> shift) & mask;
      if ((bits[range >>> 5] & (1 << (range & 31))) !== 0) break;
    }
    return place;
  }
  clear(): void {
    this.bits.fill(0);
  }
}
