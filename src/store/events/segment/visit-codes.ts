/*
 * What a visit says once is stored once.
 * Decision: where all events of each visit have the same in a column, as they have of countries, devices or campaigns,
 * one code is stored for each visit. Of other columns that a session has the first value of, its first code in each
 * visit is stored beside the column.
 * Because: a visit has seven events. Sessions and users by such a column are then counted without a look at events, and
 * a segment of events takes a twenty-fifth less.
 * Cost: a column of visits is spread over events for whoever wants these; first codes take a fortieth of a segment.
 * Revisit: if visits mostly have one event.
 */

import type { Integers } from "./codec";
import type { BuiltColumn, Column } from "./column";
import { dayColumn } from "./days";
import { countColumns } from "./stored-counts";

/** The codes of each visit of a segment. */
export interface FirstCodes {
  /** 0 for a visit in which none stands for a text. */
  readonly codes: Integers;
  /** Tells whether in each visit that has one the first event has it … */
  readonly areOfFirstEvents: boolean;
  /** … and all others have the same. */
  readonly areOfAllEvents: boolean;
}

/** Columns that sessions have a first value of (definitions.md, Sessions; What changed). */
const firstColumns: ReadonlySet<string> = new Set([
  ...["event.name", "event.country"],
  ...["path", "url", "referrer", "device", "browser", "os", "language"].map(propertyColumn),
  ...["source", "medium", "campaign", "content", "term"].map((key) => propertyColumn(`utm_${key}`)),
  ...["version", "release", "app_version"].map(propertyColumn),
]);
function propertyColumn(key: string): string {
  return `property.${key}`;
}

/** With fewer events in a visit, first codes would be nearly as many as codes. */
const eventsPerVisitMin = 2;

/** The names of first codes: of a column whose every visit has a text in its first event, and of any other. */
const ofFirstEvents = (name: string): string => `first_event.${name}`;
const ofFirstTexts = (name: string): string => `first_text.${name}`;

/** The columns of a segment as they are stored, with what is counted beside them (stored-counts.ts). */
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
  // When two columns are alike, the one whose codes are stored has first codes; urls are asked for where paths have
  // none.
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

/** Tells whether no session has this as its value, whatever is asked. */
const isNothing = (json: string): boolean => json === "null" || json === `""`;

/** The stored codes of a whole segment. */
interface StoredCodes {
  column(name: string): Column | null;
  visitCodes(name: string): Integers | null;
}

/** Returns the first codes; null where they are not stored. A column of visits is its own. */
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

/** Tells, without reading codes, whether events of one visit are known to differ in a column. */
export const isOfSingleEvents = (name: string, storedNames: readonly string[]): boolean =>
  storedNames.includes(ofFirstEvents(name)) || storedNames.includes(ofFirstTexts(name));

/** Codes of visits, for each of their events. */
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
