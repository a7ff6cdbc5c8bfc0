import { type BuiltSegment, dictionaryOf } from "./built";
import { packIntegers, packText, planeBytes, quickLevel, thoroughLevel } from "./codec";
import type { BuiltColumn, SegmentInfo } from "./column";
import { asStored } from "./visit-codes";

interface EncodedColumn {
  readonly name: string;
  readonly dictionary: Uint8Array | null;
  readonly codes: Uint8Array | null;
  readonly sameCodesAs: string | null;
  readonly isOfVisits: boolean;
}

/** A segment that the writer can insert as it is: the thread that built it has done the compression. */
export interface EncodedSegment {
  readonly info: Omit<SegmentInfo, "id" | "overlap">;
  readonly byteCount: number;
  readonly columns: readonly EncodedColumn[];
}

/** The one column of a segment of rows. */
export const rowsColumn = "rows";

/** `level` is that of the compression. Segments with at least `countedEventsMin` events store counts as well. */
export function encode(
  { info, columns, rows }: BuiltSegment,
  level: number,
  countedEventsMin: number,
): EncodedSegment {
  if (rows !== null) return encodeRows(info, rows);
  let byteCount = 0;
  for (const column of columns.values()) {
    byteCount += dictionaryOf(column)?.length ?? 0;
    if (column.codes !== undefined) byteCount += planeBytes(column.codes);
  }
  const encoded = [...asStored(columns, info, info.eventCount >= countedEventsMin)].map(
    ([name, column]) => {
      const text = dictionaryOf(column);
      return {
        name,
        dictionary: text === null ? null : packText(text, levelFor(column, text, level)),
        codes: column.codes === undefined ? null : packIntegers(column.codes, level),
        sameCodesAs: column.sameCodesAs ?? null,
        isOfVisits: column.isOfVisits ?? false,
      };
    },
  );
  return { info, byteCount, columns: encoded };
}

/** Large dictionaries and the overflow have values that rarely repeat, so that a higher level gains little. */
const thoroughBytesMax = 4 * 1024 * 1024;
function levelFor({ lines }: BuiltColumn, text: string, level: number): number {
  if (text.length > thoroughBytesMax) return quickLevel;
  return lines === undefined ? level : Math.min(level, thoroughLevel);
}

/** Compresses rows at the quickest level, as merges soon replace them. */
export function encodeRows(info: EncodedSegment["info"], text: string): EncodedSegment {
  const dictionary = packText(text, quickLevel);
  const absent = { codes: null, sameCodesAs: null, isOfVisits: false };
  const column = { name: rowsColumn, dictionary, ...absent };
  return { info, byteCount: text.length, columns: [column] };
}
