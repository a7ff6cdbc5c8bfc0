import type { Segment } from "../segment/segment";
import { firstWithSession, KeyTable, keysOf, matchVisits } from "./key-table";

/** Dense numbers 1 … count for the sessions of some segments; 0 for a visit without session, or of no interest. */
export interface SessionNumbers {
  readonly count: number;
  /** By segment id, one number per visit. */
  readonly of: Map<number, Uint32Array>;
  readonly bytes: number;
}

const sessionsPerPart = 16_384;

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
