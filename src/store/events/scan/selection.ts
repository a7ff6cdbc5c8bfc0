import { assert } from "../../../lib/assert";
import type { Integers } from "../segment/codec";
import { bytesOfArray, type Segment } from "../segment/segment";
import {
  lengthOf,
  listOf,
  listWith,
  marksOfBoth,
  marksOfEither,
  marksOfOthers,
  marksWith,
  rowsOfVisits,
  sumOf,
  visitsOfList,
  visitsOfRows,
} from "./marks";

/** Below this part of a segment's rows, a loop over a list of them is faster than one over the marks of all rows. */
const listedPart = 1 / 16;

/** Rows whose code has a 1 among the verdicts. */
export interface RowTest {
  readonly verdicts: Uint8Array;
  /** Decoded at the first use. */
  readonly codes: Integers;
  /** A 1 for each visit with such a row, if the segment stores masks; else null. */
  readonly visits: Uint8Array | null;
}

/** The rows of a selection without their segment, as caches keep them. Each form is computed at its first use. */
export interface Marks {
  readonly kind: "all" | "none" | "visits" | "rows";
  /** A 1 for each visit that has one of the rows. */
  visits: Uint8Array | null;
  /** A 1 for each of the rows. */
  rows: Uint8Array | null;
  /** The rows, ascending, where they are few; null where they are not; undefined before the first use. */
  list: Uint32Array | null | undefined;
  /** The number of rows; −1 before the first use. */
  count: number;
  /** The test that the rows pass: marks or a list are computed from it at their first use. */
  readonly test: RowTest | null;
}

const noForms = { visits: null, rows: null, list: undefined, count: -1, test: null };

/**
 * The rows of a segment that take part in a question: all, none, all rows of some visits, or any rows. It is immutable.
 * Selections of a segment with the same name have the same rows, so `memo` keeps values computed from them in the
 * cache, beside the columns.
 */
export class Selection {
  private constructor(
    readonly segment: Segment,
    readonly name: string | null,
    readonly marks: Marks,
  ) {}

  static all(segment: Segment): Selection {
    return new Selection(segment, "", { ...noForms, kind: "all" });
  }
  static none(segment: Segment): Selection {
    return new Selection(segment, "none", { ...noForms, kind: "none" });
  }
  /** All rows of the visits that have a 1. */
  static ofVisits(segment: Segment, visits: Uint8Array, name: string | null = null): Selection {
    if (!visits.includes(1)) return Selection.none(segment);
    if (!visits.includes(0)) return Selection.all(segment);
    return new Selection(segment, name, { ...noForms, kind: "visits", visits });
  }
  /** The rows that have a 1. */
  static ofRows(segment: Segment, rows: Uint8Array, name: string | null = null): Selection {
    if (!rows.includes(1)) return Selection.none(segment);
    return new Selection(segment, name, { ...noForms, kind: "rows", rows });
  }
  /** The rows of an ascending list. */
  static ofList(segment: Segment, list: Uint32Array, name: string | null = null): Selection {
    if (list.length === 0) return Selection.none(segment);
    return new Selection(segment, name, {
      ...{ ...noForms, kind: "rows", count: list.length },
      list: list.length < listedPart * segment.eventCount ? list : undefined,
      rows: list.length < listedPart * segment.eventCount ? null : rowsOfList(list, segment),
    });
  }
  /** The rows that pass a test, where their number is known: codes are decoded when a caller needs the rows. */
  static ofTest(
    segment: Segment,
    count: number,
    test: RowTest,
    name: string | null = null,
  ): Selection {
    if (count === 0) return Selection.none(segment);
    if (count === segment.eventCount) return Selection.all(segment);
    return new Selection(segment, name, { ...noForms, kind: "rows", count, test });
  }
  /** The selection of marks that a cache has under the name. */
  static ofMarks(segment: Segment, marks: Marks, name: string | null = null): Selection {
    if (marks.kind === "all") return Selection.all(segment);
    return new Selection(segment, name, marks);
  }
  /** Makes a selection once: its marks stay in the cache under the name, beside the columns. */
  static cached(segment: Segment, name: string, make: () => Selection): Selection {
    // Forms that are computed later add to the marks, so their bytes count from the beginning.
    const bytesOf = (marks: Marks): number => 2 * name.length + bytesOfMarks(marks, segment);
    const marks = segment.derive(`rows [${name}]`, bytesOf, () => make().marks);
    return Selection.ofMarks(segment, marks, name);
  }

  get isAll(): boolean {
    return this.marks.kind === "all";
  }
  get isNone(): boolean {
    return this.marks.kind === "none";
  }
  /** Tells whether its visits take part with all of their rows. */
  get isOfVisits(): boolean {
    return this.marks.kind !== "rows";
  }
  get byteLength(): number {
    return bytesOfMarks(this.marks, this.segment);
  }

  and(other: Selection): Selection {
    if (this.isAll || other.isNone) return other;
    if (other.isAll || this.isNone) return this;
    const { segment } = this;
    const name = this.name === null || other.name === null ? null : `${this.name}&${other.name}`;
    if (this.isOfVisits && other.isOfVisits)
      return Selection.ofVisits(segment, marksOfBoth(this.visits, other.visits), name);
    const list = this.list ?? other.list;
    if (list === null) return Selection.ofRows(segment, marksOfBoth(this.rows, other.rows), name);
    const others = (list === this.list ? other : this).rows;
    return Selection.ofList(
      segment,
      list.filter((row) => others[row] === 1),
      name,
    );
  }
  /** The rows of either. */
  or(other: Selection): Selection {
    if (this.isAll || other.isNone) return this;
    if (other.isAll || this.isNone) return other;
    const { segment } = this;
    return this.isOfVisits && other.isOfVisits
      ? Selection.ofVisits(segment, marksOfEither(this.visits, other.visits))
      : Selection.ofRows(segment, marksOfEither(this.rows, other.rows));
  }
  /** All other rows of the segment. */
  not(): Selection {
    const { segment } = this;
    if (this.isAll) return Selection.none(segment);
    if (this.isNone) return Selection.all(segment);
    return this.isOfVisits
      ? Selection.ofVisits(segment, marksOfOthers(this.visits))
      : Selection.ofRows(segment, marksOfOthers(this.rows));
  }

