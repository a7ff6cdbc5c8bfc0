import type { BuiltSegment } from "./builder";
import { packIntegers, packText, planeBytes, quickLevel } from "./codec";
import { overflowColumn } from "./overflow";
import type { Column, SegmentInfo } from "./segment";

export interface EncodedColumn {
  readonly name: string;
  readonly dictionary: Uint8Array | null;
  readonly codes: Uint8Array | null;
  readonly sameCodesAs: string | null;
}

/** A segment ready to be inserted: whatever thread made it, the writer has little left to do. */
export interface EncodedSegment {
  readonly info: Omit<SegmentInfo, "id">;
  readonly byteCount: number;
  readonly columns: readonly EncodedColumn[];
}

/** The one column of a segment of rows. */
export const rowsColumn = "rows";

export function encode({ info, columns, rows }: BuiltSegment): EncodedSegment {
  if (rows !== null) return encodeRows(info, rows);
  let byteCount = 0;
  const encoded = [...columns].map(([name, column]) => {
    const text = textOf(name, column);
    byteCount += (text?.length ?? 0) + (column.codes === undefined ? 0 : planeBytes(column.codes));
    return {
      name,
      dictionary: text === null ? null : packText(text),
      codes: column.codes === undefined ? null : packIntegers(column.codes),
      sameCodesAs: column.sameCodesAs ?? null,
    };
  });
  return { info, byteCount, columns: encoded };
}

/** Rows do not live long: they are compressed quickly. */
export function encodeRows(info: EncodedSegment["info"], text: string): EncodedSegment {
  const dictionary = packText(text, quickLevel);
  const column = { name: rowsColumn, dictionary, codes: null, sameCodesAs: null };
  return { info, byteCount: text.length, columns: [column] };
}

/** The overflow is lines of text already; every other dictionary is a list of values. */
function textOf(name: string, { dictionary }: Column): string | null {
  if (dictionary === undefined) return null;
  return name === overflowColumn ? (dictionary[0] as string) : JSON.stringify(dictionary);
}
