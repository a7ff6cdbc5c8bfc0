import type { Integers } from "../../segment/codec";
import type { Segment } from "../../segment/segment";

/** One of the things that rows are grouped by. Its labels have numbers that hold across segments; 0 is null. */
export interface Labels {
  dimension(segment: Segment): Dimension;
  label(number: number): Label;
  /** The first of many different numbers in order of their labels, cheaper than by asking for each. */
  first(numbers: Uint32Array, count: number): ReadonlySet<number>;
}

export type Label = string | number | null;

/** A way of telling the rows of one segment apart: a code per row, and the number of what each code stands for. */
export interface Dimension {
  /** The code of each row; null when all rows are alike, with code 0. */
  readonly codes: Integers | null;
  /** Codes are below this. */
  readonly size: number;
  readonly numberOf: (code: number) => number;
  /** Calls with the number of each code that has a count, in any order: of many that is cheaper than one by one. */
  readonly eachNumber?: (counts: Uint32Array, see: (code: number, number: number) => void) => void;
  /** The dictionary column that the codes are those of. */
  readonly column?: string;
}
