import type { Segment } from "../segment/segment";

/** Dense numbers 1 … count for the sessions of some segments; 0 for a visit without session, or of no interest. */
export interface SessionNumbers {
  readonly count: number;
  /** By segment id, one number per visit. */
  readonly of: Map<number, Uint32Array>;
  readonly bytes: number;
}

const sessionsPerPart = 16_384;
/** A part's table is a quarter full when keys spread evenly, which a hash makes them do. */
const slots = 4 * sessionsPerPart;

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
  const table = new PartTable();
  for (let part = 0; part < 2 ** partBits; part++) {
    check();
    table.clear();
    const end = (part + 1) * 2 ** (32 - partBits); // exclusive bound of this part's keys
    for (const input of inputs) {
      const { high, low, numbers, mayBegin } = input;
      let visit = input.next;
      for (; visit < high.length && high[visit] < end; visit++) {
        numbers[visit] = table.number(high[visit], low[visit], mayBegin);
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
function firstWithSession({ sessionHigh, sessionLow }: Segment): number {
  let visit = 0;
  while (visit < sessionHigh.length && sessionHigh[visit] === 0 && sessionLow[visit] === 0) visit++;
  return visit;
}

/** Session keys of one part and their numbers. Grows should a part hold more than expected. */
class PartTable {
  count = 0;
  private slots = slots;
  private used = 0;
  private high = new Uint32Array(slots);
  private low = new Uint32Array(slots);
  private numbers = new Uint32Array(slots);

  clear(): void {
    this.numbers.fill(0);
    this.used = 0;
  }
  /** The session's number; 0 when it is unknown and may not begin here. */
  number(high: number, low: number, mayBegin: boolean): number {
    const slot = this.slotOf(high, low);
    if (this.numbers[slot] !== 0 || !mayBegin) return this.numbers[slot];
    this.high[slot] = high;
    this.low[slot] = low;
    const number = ++this.count;
    this.numbers[slot] = number;
    if (++this.used * 2 > this.slots) this.grow();
    return number;
  }
  private slotOf(high: number, low: number): number {
    const mask = this.slots - 1;
    let slot = low & mask;
    while (this.numbers[slot] !== 0 && (this.high[slot] !== high || this.low[slot] !== low)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }
  private grow(): void {
    const before = { high: this.high, low: this.low, numbers: this.numbers };
    this.slots *= 2;
    this.high = new Uint32Array(this.slots);
    this.low = new Uint32Array(this.slots);
    this.numbers = new Uint32Array(this.slots);
    before.numbers.forEach((number, index) => {
      if (number === 0) return;
      const slot = this.slotOf(before.high[index], before.low[index]);
      this.high[slot] = before.high[index];
      this.low[slot] = before.low[index];
      this.numbers[slot] = number;
    });
  }
}
