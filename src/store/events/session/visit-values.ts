import type { Integers } from "../segment/codec";
import type { Segment } from "../segment/segment";
import { type FirstCodes, firstCodesOf } from "../segment/visit-codes";
import type { Budget } from "../sets/budget";
import { RowValues, readTexts, type ValueColumn } from "../sets/row-values";

/** The value of each visit's earliest event that has one. */
export interface VisitValues {
  /** One for each visit. */
  readonly codes: Integers;
  /** The number of each code's value; 0 for none. */
  readonly numbers: Uint32Array;
  /** Tells whether in each visit that has a value the first event has it. */
  readonly areOfFirstEvents: boolean;
}

/**
 * Returns the values of a column, or of the first of several that has a value in the event. Null where no event has
 * one. Events are looked at where what is stored of visits does not tell it.
 */
export function visitValues(
  segment: Segment,
  columns: readonly ValueColumn[],
  budget: Budget,
): VisitValues | null {
  const names = storedNamesIn(segment);
  const stored = columns.filter(({ name }) => mayHave(segment, name, names));
  if (stored.length === 0) return null;
  return ofFirstCodes(segment, stored, names, budget) ?? ofRows(segment, stored, budget);
}

/**
 * Returns the stored names of a segment of columns, so that the caller does not search for names that it lacks; else
 * null.
 */
const storedNamesIn = (segment: Segment): readonly string[] | null =>
  segment.info.encoding === "rows" ? null : segment.storedNames();
const mayHave = (segment: Segment, name: string, names: readonly string[] | null): boolean =>
  names === null || names.includes(name) || segment.overflow !== null;

/** Returns the values, or null where first codes do not suffice. */
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
    const values = { ...first, numbers: readTexts(texts, column, budget) };
    const { hasAll, mayHaveOthers } = said(values);
    // What comes in the columns behind is not asked: the first event has one.
    if (hasAll && first.areOfFirstEvents) return values;
    if (mayHaveOthers && !first.areOfAllEvents) return null;
    found = values;
  }
  return found;
}

/** Tells whether each visit has a value; and whether one has a text that stands for none, so that a later one may. */
function said({ codes, numbers }: Pick<FirstCodes, "codes"> & Pick<VisitValues, "numbers">) {
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
  budget: Budget,
): VisitValues | null {
  const { codes, numbers } = new RowValues(segment, columns, budget);
  if (codes === null || !numbers.some((number) => number !== 0)) return null;
  const { firstRows, visitCount } = segment;
  const ofVisits = new Uint32Array(visitCount);
  let areOfFirstEvents = true;
  for (let visit = 0; visit < visitCount; visit++) {
    let row = firstRows[visit];
    if (numbers[codes[row]] === 0) {
      const end = firstRows[visit + 1];
      do row++;
      while (row < end && numbers[codes[row]] === 0);
      if (row === end) continue;
      areOfFirstEvents = false;
    }
    ofVisits[visit] = codes[row];
  }
  budget.addGarbage(ofVisits.byteLength);
  return { codes: ofVisits, numbers, areOfFirstEvents };
}

/** Finds the earliest event of a visit that has a value, for the few visits that are asked about. */
export class RowsOfValues {
  private readonly known = new Map<Segment, RowValues>();

  constructor(
    private readonly columns: readonly ValueColumn[],
    private readonly budget: Budget,
  ) {}

  readonly rowOf = (segment: Segment, visit: number): number => {
    const values = this.known.get(segment) ?? new RowValues(segment, this.columns, this.budget);
    this.known.set(segment, values);
    const { codes, numbers } = values;
    let row = segment.firstRows[visit];
    while (codes !== null && numbers[codes[row]] === 0) row++;
    return row;
  };
}
