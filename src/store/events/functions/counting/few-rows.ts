import { assert } from "../../../../lib/assert";
import type { Segment } from "../../segment/segment";
import type { Rows } from "../sets/rows";
import { leftOut, type SegmentGroups } from "./groups";
import { fewOf, fewPart } from "./marked-rows";

/** Codes that are looked for one after the other; for more, each row is looked at. */
const soughtCodesMax = 8;

/**
 * The rows of some groups, ascending; null where these are too many to be walked by themselves. Who shows the first
 * values of a property that is different in each event needs a few rows of each segment.
 */
export function fewRowsOf(
  { eventCount }: Segment,
  rows: Rows,
  found: Pick<SegmentGroups, "codes" | "counts">,
  groupOf: Int32Array,
): Uint32Array | null {
  const marked = rows === null ? null : fewOf(rows);
  if (marked !== null) {
    const { codes } = found;
    return marked.filter((row) => groupOf[codes === null ? 0 : codes[row]] !== leftOut);
  }
  return rows === null ? soughtRows(eventCount, found, groupOf) : null;
}

function soughtRows(
  eventCount: number,
  found: Pick<SegmentGroups, "codes" | "counts">,
  groupOf: Int32Array,
): Uint32Array | null {
  const { counts } = found;
  const sought: number[] = [];
  let count = 0;
  for (let code = 0; code < groupOf.length; code++) {
    if (groupOf[code] === leftOut || counts[code] === 0) continue;
    if (sought.push(code) > soughtCodesMax) return null;
    count += counts[code];
  }
  if (count > fewPart * eventCount) return null;
  const { codes } = found;
  if (codes === null) return null;
  const few = new Uint32Array(count);
  let next = 0;
  for (const code of sought) {
    for (let row = -1, left = counts[code]; left > 0; left--) {
      row = codes.indexOf(code, row + 1);
      assert(row >= 0, "as many events have a code as its count says");
      few[next++] = row;
    }
  }
  return few.sort();
}
