import type { Condition } from "../../../../domain/filter";
import { assert } from "../../../../lib/assert";
import { bytesPerUnitMax, writeText } from "../../../../lib/code-points";
import type { Integers } from "../../segment/codec";
import type { Segment } from "../../segment/segment";
import { stringText } from "../../segment/texts";
import { valuesPerCheck } from "../budget";
import type { Context } from "../context";
import type { RowPredicate } from "./row-predicate";

/** The result of the condition on a value of a column. */
const noPage = 0;
const passes = 1;
const otherPage = 2;

/** The condition of a goal on the page of an event: its path, else its url (definitions.md, Sessions). */
export function pagePredicate(context: Context, { op, value }: Condition): RowPredicate {
  assert(typeof value === "string", "a page is one text");
  const all = new Uint8Array(bytesPerUnitMax * value.length);
  const wanted = all.subarray(0, writeText(all, 0, value));
  const isPrefix = op === "prefix";
  return (segment, rows) => {
    const paths = judged(context, segment, "property.path", wanted, isPrefix);
    const urls = judged(context, segment, "property.url", wanted, isPrefix);
    if (paths?.hasAny !== true && urls?.hasAny !== true) return false;
    const marks = rows ?? new Uint8Array(segment.eventCount).fill(1);
    let kept = 0;
    for (let row = 0; row < marks.length; row++) {
      if (marks[row] === 0) continue;
      const ofPath = paths === null ? noPage : paths.verdicts[paths.codes[row]];
      const verdict =
        ofPath !== noPage ? ofPath : urls === null ? noPage : urls.verdicts[urls.codes[row]];
      kept += marks[row] = verdict === passes ? 1 : 0;
    }
    return kept > 0 && marks;
  };
}

interface Judged {
  readonly codes: Integers;
  /** By the code of a value. */
  readonly verdicts: Uint8Array;
  /** Tells whether a value passes. */
  readonly hasAny: boolean;
}

/** Compares each value of a column as bytes, so that none of them becomes a string. */
function judged(
  context: Context,
  segment: Segment,
  column: string,
  wanted: Uint8Array,
  isPrefix: boolean,
): Judged | null {
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
