/*
 * A value that is the same for a whole visit is stored once.
 * Decision: if in a column all events of each visit have the same value, as with countries, devices or campaigns, the
 * segment stores one code for each visit. Sessions have the first value of some columns; if such a column has codes of
 * events, the segment also stores the first code of each visit.
 * Because: a visit has seven events on average. Reads count sessions and users by such a column without its codes of
 * events, and a segment takes a twenty-fifth less.
 * Cost: a read that needs codes of events has to repeat those of visits. First codes take a fortieth of a segment.
 * Revisit: if most visits have one event.
 */

import type { Integers } from "./codec";
import type { BuiltColumn, Column } from "./column";
import { dayColumn } from "./days";
import { countColumns } from "./stored-counts";

/** The first code of each visit that stands for a text. */
export interface FirstCodes {
  /** One for each visit; 0 if no event of the visit has a text. */
  readonly codes: Integers;
  /** Tells whether each visit that has such a code has it in its first event … */
  readonly areOfFirstEvents: boolean;
  /** … and in all other events. */
  readonly areOfAllEvents: boolean;
}

/** The columns whose first value is a fact about a session (definitions.md, Sessions; What changed). */
const firstColumns: ReadonlySet<string> = new Set([
  ...["event.name", "event.country"],
  ...["path", "url", "referrer", "device", "browser", "os", "language"].map(propertyColumn),
  ...["source", "medium", "campaign", "content", "term"].map((key) => propertyColumn(`utm_${key}`)),
  ...["version", "release", "app_version"].map(propertyColumn),
]);
function propertyColumn(key: string): string {
  return `property.${key}`;
}

/** If visits have fewer events on average, there would be nearly as many first codes as codes. */
const eventsPerVisitMin = 2;

/* The names of columns of first codes: if each visit has a text in its first event, and in all other cases. */
const ofFirstEvents = (name: string): string => `first_event.${name}`;
const ofFirstTexts = (name: string): string => `first_text.${name}`;

/** Returns the columns that a segment stores: codes of visits where possible, first codes and counts. */
export function asStored(
  columns: ReadonlyMap<string, BuiltColumn>,
  span: Readonly<Record<"firstTime" | "lastTime", number>>,
  isCounted: boolean,
): ReadonlyMap<string, BuiltColumn> {
  const lengths = columns.get("visit.events")?.codes;
  if (lengths === undefined) return columns;
  const stored = new Map<string, BuiltColumn>();
  const firstRows = firstRowsOf(lengths);
  const days = dayColumn(span, columns, firstRows);
  if (days !== null) stored.set(...days);
  if (isCounted)
    for (const [name, column] of countColumns(columns, firstRows)) stored.set(name, column);
  for (const [name, column] of columns) {
    const { codes, texts } = column;
    if (codes !== undefined && texts !== undefined && areOfVisits(codes, firstRows)) {
      stored.set(name, { texts, codes: firstOf(codes, firstRows), isOfVisits: true });
      continue;
    }
    stored.set(name, column);
    if (firstColumns.has(name)) addFirstCodes(stored, name, columns, firstRows);
  }
  return stored;
}

function firstRowsOf(lengths: Integers): Uint32Array {
  const rows = new Uint32Array(lengths.length + 1);
  for (let v = 0; v < lengths.length; v++) rows[v + 1] = rows[v] + lengths[v];
  return rows;
}

function areOfVisits(codes: Integers, firstRows: Uint32Array): boolean {
  for (let v = 0; v + 1 < firstRows.length; v++) {
    const code = codes[firstRows[v]];
    for (let row = firstRows[v] + 1; row < firstRows[v + 1]; row++) {
      if (codes[row] !== code) return false;
    }
  }
  return true;
}

function firstOf(codes: Integers, firstRows: Uint32Array): Uint32Array {
  const first = new Uint32Array(firstRows.length - 1);
  for (let v = 0; v < first.length; v++) first[v] = codes[firstRows[v]];
  return first;
}

function addFirstCodes(
  stored: Map<string, BuiltColumn>,
  name: string,
  columns: ReadonlyMap<string, BuiltColumn>,
  firstRows: Uint32Array,
): void {
  const { codes: own, texts = [], sameCodesAs = name } = columns.get(name) ?? {};
  const codes = own ?? columns.get(sameCodesAs)?.codes;
  // If two columns have the same codes, only the one that stores them has first codes. If paths have none, reads use
  // those of urls.
  if (codes === undefined || (own === undefined && firstColumns.has(sameCodesAs))) return;
  if (codes.length < eventsPerVisitMin * (firstRows.length - 1)) return;
  if (own === undefined && areOfVisits(codes, firstRows)) return;
  const isText = Uint8Array.from([0, ...texts.map((json) => (isNothing(json) ? 0 : 1))]);
  const first = new Uint32Array(firstRows.length - 1);
  let areAllFirst = true;
  for (let v = 0; v < first.length; v++) {
    let row = firstRows[v];
    const end = firstRows[v + 1];
    while (row < end && isText[codes[row]] === 0) row++;
    if (row < end) first[v] = codes[row];
    if (row > firstRows[v]) areAllFirst = false;
  }
  stored.set((areAllFirst ? ofFirstEvents : ofFirstTexts)(name), { codes: first });
}

/** Tells whether a value never counts as the first value of a session. */
const isNothing = (json: string): boolean => json === "null" || json === `""`;

interface StoredCodes {
  column(name: string): Column | null;
  visitCodes(name: string): Integers | null;
}

/** Returns the first codes of a column; null if the segment does not store them. Codes of visits are first codes. */
export function firstCodesOf(
  segment: StoredCodes,
  name: string,
  storedNames: readonly string[],
): FirstCodes | null {
  if (isOfSingleEvents(name, storedNames)) {
    const areOfFirstEvents = storedNames.includes(ofFirstEvents(name));
    const stored = areOfFirstEvents ? ofFirstEvents(name) : ofFirstTexts(name);
    return { codes: segment.column(stored)!.codes!, areOfFirstEvents, areOfAllEvents: false };
  }
  const codes = segment.visitCodes(name);
  return codes && { codes, areOfFirstEvents: true, areOfAllEvents: true };
}

/** Tells whether a column has first codes, and therefore codes of events that differ within some visit. */
export const isOfSingleEvents = (name: string, storedNames: readonly string[]): boolean =>
  storedNames.includes(ofFirstEvents(name)) || storedNames.includes(ofFirstTexts(name));

/** Repeats the code of each visit for each of its events. */
export function codesOfEvents(codes: Integers, firstRows: Uint32Array): Integers {
  const all = asWideAs(codes, firstRows[codes.length]);
  for (let v = 0; v < codes.length; v++) {
    const code = codes[v];
    for (let row = firstRows[v]; row < firstRows[v + 1]; row++) all[row] = code;
  }
  return all;
}

function asWideAs({ BYTES_PER_ELEMENT: bytes }: Integers, length: number): Integers {
  if (bytes === 1) return new Uint8Array(length);
  return bytes === 2 ? new Uint16Array(length) : new Uint32Array(length);
}
