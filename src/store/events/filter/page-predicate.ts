import type { Condition } from "../../../domain/filter";
import { assert } from "../../../lib/assert";
import { bytesPerUnitMax, writeText } from "../../../lib/code-points";
import { Selection } from "../scan/selection";
import type { Integers } from "../segment/codec";
import type { Segment } from "../segment/segment";
import { stringText } from "../segment/texts";
import { valuesPerCheck } from "../sets/budget";
import type { Context } from "./context";
import type { Predicate } from "./predicate";

/* The results of the condition on a value of a column. */
const noPage = 0;
const passes = 1;
const otherPage = 2;

/** Tests the page of an event, for goals: its path, else its url (definitions.md, Sessions). */
export function pagePredicate(context: Context, { op, value }: Condition): Predicate {
  assert(typeof value === "string", "a page is one text");
  const all = new Uint8Array(bytesPerUnitMax * value.length);
  const wanted = all.subarray(0, writeText(all, 0, value));
  const isPrefix = op === "prefix";
  return (segment) => {
    const paths = comparePages(context, segment, "property.path", wanted, isPrefix);
    const urls = comparePages(context, segment, "property.url", wanted, isPrefix);
    if (paths?.hasAny !== true && urls?.hasAny !== true) return Selection.none(segment);
    return Selection.ofRows(
      segment,
      rowsOfPages(segment.eventCount, paths ?? noColumn(segment), urls ?? noColumn(segment)),
    );
  };
}

const noColumn = ({ eventCount }: Segment): PageColumn => ({
  ...{ codes: new Uint8Array(eventCount), verdicts: Uint8Array.of(noPage), hasAny: false },
});

function rowsOfPages(eventCount: number, paths: PageColumn, urls: PageColumn): Uint8Array {
  const rows = new Uint8Array(eventCount);
  for (let row = 0; row < rows.length; row++) {
    const ofPath = paths.verdicts[paths.codes[row]];
    const verdict = ofPath === noPage ? urls.verdicts[urls.codes[row]] : ofPath;
    rows[row] = verdict === passes ? 1 : 0;
  }
  return rows;
}

interface PageColumn {
  readonly codes: Integers;
  /** By the code of a value. */
  readonly verdicts: Uint8Array;
  /** True if a value passes. */
  readonly hasAny: boolean;
}

/** Compares each value of a column as bytes, so that none of them becomes a string. */
function comparePages(
  context: Context,
  segment: Segment,
  column: string,
  wanted: Uint8Array,
  isPrefix: boolean,
): PageColumn | null {
  const codes = segment.codes(column);
  if (codes === null) return null;
  const { bytes, starts, kinds } = segment.texts(column);
  const verdicts = new Uint8Array(kinds.length + 1);
  let hasAny = false;
  for (let index = 0; index < kinds.length; index++) {
    if (index % valuesPerCheck === 0) context.check();
    const [from, to] = [starts[index], starts[index + 1]];
    if (kinds[index] !== stringText || from === to) continue;
    const isLongEnough = isPrefix ? to - from >= wanted.length : to - from === wanted.length;
    const isSame = isLongEnough && wanted.every((byte, at) => bytes[from + at] === byte);
    verdicts[index + 1] = isSame ? passes : otherPage;
    hasAny ||= isSame;
  }
  return { codes, verdicts, hasAny };
}
