import type { CountGroup } from "../../../domain/counting";
import { dayOf } from "../../../domain/event";
import { textOf } from "../../../domain/filter";
import { dayMs, hourMs } from "../../../lib/clock";
import type { Integers } from "../segment/codec";
import type { Segment } from "../segment/segment";
import type { Identity } from "./identity";

/** Users are labelled by number until they are shown. */
export type Label = string | number | null;

/** A way of telling the rows of one segment apart: a code per row, and what each code stands for. */
interface Dimension {
  /** Null: all rows alike, code 0. */
  readonly codes: Integers | null;
  /** Codes are below this. */
  readonly size: number;
  readonly label: (code: number) => Label;
}

/** Several dimensions as one. */
export interface Grouping {
  readonly codes: Integers | null;
  readonly size: number;
  readonly labels: (code: number) => Label[];
}

/** The groups of a segment's rows. Cost: a pass over the rows for each dimension but the first. */
export function groupingOf(
  segment: Segment,
  groupBy: readonly CountGroup[],
  identity: Identity,
): Grouping {
  const dimensions = groupBy.map((name) => dimensionOf(segment, name, identity));
  if (dimensions.length === 0) return { codes: null, size: 1, labels: () => [] };
  const [{ codes, size, label }, ...rest] = dimensions;
  const first: Grouping = { codes, size, labels: (code) => [label(code)] };
  return rest.reduce((left, right) => paired(left, right, segment.eventCount), first);
}

function dimensionOf(segment: Segment, name: CountGroup, identity: Identity): Dimension {
  switch (name) {
    case "event":
      return dictionaryDimension(segment, "event.name");
    case "country":
      return dictionaryDimension(segment, "event.country");
    case "user_id":
      return userDimension(segment, identity);
    case "session_id":
      return sessionDimension(segment);
    case "day":
      return dayDimension(segment);
    case "hour":
      return hourDimension(segment, (hour) => hour);
    case "weekday_hour": // 1 January 1970 was a Thursday
      return hourDimension(segment, (hour) => ((Math.floor(hour / 24) + 4) % 7) * 24 + (hour % 24));
    default:
      return dictionaryDimension(segment, `property.${name.slice("properties.".length)}`);
  }
}

function dictionaryDimension(segment: Segment, column: string): Dimension {
  const dictionary = segment.dictionary(column);
  return {
    codes: segment.codes(column),
    size: dictionary.length + 1,
    label: (code) => (code === 0 ? null : textOf(dictionary[code - 1])),
  };
}

function userDimension(segment: Segment, identity: Identity): Dimension {
  const users = identity.usersOf(segment);
  const codeOf = new Map<number, number>();
  const distinct: number[] = [];
  const codes = perVisit(segment, (visit) => {
    let code = codeOf.get(users[visit]);
    if (code === undefined) {
      code = distinct.push(users[visit]) - 1;
      codeOf.set(users[visit], code);
    }
    return code;
  });
  return { codes, size: distinct.length, label: (code) => distinct[code] || null };
}

/** Visits are sorted by session, so those of one session follow each other. */
function sessionDimension(segment: Segment): Dimension {
  const { sessionIds, sessionHigh, sessionLow } = segment;
  const firstVisit: number[] = [];
  const codes = perVisit(segment, (visit) => {
    const isSame =
      visit > 0 &&
      sessionHigh[visit] === sessionHigh[visit - 1] &&
      sessionLow[visit] === sessionLow[visit - 1];
    if (!isSame) firstVisit.push(visit);
    return firstVisit.length - 1;
  });
  return { codes, size: firstVisit.length, label: (code) => sessionIds[firstVisit[code]] };
}

/** Nearly every segment is of one day, which needs no look at times. */
function dayDimension(segment: Segment): Dimension {
  const first = dayOf(segment.firstTime);
  const last = dayOf(segment.lastTime);
  if (first === last) return { codes: null, size: 1, label: () => first };
  const { times } = segment;
  const codes = new Uint16Array(times.length);
  const offset = segment.firstTime - first * dayMs;
  for (let i = 0; i < times.length; i++) codes[i] = (offset + times[i]) / dayMs;
  return { codes, size: last - first + 1, label: (code) => first + code };
}

function hourDimension(segment: Segment, labelOf: (hour: number) => number): Dimension {
  const first = Math.floor(segment.firstTime / hourMs);
  const { times } = segment;
  const codes = new Uint16Array(times.length);
  const offset = segment.firstTime - first * hourMs;
  for (let i = 0; i < times.length; i++) codes[i] = (offset + times[i]) / hourMs;
  const size = Math.floor(segment.lastTime / hourMs) - first + 1;
  return { codes, size, label: (code) => labelOf(first + code) };
}

function perVisit(segment: Segment, codeOf: (visit: number) => number): Uint32Array {
  const codes = new Uint32Array(segment.eventCount);
  const { firstRows } = segment;
  for (let v = 0; v + 1 < firstRows.length; v++) {
    codes.fill(codeOf(v), firstRows[v], firstRows[v + 1]);
  }
  return codes;
}

/** Up to here pairs are looked up in an array (16 MB), beyond in a map. */
const pairTableSizeMax = 1 << 22;

/** The pairs that occur, numbered in order of first use. */
function paired(left: Grouping, right: Dimension, count: number): Grouping {
  const pairs: number[] = [];
  const codes = new Uint32Array(count);
  const isDense = left.size * right.size <= pairTableSizeMax;
  const dense = new Uint32Array(isDense ? left.size * right.size : 0); // code + 1; 0 = not seen
  const sparse = new Map<number, number>();
  for (let i = 0; i < count; i++) {
    const leftCode = left.codes === null ? 0 : left.codes[i];
    const rightCode = right.codes === null ? 0 : right.codes[i];
    const pair = leftCode * right.size + rightCode;
    let code = isDense ? dense[pair] : (sparse.get(pair) ?? 0);
    if (code === 0) {
      code = pairs.push(pair);
      if (isDense) dense[pair] = code;
      else sparse.set(pair, code);
    }
    codes[i] = code - 1;
  }
  return {
    codes,
    size: pairs.length,
    labels: (code) => [
      ...left.labels(Math.floor(pairs[code] / right.size)),
      right.label(pairs[code] % right.size),
    ],
  };
}
