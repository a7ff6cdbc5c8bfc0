/*
 * What filters found is kept.
 * Decision: which rows of a segment pass the filters of a read, or of a step of a funnel, a byte each, and what follows
 * from it by visit and by code, is in the reader's cache like a column, under the filters' text. Filters of users, of
 * what these did and of fields of sessions are asked each time: what is stored later may change their answers.
 * Because: a page asks all its cards with the same filters, and again when they are opened; half of the time of a
 * funnel with filtered steps was to find their events again.
 * Cost: a byte for each event and up to five for each visit, in place of the columns that the filters ask, which such
 * reads do not need again.
 * Revisit: if caches are so small that these displace columns.
 */

import type { Condition } from "../../../../domain/filter";
import { type FilterItem, isAnyOf, isDid, isOncePer } from "../../../../domain/filter-items";
import { isOfSessions } from "../../../../domain/visitor-field";
import type { Integers } from "../../segment/codec";
import { bytesOfArray, type Segment } from "../../segment/segment";
import type { Rows } from "../sets/rows";

/** Longer lists of filters are hardly asked twice, and their text stands in each key of the cache. */
const keptTextCharsMax = 1_024;

/** With a smaller part of a segment's rows, walking a list of them is faster than walking the marks of all. */
export const fewPart = 1 / 16;
/** One row in this number is looked at before the others, as most filters pass many rows or few in all of a segment. */
const sampledEach = 64;
/** More marks among those than this many times the share of few rows say that there are too many. */
const sampleFactor = 2;

/** The bytes of marks, and of the list of them that there is when they are few. */
export const bytesOfMarks = ({ length }: Uint8Array): number =>
  length + Uint32Array.BYTES_PER_ELEMENT * fewPart * length;

/** What is known of marks, which nobody changes once they were selected. */
interface Known {
  /** What the cache calls all that follows from these filters; null when it is not kept. */
  readonly name: string | null;
  /** They are all rows of some visits, so that a visit is told by any of its rows. */
  readonly isOfVisits: boolean;
  /** A 1 for each visit that has one of the rows. */
  visits: Uint8Array | null;
  /** The number of the rows; null when they were not counted. */
  count: number | null;
  /** The rows themselves where they are few, null where they are not; undefined when nobody has looked. */
  few: Uint32Array | null | undefined;
}
const unknown: Known = {
  ...{ name: null, isOfVisits: false, visits: null, count: null, few: undefined },
};
const knownOf = new WeakMap<Uint8Array, Known>();

/** The name of what is kept of filters, or null for those that are asked each time. JSON tells where it ends. */
export function keptName(items: readonly FilterItem[]): string | null {
  if (!items.every(isOfStoredValues)) return null;
  const text = JSON.stringify(items);
  return text.length <= keptTextCharsMax ? text : null;
}

const isOfStoredValues = (item: FilterItem): boolean =>
  isAnyOf(item)
    ? item.any.every(isOfStoredValues)
    : !isDid(item) && !isOncePer(item) && isOfEvents(item);

/** Tells whether a condition is worth keeping: nobody asks twice about a moment or about one session. */
const isOfEvents = ({ field }: Condition): boolean =>
  !isOfSessions(field) && !["user_id", "session_id", "timestamp"].includes(field);

/** The rows that pass, of which the cache may know. */
export function keptRows(segment: Segment, name: string, find: () => Rows | false): Rows | false {
  // Marks by visit may join them, of which there are no more: to count visits would open a column for nothing else.
  const bytesOf = (rows: Uint8Array) => bytesOfMarks(rows) + rows.length + 2 * name.length;
  const rows = segment.derive(`rows passing ${name}`, bytesOf, () => {
    const found = find();
    if (found === false) return new Uint8Array(0);
    return found ?? new Uint8Array(segment.eventCount).fill(1);
  });
  if (rows.length === 0) return false;
  if (knowledgeOf(rows).name !== name) knownOf.set(rows, { ...knowledgeOf(rows), name });
  return rows;
}

