import { lowerBound } from "../../../lib/sorted";
import type { Integers } from "../segment/codec";
import type { Segment } from "../segment/segment";
import type { Budget } from "../sets/budget";
import {
  firstWithSession,
  HighFilter,
  keysOf,
  SessionKeyTable,
  WantedKeys,
} from "./session-key-table";

/** Dense numbers 1 … count for the sessions of some segments; 0 for a visit without session, or of no interest. */
export interface SessionNumbers {
  readonly count: number;
  /** By segment id, the session of each visit; no entry for a segment without any of the sessions. */
  readonly of: ReadonlyMap<number, Uint32Array>;
  readonly bytes: number;
  /** Tells whether every visit of the segments has a session; absent if this is unknown. */
  readonly areAllInSessions?: boolean;
}

/** One number for each visit of a segment. */
export const numbersIn = (
  numbers: SessionNumbers | null,
  { id }: Segment,
): Uint32Array | undefined => numbers?.of.get(id);

const sessionsPerPart = 16_384;
/** A table for fewer sessions would hardly be smaller, because the objects around it take memory, too. */
const sessionsMin = 64;
/** The bytes of both halves of a key. */
const keyBytes = 8;

/** A segment on its way through the parts. */
interface Input {
  readonly segment: Segment;
  readonly high: Uint32Array;
  /**
   * The low halves of keys. If the segment is only searched for sessions of others, these and `numbers` are null until
   * one of those sessions occurs.
   */
  low: Integers | null;
  numbers: Uint32Array | null;
  next: number;
}

/**
 * Numbers the sessions of `segments`, and finds the same sessions in `others`.
 *
 * Every segment has its visits in order of their session keys. So the loop takes the keys in parts by their top bits,
 * each segment continues where it stopped, and the table of a part fits in the processor's cache. It reads only the
 * high halves of the keys of `others`, unless one of them occurs in the table.
 */
export function numberSessions(
  segments: readonly Segment[],
  others: readonly Segment[],
  budget: Budget,
): SessionNumbers {
  const { check } = budget;
  let areAllInSessions = true;
  const inputs = segments.flatMap((segment) => {
    check();
    const high = segment.sessionHigh;
    const next = firstWithSession(segment);
    if (next > 0) areAllInSessions = false;
    if (next === high.length) return [];
    budget.take(keyBytes * high.length);
    return {
      segment,
      high,
      low: segment.sessionLow,
      numbers: budget.words(high.length),
      next,
    };
  });
  const otherInputs = others.map((segment): Input => {
    check();
    const high = segment.sessionHigh;
    budget.take(keyBytes * high.length);
    return { segment, high, low: null, numbers: null, next: firstWithSession(segment) };
  });
  const visits = segments.reduce((sum, segment) => sum + segment.visitCount, 0);
  const partBits = Math.max(0, Math.ceil(Math.log2((visits + 1) / sessionsPerPart)));
  // The table's length is a power of two.
  const perPart = Math.min(sessionsPerPart, 2 ** Math.ceil(Math.log2(visits + sessionsMin)));
  // Keys are hashes and spread evenly, so the table gets a quarter full.
  const table = new SessionKeyTable(4 * perPart);
  const filter = new HighFilter(perPart, 32 - partBits);
  for (let part = 0; part < 2 ** partBits; part++) {
    check();
    table.clear();
    const end = (part + 1) * 2 ** (32 - partBits); // exclusive bound of this part's keys
    filter.clear();
    for (const input of inputs) numberPart(input, end, table, others.length === 0 ? null : filter);
    for (const input of otherInputs) findPart(input, end, table, filter);
  }
  const of = new Map<number, Uint32Array>();
  for (const { segment, numbers } of [...inputs, ...otherInputs])
    if (numbers !== null) of.set(segment.id, numbers);
  // These bytes are columns, which stay in the cache and are no garbage.
  for (const { high } of [...inputs, ...otherInputs]) budget.putAside(keyBytes * high.length);
  return { count: table.count, of, bytes: bytesOf(of), areAllInSessions };
}

function numberPart(
  input: Input & { readonly low: Integers; readonly numbers: Uint32Array },
  end: number,
  table: SessionKeyTable,
  filter: HighFilter | null,
): void {
  const { high, low, numbers, next } = input;
  let stop = next;
  for (; stop < high.length && high[stop] < end; stop++) {
    numbers[stop] = table.number(high[stop], low[stop]);
  }
  if (filter !== null) for (let v = next; v < stop; v++) filter.add(high[v]);
  input.next = stop;
}

/** Finds the sessions of one part in a segment. A segment without any of them gets no numbers. */
function findPart(input: Input, end: number, table: SessionKeyTable, filter: HighFilter): void {
  const { segment, high, next } = input;
  const stop = lowerBound(end, high, next);
  input.next = stop;
  for (let v = filter.next(high, next, stop); v < stop; v = filter.next(high, v + 1, stop)) {
    if (!table.hasHigh(high[v])) continue;
    input.low ??= segment.sessionLow;
    const number = table.find(high[v], input.low[v]);
    if (number === 0) continue;
    input.numbers ??= new Uint32Array(high.length);
    input.numbers[v] = number;
  }
}

