import type { Integers } from "./codec";

/** Dictionary columns have codes 1, 2, … into `dictionary`; code 0 means that the event lacks the value. */
export interface Column {
  readonly dictionary?: readonly unknown[];
  readonly codes?: Integers;
  readonly sameCodesAs?: string;
  /** One code for each visit, which all its events have (visit-codes.ts). */
  readonly isOfVisits?: true;
  /** The dictionary is large, and is read by itself. */
  readonly isDictionaryApart?: true;
}

/** Segments that follow each other in a project, by the ids of both ends. */
export type Run = readonly [firstId: number, lastId: number];

export interface SegmentInfo {
  readonly id: number;
  readonly projectId: number;
  /** ms; earliest and latest event. */
  readonly firstTime: number;
  readonly lastTime: number;
  readonly eventCount: number;
  readonly encoding: "rows" | "columns";
  /** Runs of older segments that share sessions with it; null when these may be any (session/session-overlap.ts). */
  readonly overlap: readonly Run[] | null;
}

/** Returns a segment's column from the cache over the table, or from memory. "*" lists their names. */
export type ColumnSource = (name: string) => Column | null;

export type Keep = <T>(name: string, bytesOf: (value: T) => number, make: () => T) => T;

/** Stands in a shape for one key that is in the overflow column. */
export type ShapeKey = string | null;

/** A column as it is built. A dictionary's values are JSON texts; the overflow is one text of lines. */
export interface BuiltColumn {
  readonly texts?: readonly string[];
  readonly lines?: string;
  readonly codes?: Integers;
  readonly sameCodesAs?: string;
  readonly isOfVisits?: true;
}