/** What filters found that ask nothing but visits: it is known of these. */
export function rowsOfVisits(segment: Segment, visits: Uint8Array): Uint8Array {
  const rows = markedVisits(segment, visits);
  knownOf.set(rows, { ...unknown, isOfVisits: true, visits });
  return rows;
}

/** The rows of some visits, which are told by 1. */
export function markedVisits(segment: Segment, visits: Uint8Array): Uint8Array {
  const { firstRows } = segment;
  const rows = new Uint8Array(segment.eventCount);
  for (let v = 0; v < visits.length; v++) {
    if (visits[v] === 0) continue;
    const end = firstRows[v + 1];
    for (let i = firstRows[v]; i < end; i++) rows[i] = 1;
  }
  return rows;
}

/** Returns the marks of a part from those of its whole segment; false when it has none. */
export function rowsOfPart(part: Segment, whole: Uint8Array): Uint8Array | false {
  if (areOfVisits(whole)) {
    const visits = visitsOfPart(part, whole);
    return visits && rowsOfVisits(part, visits);
  }
  const rows = part.ofRows(whole);
  return rows.includes(1) && rows;
}

/** Tells whether the rows are known to be all rows of some visits. */
export const areOfVisits = (rows: Uint8Array): boolean => knownOf.get(rows)?.isOfVisits === true;

/** Returns the visits of a part that have a mark of the whole segment; false when none has. */
export function visitsOfPart(part: Segment, whole: Uint8Array): Uint8Array | false {
  const visits = part.ofVisits(visitsWithRow(part.whole, whole));
  return visits.includes(1) && visits;
}

/**
 * Returns a 1 for each visit that has one of the rows. The questions of a read ask about the same rows again and again.
 */
export function visitsWithRow(segment: Segment, rows: Uint8Array): Uint8Array {
  const known = knowledgeOf(rows);
  if (known.visits !== null) return known.visits;
  const { firstRows, visitCount } = segment;
  const visits = new Uint8Array(visitCount);
  const few = fewOf(rows);
  if (few !== null) {
    eachWithVisit(segment, few, (_, visit) => {
      visits[visit] = 1;
    });
  } else {
    for (let v = 0; v < visitCount; v++) {
      if (hasRow(rows, firstRows[v], firstRows[v + 1])) visits[v] = 1;
    }
  }
  known.visits = visits;
  return visits;
}

/** Says which rows are marked: these, ascending. To be forgotten when marks are taken away. */
export function noteFew(rows: Uint8Array, few: Uint32Array): void {
  const known = knowledgeOf(rows);
  known.few = few;
  known.count = few.length;
}
export function forgetFew(rows: Uint8Array): void {
  const known = knowledgeOf(rows);
  known.few = undefined;
  known.count = null;
}

/** Returns the marked rows, ascending; null when they are too many to be walked like that, or seem to be. */
export function fewOf(rows: Uint8Array): Uint32Array | null {
  const known = knowledgeOf(rows);
  if (known.few === undefined) {
    known.few = listOf(rows, Math.floor(fewPart * rows.length));
    known.count ??= known.few?.length ?? null;
  }
  return known.few;
}

/**
 * Returns the marked rows, ascending; null when there are more than `most`, or a sample of the rows says so.
 * Four marks are looked at together.
 */
function listOf(rows: Uint8Array, most: number): Uint32Array | null {
  let sampled = 0;
  for (let i = 0; i < rows.length; i += sampledEach) sampled += rows[i];
  if (sampled * sampledEach > sampleFactor * most + sampledEach) return null;
  const list = new Uint32Array(most);
  const words = new Uint32Array(rows.buffer, rows.byteOffset, rows.length >>> 2);
  let count = 0;
  for (let w = 0; w <= words.length; w++) {
    if (w < words.length && words[w] === 0) continue;
    const end = w < words.length ? 4 * w + 4 : rows.length;
    for (let i = 4 * w; i < end; i++) {
      if (rows[i] === 0) continue;
      if (count === most) return null;
      list[count++] = i;
    }
  }
  return list.slice(0, count);
}

