import type { Segment } from "../segment/segment";

/** Dense numbers 1 … count for the sessions of some segments; 0 for a visit without session, or of no interest. */
export interface SessionNumbers {
  readonly count: number;
  /** By segment id, one number per visit. */
  readonly of: Map<number, Uint32Array>;
  readonly bytes: number;
}

const sessionsPerPart = 16_384;
const keyTableSlotsMin = 1_024;

/**
 * Numbers the sessions seen in `segments`, and finds the same sessions in `others`.
 *
 * Visits are sorted by session key in every segment, so the work splits into parts by the top bits of the key: one part
 * after the other, each segment continues where it stopped, and the table of a part fits the processor's cache.
 */
export function numberSessions(
  segments: readonly Segment[],
  others: readonly Segment[],
  check: () => void,
): SessionNumbers {
  const inputs = [...segments, ...others].map((segment, index) => ({
    high: segment.sessionHigh,
    low: segment.sessionLow,
    numbers: new Uint32Array(segment.visitCount),
    mayBegin: index < segments.length,
    next: firstWithSession(segment),
  }));
  const visits = segments.reduce((sum, segment) => sum + segment.visitCount, 0);
  const partBits = Math.max(0, Math.ceil(Math.log2((visits + 1) / sessionsPerPart)));
  // A quarter full when keys spread evenly, which a hash makes them do.
  const table = new KeyTable(4 * sessionsPerPart);
  for (let part = 0; part < 2 ** partBits; part++) {
    check();
    table.clear();
    const end = (part + 1) * 2 ** (32 - partBits); // exclusive bound of this part's keys
    for (const input of inputs) {
      const { high, low, numbers, mayBegin } = input;
      let visit = input.next;
      for (; visit < high.length && high[visit] < end; visit++) {
        numbers[visit] = mayBegin
          ? table.number(high[visit], low[visit])
          : table.find(high[visit], low[visit]);
      }
      input.next = visit;
    }
  }
  const ids = [...segments, ...others].map(({ id }) => id);
  return {
    count: table.count,
    of: new Map(ids.map((id, index) => [id, inputs[index].numbers])),
    bytes: inputs.reduce((sum, { numbers }) => sum + numbers.byteLength, 0),
  };
}

/** Visits without session have the key 0, hence they come first. */
export function firstWithSession({ sessionHigh, sessionLow }: Segment): number {
  let visit = 0;
  while (visit < sessionHigh.length && sessionHigh[visit] === 0 && sessionLow[visit] === 0) visit++;
  return visit;
}

/** Session keys and their numbers, 1, 2, 3, …, by open addressing. */
export class KeyTable {
  /** The last number given; `clear` does not begin anew. */
  count = 0;
  private used = 0;
  private high: Uint32Array;
  private low: Uint32Array;
  private numbers: Uint32Array;

  /** The number of slots is a power of two. */
  constructor(slots = keyTableSlotsMin) {
    this.high = new Uint32Array(slots);
    this.low = new Uint32Array(slots);
    this.numbers = new Uint32Array(slots);
  }

  clear(): void {
    this.numbers.fill(0);
    this.used = 0;
  }
  /** The key's number, the next one when it is new. */
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
  /** The key's number, 0 when it is unknown. */
  find(high: number, low: number): number {
    return this.numbers[this.slotOf(high, low)];
  }

  forEachLow(see: (low: number) => void): void {
    this.numbers.forEach((number, slot) => {
      if (number !== 0) see(this.low[slot]);
    });
  }

  private slotOf(high: number, low: number): number {
    const { numbers } = this;
    const mask = numbers.length - 1;
    let slot = low & mask;
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
