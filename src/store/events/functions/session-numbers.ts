import type { Segment } from "../segment/segment";
import { firstWithSession, KeyTable, keysOf, matchVisits } from "./key-table";

/** Dense numbers 1 … count for the sessions of some segments; 0 for a visit without session, or of no interest. */
export interface SessionNumbers {
  readonly count: number;
  /** By segment id, one number per visit; nothing for a segment without any of the sessions. */
  readonly of: Map<number, Uint32Array>;
  readonly bytes: number;
}

const sessionsPerPart = 16_384;

/**
 * Numbers the sessions seen in `segments`, and finds the same sessions in `others`.
 *
 * Visits are sorted by session key in every segment, so the work splits into parts by the top bits of the key: one part
 * after the other, each segment continues where it stopped, and the table of a part fits the processor's cache. Of the
 * others only the high halves of keys are read, unless one of them occurs.
 */
export function numberSessions(
  segments: readonly Segment[],
  others: readonly Segment[],
  check: () => void,
): SessionNumbers {
  const inputs = [...segments, ...others].map((segment, index) => ({
    segment,
    high: segment.sessionHigh,
    low: index < segments.length ? segment.sessionLow : null,
    mayBegin: index < segments.length,
    numbers: index < segments.length ? new Uint32Array(segment.sessionHigh.length) : null,
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
      const { segment, high, mayBegin } = input;
      let visit = input.next;
      for (; visit < high.length && high[visit] < end; visit++) {
        if (!mayBegin && !table.hasHigh(high[visit])) continue;
        input.low ??= segment.sessionLow;
        input.numbers ??= new Uint32Array(high.length);
        input.numbers[visit] = mayBegin
          ? table.number(high[visit], input.low[visit])
          : table.find(high[visit], input.low[visit]);
      }
      input.next = visit;
    }
  }
  const of = new Map<number, Uint32Array>();
  let bytes = 0;
  for (const { segment, numbers } of inputs) {
    if (numbers === null) continue;
    of.set(segment.id, numbers);
    bytes += numbers.byteLength;
  }
  return { count: table.count, of, bytes };
}

/**
 * The same with a few young segments more, from the numbers of the settled ones, which are kept. Cost: one look at the
 * key of every settled visit.
 */
export function withYoung(
  numbers: SessionNumbers,
  settled: readonly Segment[],
  young: readonly Segment[],
  check: () => void,
): SessionNumbers {
  if (young.length === 0) return numbers;
  const keys = new KeyTable();
  const keysIn = young.map((segment) => keysOf(segment, keys));
  const numberOf = new Uint32Array(keys.count + 1);
  matchVisits(settled, keys, check, (segment, visit, key) => {
    numberOf[key] = numbers.of.get(segment.id)?.[visit] ?? 0;
  });
  let { count } = numbers;
  for (let key = 1; key <= keys.count; key++) if (numberOf[key] === 0) numberOf[key] = ++count;
  const added = young.map((segment, index): [number, Uint32Array] => [
    segment.id,
    keysIn[index].map((key) => numberOf[key]),
  ]);
  return { count, of: new Map([...numbers.of, ...added]), bytes: numbers.bytes };
}