/** Calls for each of some rows, which ascend, with the visit that it belongs to. */
export function eachWithVisit(
  { firstRows }: Segment,
  rows: Uint32Array,
  see: (row: number, visit: number) => void,
): void {
  let visit = 0;
  for (let i = 0; i < rows.length; i++) {
    while (firstRows[visit + 1] <= rows[i]) visit++;
    see(rows[i], visit);
  }
}

/** Counts the rows of the visits that are marked by 1. */
export function countOfVisits({ firstRows }: Segment, visits: Uint8Array): number {
  let count = 0;
  for (let v = 0; v < visits.length; v++) {
    if (visits[v] === 1) count += firstRows[v + 1] - firstRows[v];
  }
  return count;
}

/** Counts the rows of a segment that are among them. */
export function countOf(rows: Rows, segment: Segment): number {
  if (rows === null) return segment.eventCount;
  const known = knowledgeOf(rows);
  known.count ??=
    known.isOfVisits && known.visits !== null
      ? countOfVisits(segment, known.visits)
      : rowsBetween(rows, 0, segment.eventCount);
  return known.count;
}

function knowledgeOf(rows: Uint8Array): Known {
  const known = knownOf.get(rows) ?? { ...unknown };
  knownOf.set(rows, known);
  return known;
}

/** Tells whether any of the rows from `first` up to `end` is among them. */
export function hasRow(rows: Rows, first: number, end: number): boolean {
  if (rows === null) return first < end;
  for (let i = first; i < end; i++) if (rows[i] === 1) return true;
  return false;
}

/** Counts the rows from `first` up to `end` that are among them. */
export function rowsBetween(rows: Rows, first: number, end: number): number {
  if (rows === null) return end - first;
  let count = 0;
  for (let i = first; i < end; i++) count += rows[i];
  return count;
}

/**
 * What follows by visit from the codes of a column in all rows, or in the marked ones: `make` for those. Null where
 * that is known for neither these rows nor their visits.
 */
export function ofMarkedVisits(
  segment: Segment,
  rows: Rows,
  name: string,
  make: (rows: Rows) => Int32Array<ArrayBuffer>,
): Int32Array<ArrayBuffer> | null {
  const known = rows === null ? undefined : knownOf.get(rows);
  if (rows !== null && known !== undefined && known.name !== null) {
    return segment.derive(`passing ${known.name}: ${name}`, bytesOfArray, () => make(rows));
  }
  if (rows !== null && known?.isOfVisits !== true) return null;
  const ofAll = segment.derive(name, bytesOfArray, () => make(null));
  if (rows === null) return ofAll;
  const visits = visitsWithRow(segment, rows);
  const ofMarked = new Int32Array(visits.length);
  for (let v = 0; v < visits.length; v++) if (visits[v] === 1) ofMarked[v] = ofAll[v];
  return ofMarked;
}

/** Counts the marked rows that have each code of a column. For a small dictionary the counts are kept with the rows. */
export function codeCountsOf(
  segment: Segment,
  rows: Uint8Array,
  column: string,
  size: number,
): Uint32Array {
  const known = knowledgeOf(rows);
  const count = (): Uint32Array => {
    const counts = new Uint32Array(size);
    const codes = segment.codes(column);
    const few = codes === null || known.isOfVisits ? null : fewOf(rows);
    if (codes === null) counts[0] = countOf(rows, segment);
    else if (few !== null) for (let i = 0; i < few.length; i++) counts[codes[few[i]]]++;
    else if (known.isOfVisits) addVisits(segment, visitsWithRow(segment, rows), codes, counts);
    else for (let i = 0; i < codes.length; i++) counts[codes[i]] += rows[i];
    return counts;
  };
  if (known.name === null || segment.isDictionaryApart(column)) return count();
  return segment.derive(`passing ${known.name}: counts of ${column}`, bytesOfArray, count);
}

function addVisits(
  { firstRows }: Segment,
  visits: Uint8Array,
  codes: Integers,
  counts: Uint32Array,
): void {
  for (let v = 0; v < visits.length; v++) {
    if (visits[v] === 0) continue;
    for (let i = firstRows[v]; i < firstRows[v + 1]; i++) counts[codes[i]]++;
  }
}