  /** The number of rows. */
  get count(): number {
    const { marks, segment } = this;
    if (marks.count < 0) {
      if (this.isAll) marks.count = segment.eventCount;
      else if (this.isNone) marks.count = 0;
      else if (marks.kind === "visits") marks.count = lengthOf(this.visits, segment.visitLengths);
      else marks.count = sumOf(this.rows);
    }
    return marks.count;
  }
  /** A 1 for each visit that has one of the rows. */
  get visits(): Uint8Array {
    const { marks, segment } = this;
    if (this.isAll) return onesFor(segment.visitCount);
    marks.visits ??= marks.test?.visits ?? null;
    if (marks.visits === null) {
      marks.visits = new Uint8Array(segment.visitCount);
      const { list } = this;
      if (list !== null) visitsOfList(list, segment.firstRows, marks.visits);
      else if (!this.isNone) visitsOfRows(this.rows, segment.firstRows, marks.visits);
    }
    return marks.visits;
  }
  /** A 1 for each of the rows. */
  get rows(): Uint8Array {
    const { segment } = this;
    if (this.isAll) return onesFor(segment.eventCount);
    const marks = this.resolve();
    if (marks.rows === null) {
      marks.rows = new Uint8Array(segment.eventCount);
      if (marks.kind === "visits") rowsOfVisits(this.visits, segment.firstRows, marks.rows);
      else for (const row of marks.list ?? []) marks.rows[row] = 1;
    }
    return marks.rows;
  }
  /** The rows, ascending, where they are few; else null. */
  get list(): Uint32Array | null {
    const { segment } = this;
    const marks = this.resolve();
    if (marks.list === undefined) {
      const isListed = marks.rows !== null && this.count < listedPart * segment.eventCount;
      marks.list = isListed ? listOf(this.rows, this.count) : null;
    }
    return marks.list;
  }
  /** A test of each row, for loops that pass over most of them. */
  get test(): Pick<RowTest, "codes" | "verdicts"> {
    const { marks } = this;
    if (marks.test !== null && marks.rows === null) return marks.test;
    return { codes: this.rows, verdicts: markVerdicts };
  }

  /** Calls `see` for each row, ascending, with its visit. */
  eachRow(see: (row: number, visit: number) => void): void {
    const { firstRows } = this.segment;
    const { list } = this;
    if (list !== null) {
      let visit = 0;
      for (let at = 0; at < list.length; at++) {
        while (firstRows[visit + 1] <= list[at]) visit++;
        see(list[at], visit);
      }
      return;
    }
    const { visits, rows } = this;
    for (let v = 0; v < visits.length; v++) {
      if (visits[v] === 0) continue;
      for (let row = firstRows[v]; row < firstRows[v + 1]; row++) if (rows[row] === 1) see(row, v);
    }
  }

  /** Returns a value computed from these rows; the cache keeps it if the selection has a name. */
  memo<T>(value: string, bytesOf: (value: T) => number, make: () => T): T {
    const { name, segment } = this;
    return name === null ? make() : segment.derive(`${value} in [${name}]`, bytesOf, make);
  }
  memoArray<A extends { readonly byteLength: number }>(value: string, make: () => A): A {
    return this.memo(value, bytesOfArray, make);
  }

  /** Returns the marks, after it has computed a list or the marks of rows from the test. */
  private resolve(): Marks {
    const { marks, segment } = this;
    if (marks.test === null || marks.rows !== null || marks.list !== undefined) return marks;
    const { codes, verdicts } = marks.test;
    if (marks.count < listedPart * segment.eventCount) {
      const list = new Uint32Array(marks.count);
      const length = listWith(codes, verdicts, list);
      assert(length === marks.count, "as many events have a value as its stored count says");
      marks.list = list;
    } else {
      marks.list = null;
      marks.rows = marksWith(codes, verdicts);
    }
    return marks;
  }
}

const marksBytes = 200;
function bytesOfMarks({ kind }: Marks, { eventCount }: Pick<Segment, "eventCount">): number {
  if (kind === "all" || kind === "none") return marksBytes;
  const listBytes = Uint32Array.BYTES_PER_ELEMENT * listedPart * eventCount;
  return marksBytes + 2 * eventCount + listBytes;
}

let ones = new Uint8Array(0);
/** Returns a 1 for each of `length` rows or visits. Callers do not change them. */
export function onesFor(length: number): Uint8Array {
  if (ones.length < length) ones = new Uint8Array(Math.max(length, 2 * ones.length)).fill(1);
  return ones.subarray(0, length);
}

/** The verdicts of a test whose codes are marks. */
const markVerdicts = Uint8Array.of(0, 1);

function rowsOfList(list: Uint32Array, { eventCount }: Segment): Uint8Array {
  const rows = new Uint8Array(eventCount);
  for (const row of list) rows[row] = 1;
  return rows;
}