/** Numbers only the sessions with these keys, by the numbers of the keys. Their visits lie in few segments. */
export function numberFew(
  keys: SessionKeyTable,
  segments: readonly Segment[],
  check: () => void,
): SessionNumbers {
  const numberOf = Uint32Array.from({ length: keys.count + 1 }, (_, key) => key);
  const matches = matchesIn(segments, keys, check);
  const of = new Map(matches.map((match) => [match.id, numbersOfMatch(match, numberOf)]));
  return { count: keys.count, of, bytes: bytesOf(of) };
}

/** The segments of a question, and the other segments of the project, in which the same sessions may continue. */
export interface SessionSource {
  readonly inside: readonly Segment[];
  readonly others: readonly Segment[];
}

/** Session numbers that include further segments, and the differences to the numbers without them. */
export interface ExtendedNumbers {
  readonly numbers: SessionNumbers;
  /** The sessions that have further visits. */
  readonly changed: Uint32Array;
  /** By segment, the numbers of all visits of new and changed sessions; 0 for other visits. */
  readonly visits: ReadonlyMap<number, Uint32Array>;
}

/**
 * Numbers the sessions of further segments. Known sessions keep their numbers. `below` are the known segments that
 * may share sessions with them. Returns null if nothing changes. Cost: reading each key of `below` once.
 */
export function extendNumbers(
  known: SessionNumbers,
  { inside, others }: SessionSource,
  below: readonly Segment[],
  check: () => void,
): ExtendedNumbers | null {
  const keys = new SessionKeyTable();
  const keysIn = [...inside, ...others].map((segment) => keysOf(segment, keys));
  const numberOf = new Uint32Array(keys.count + 1);
  const matches = matchesIn(below, keys, check);
  for (const { id, visits, keys: found } of matches) {
    const numbers = known.of.get(id);
    if (numbers !== undefined)
      visits.forEach((visit, place) => {
        if (numbers[visit] !== 0) numberOf[found[place]] = numbers[visit];
      });
  }
  const changed = numberOf.filter((n) => n !== 0);
  let { count } = known;
  for (const of of keysIn.slice(0, inside.length))
    for (const key of of) if (key !== 0 && numberOf[key] === 0) numberOf[key] = ++count;
  const of = new Map(known.of);
  const visits = new Map<number, Uint32Array>();
  for (const match of matches) {
    const numbers = numbersOfMatch(match, numberOf);
    if (numbers.every((n) => n === 0)) continue;
    visits.set(match.id, numbers);
    of.set(match.id, joined(known.of.get(match.id), numbers));
  }
  [...inside, ...others].forEach(({ id }, index) => {
    check();
    const numbers = keysIn[index].map((key) => numberOf[key]);
    if (numbers.every((n) => n === 0)) return;
    visits.set(id, numbers);
    of.set(id, numbers);
  });
  if (visits.size === 0 && inside.length === 0) return null;
  const bytes = bytesOf(visits);
  const areAllInSessions =
    known.areAllInSessions === true && inside.every((segment) => firstWithSession(segment) === 0);
  return { numbers: { count, of, bytes, areAllInSessions }, changed, visits };
}

export const bytesOf = (numbers: ReadonlyMap<number, Uint32Array>): number =>
  numbers.values().reduce((sum, { byteLength }) => sum + byteLength, 0);

/** The visits of a segment that have one of the wanted keys. */
interface Match {
  readonly id: number;
  readonly visitCount: number;
  readonly visits: readonly number[];
  readonly keys: readonly number[];
}
function matchesIn(
  segments: readonly Segment[],
  keys: SessionKeyTable,
  check: () => void,
): readonly Match[] {
  const wanted = new WantedKeys(keys);
  return segments.flatMap((segment) => {
    check();
    const match = { visits: [] as number[], keys: [] as number[] };
    wanted.matchVisits(segment, (visit, key) => {
      match.visits.push(visit);
      match.keys.push(key);
    });
    const { id, visitCount } = segment;
    return match.visits.length === 0 ? [] : { id, visitCount, ...match };
  });
}
function numbersOfMatch({ visits, keys, visitCount }: Match, numberOf: Uint32Array): Uint32Array {
  const numbers = new Uint32Array(visitCount);
  visits.forEach((visit, place) => {
    numbers[visit] = numberOf[keys[place]];
  });
  return numbers;
}
/** Returns the numbers of a known segment with the new ones; the same array if there are none. */
function joined(known: Uint32Array | undefined, numbers: Uint32Array): Uint32Array {
  if (known === undefined) return numbers;
  if (numbers.every((n, visit) => n === 0 || known[visit] === n)) return known;
  return known.map((n, visit) => numbers[visit] || n);
}
