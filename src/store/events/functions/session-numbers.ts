import type { Segment } from "../segment/segment";
import { firstWithSession, HighFilter, KeyTable, keysOf, WantedKeys } from "./key-table";

/** Dense numbers 1 … count for the sessions of some segments; 0 for a visit without session, or of no interest. */
export interface SessionNumbers {
  readonly count: number;
  /** By segment id, one number per visit; nothing for a segment without any of the sessions. */
  readonly of: Map<number, Uint32Array>;
  readonly bytes: number;
}

const sessionsPerPart = 16_384;

/** A segment on its way through the parts. */
interface Input {
  readonly segment: Segment;
  readonly high: Uint32Array;
  next: number;
}

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
  const inputOf = (segment: Segment): Input => ({
    segment,
    high: segment.sessionHigh,
    next: firstWithSession(segment),
  });
  const inputs = segments.map(inputOf);
  const otherInputs = others.map(inputOf);
  const of = new Map(inputs.map(({ segment, high }) => [segment.id, new Uint32Array(high.length)]));
  const visits = segments.reduce((sum, segment) => sum + segment.visitCount, 0);
  const partBits = Math.max(0, Math.ceil(Math.log2((visits + 1) / sessionsPerPart)));
  // A quarter full when keys spread evenly, which a hash makes them do.
  const table = new KeyTable(4 * sessionsPerPart);
  const filter = new HighFilter(sessionsPerPart, 32 - partBits);
  for (let part = 0; part < 2 ** partBits; part++) {
    check();
    table.clear();
    const end = (part + 1) * 2 ** (32 - partBits); // exclusive bound of this part's keys
    for (const input of inputs) numberPart(input, end, table, of.get(input.segment.id)!);
    if (others.length === 0) continue;
    filter.clear();
    table.forEachHigh((high) => filter.add(high));
    for (const input of otherInputs) findPart(input, end, table, filter, of);
  }
  let bytes = 0;
  for (const numbers of of.values()) bytes += numbers.byteLength;
  return { count: table.count, of, bytes };
}

function numberPart(input: Input, end: number, table: KeyTable, numbers: Uint32Array): void {
  const { segment, high, next } = input;
  const low = segment.sessionLow;
  input.next = placeOf(end, high, next);
  for (let v = next; v < input.next; v++) numbers[v] = table.number(high[v], low[v]);
}

/** A segment in which nothing is found gets no numbers. */
function findPart(
  input: Input,
  end: number,
  table: KeyTable,
  filter: HighFilter,
  of: Map<number, Uint32Array>,
): void {
  const { segment, high, next } = input;
  const stop = placeOf(end, high, next);
  input.next = stop;
  for (let v = filter.next(high, next, stop); v < stop; v = filter.next(high, v + 1, stop)) {
    if (!table.hasHigh(high[v])) continue;
    const number = table.find(high[v], segment.sessionLow[v]);
    if (number === 0) continue;
    let numbers = of.get(segment.id);
    if (numbers === undefined) {
      numbers = new Uint32Array(high.length);
      of.set(segment.id, numbers);
    }
    numbers[v] = number;
  }
}

/** Of the sorted values, the first place from `at` on whose value is not below the bound. */
function placeOf(bound: number, values: Uint32Array, at: number): number {
  let from = at;
  let to = values.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (values[middle] < bound) from = middle + 1;
    else to = middle;
  }
  return from;
}

/**
 * The same with a few young segments more, from the numbers of the settled ones, which are kept. `settled` are those
 * that may hold the same sessions. Cost: one look at the key of each of their visits.
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
  const wanted = new WantedKeys(keys);
  for (const segment of settled) {
    check();
    wanted.matchVisits(segment, (visit, key) => {
      numberOf[key] = numbers.of.get(segment.id)?.[visit] ?? 0;
    });
  }
  let { count } = numbers;
  for (let key = 1; key <= keys.count; key++) if (numberOf[key] === 0) numberOf[key] = ++count;
  const added = young.map((segment, index): [number, Uint32Array] => [
    segment.id,
    keysIn[index].map((key) => numberOf[key]),
  ]);
  return { count, of: new Map([...numbers.of, ...added]), bytes: numbers.bytes };
}
