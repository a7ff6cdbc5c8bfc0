import type { Integers } from "./codec";

/** The codes 1, 2, … of a dictionary column stand for the values of `dictionary`; code 0 means no value. */
export interface Column {
  readonly dictionary?: readonly unknown[];
  readonly codes?: Integers;
  readonly sameCodesAs?: string;
  /** Present if there is one code for each visit, which all its events have (visit-codes.ts). */
  readonly isOfVisits?: true;
  /** Present if the dictionary is large, so that it is loaded separately. */
  readonly isDictionaryApart?: true;
}

/** Consecutive segments of a project, by the ids of the first and the last. */
export type Run = readonly [firstId: number, lastId: number];

export interface SegmentInfo {
  readonly id: number;
  readonly projectId: number;
  /** The times of the earliest and the latest event in ms. */
  readonly firstTime: number;
  readonly lastTime: number;
  readonly eventCount: number;
  readonly encoding: "rows" | "columns";
  /** Runs of older segments that share sessions with it; null if any segment may (session/session-overlap.ts). */
  readonly overlap: readonly Run[] | null;
}

/** Returns a segment's column from the cache, the database or memory. The dictionary of "*" lists all names. */
export type ColumnSource = (name: string) => Column | null;

export type Keep = <T>(name: string, bytesOf: (value: T) => number, make: () => T) => T;

/** A key of a shape; null stands for a key that is in the overflow column. */
export type ShapeKey = string | null;

/** A column before it is encoded. Its dictionary has JSON texts; the overflow column has one text of lines instead. */
export interface BuiltColumn {
  readonly texts?: readonly string[];
  readonly lines?: string;
  readonly codes?: Integers;
  readonly sameCodesAs?: string;
  readonly isOfVisits?: true;
}
