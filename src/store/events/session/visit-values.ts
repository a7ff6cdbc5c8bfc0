import type { Integers } from "../segment/codec";
import type { Segment } from "../segment/segment";
import { type FirstCodes, firstCodesOf } from "../segment/visit-codes";
import type { Budget } from "../sets/budget";
import type { Edge } from "../sets/outermost-row";
import { RowValues, readTexts, type ValueColumn } from "../sets/row-values";

/** The value of each visit's first or last event that has one. */
export interface VisitValues {
  readonly edge: Edge;
  /** One for each visit. */
  readonly codes: Integers;
  /** The number of each code's value; 0 for none. */
  readonly numbers: Uint32Array;
  /** Tells whether each visit that has a value has it in its event at the edge. */
  readonly areAtEdge: boolean;
}

/**
 * Returns the values of a column, or of the first of several that has a value in the event, for visits whose sessions
 * have a number. Returns null if no event has a value. It reads events only if the codes of visits do not suffice.
 */
export function visitValues(
  segment: Segment,
  columns: readonly ValueColumn[],
  edge: Edge,
  sessions: Uint32Array,
  budget: Budget,
): VisitValues | null {
  const names = storedNamesIn(segment);
  const stored = columns.filter(({ name }) => mayHave(segment, name, names));
  if (stored.length === 0) return null;
  const ofCodes = edge === "first" ? ofFirstCodes(segment, stored, names, budget) : null;
  return ofCodes ?? ofRows(segment, stored, edge, sessions, budget);
}

/**
 * Returns the stored names of a segment of columns, so that the caller does not search for names that it lacks; else
 * null.
 */
const storedNamesIn = (segment: Segment): readonly string[] | null =>
  segment.info.encoding === "rows" ? null : segment.storedNames();
const mayHave = (segment: Segment, name: string, names: readonly string[] | null): boolean =>
  names === null || names.includes(name) || segment.overflow !== null;

/** Returns the values, or null if first codes do not suffice. */
function ofFirstCodes(
  segment: Segment,
  columns: readonly ValueColumn[],
  names: readonly string[] | null,
  budget: Budget,
): VisitValues | null {
  if (names === null) return null;
  let found: VisitValues | null = null;
  for (const column of columns) {
    const { name } = column;
    if (!names.includes(name) && segment.column(name) === null) continue;
    const first = firstCodesOf(segment, name, names);
    // With two columns, only events tell which of them has a value first.
    if (first === null || found !== null) return null;
    const texts = first.areOfAllEvents ? segment.texts(name) : segment.textsAlone(name);
    const values: VisitValues = {
      codes: first.codes,
      numbers: readTexts(texts, column, budget),
      areAtEdge: first.areOfFirstEvents,
      edge: "first",
    };
    const { hasAll, mayHaveOthers } = coverage(values);
    // The first event of each visit has a value, so later columns decide nothing.
    if (hasAll && first.areOfFirstEvents) return values;
    if (mayHaveOthers && !first.areOfAllEvents) return null;
    found = values;
  }
  return found;
}

/**
 * `hasAll` tells whether each visit has a value. `mayHaveOthers` tells whether a visit has a text that is no value, so
 * that a later event of the visit may have one.
 */
function coverage({ codes, numbers }: Pick<FirstCodes, "codes"> & Pick<VisitValues, "numbers">) {
  let hasAll = true;
  let mayHaveOthers = false;
  for (let visit = 0; visit < codes.length; visit++) {
    if (numbers[codes[visit]] !== 0) continue;
    hasAll = false;
    if (codes[visit] !== 0) mayHaveOthers = true;
  }
  return { hasAll, mayHaveOthers };
}

function ofRows(
  segment: Segment,
  columns: readonly ValueColumn[],
  edge: Edge,
  sessions: Uint32Array,
  budget: Budget,
): VisitValues | null {
  const values = new RowValues(segment, columns, budget);
  const { numbers } = values;
  if (!numbers.some((number) => number !== 0)) return null;
  const { firstRows, visitCount } = segment;
  const codes = new Uint32Array(visitCount);
  let areAtEdge = true;
  for (let visit = 0; visit < visitCount; visit++) {
    if (sessions[visit] === 0) continue;
    const row = edgeRow(firstRows, visit, edge);
    codes[visit] = values.codeAt(row);
    if (codes[visit] !== 0) continue;
    codes[visit] = values.codeAt(rowWithValue(values, firstRows, visit, edge));
    if (codes[visit] !== 0) areAtEdge = false;
  }
  budget.addGarbage(codes.byteLength);
  return { codes, numbers, areAtEdge, edge };
}

const edgeRow = (firstRows: Integers, visit: number, edge: Edge): number =>
  edge === "first" ? firstRows[visit] : firstRows[visit + 1] - 1;

/** Returns the row nearest to the edge that has a value; the row at the other edge if none has. */
function rowWithValue(values: RowValues, firstRows: Integers, visit: number, edge: Edge): number {
  const step = edge === "first" ? 1 : -1;
  const farthest = edgeRow(firstRows, visit, edge === "first" ? "last" : "first");
  let row = edgeRow(firstRows, visit, edge);
  while (row !== farthest && values.codeAt(row) === 0) row += step;
  return row;
}

/** Finds the event of a visit whose value counts, for the few visits that overlap another one of their session. */
export class RowsOfValues {
  private readonly known = new Map<Segment, RowValues>();

  constructor(
    private readonly columns: readonly ValueColumn[],
    private readonly edge: Edge,
    private readonly budget: Budget,
  ) {}

  readonly rowOf = (segment: Segment, visit: number): number => {
    const values = this.known.get(segment) ?? new RowValues(segment, this.columns, this.budget);
    this.known.set(segment, values);
    return rowWithValue(values, segment.firstRows, visit, this.edge);
  };
}
