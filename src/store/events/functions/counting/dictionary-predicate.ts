import type { Condition } from "../../../../domain/filter";
import { assert } from "../../../../lib/assert";
import type { Integers } from "../../segment/codec";
import type { Segment } from "../../segment/segment";
import { isCounted } from "../../segment/stored-counts";
import { textReader } from "../../segment/text-reader";
import { noText } from "../../segment/texts";
import type { Context } from "../context";
import { countOfVisits, fewPart, noteFew } from "./marked-rows";
import { matcherOf } from "./matcher";
import type { RowPredicate } from "./row-predicate";
import { codeCounts } from "./visit-masks";

/** The number of values after which a predicate looks whether the read was cancelled. */
const valuesPerCheck = 4_096;

/** Every value begins with the empty text. */
const isOfEveryText = ({ op, value }: Condition): boolean =>
  op === "not_null" || (op === "prefix" && value === "");

/** Asks each value of a column once, and then which rows have those that pass. */
export function dictionaryPredicate(
  context: Context,
  column: string,
  condition: Condition,
): RowPredicate {
  const passes = matcherOf(condition);
  const isOfAll = isOfEveryText(condition);
  /** Returns a 1 for each code whose value passes; null when none does. */
  const verdictsIn = (segment: Segment, isAlone: boolean): Uint8Array | null => {
    if (isOfAll) return verdictsOfAll(segment, column);
    const { length, textAt } = textReader(segment, column, isAlone);
    const verdicts = new Uint8Array(length + 1);
    let any = 0;
    for (let i = 0; i < length; i++) {
      if (i % valuesPerCheck === 0) context.check();
      const text = textAt(i);
      if (text !== null && passes(text)) any = verdicts[i + 1] = 1;
    }
    return any === 0 ? null : verdicts; // of no use, the codes need not even be loaded
  };
  const predicate: RowPredicate = (segment, rows) => {
    const verdicts = verdictsIn(segment, false);
    const codes = verdicts === null ? null : segment.codes(column);
    if (verdicts === null || codes === null) return false;
    const marks = rows ?? new Uint8Array(codes.length);
    const only = rows === null && isCounted(segment, column) ? onlyCodeOf(verdicts) : null;
    const count = only === null ? codes.length : codeCounts(segment, column)[only];
    if (only !== null && count <= fewPart * codes.length) {
      markFew(codes, only, count, marks);
      return count > 0 && marks;
    }
    let kept = 0;
    if (rows === null) {
      for (let i = 0; i < marks.length; i++) kept += marks[i] = verdicts[codes[i]];
    } else {
      for (let i = 0; i < marks.length; i++) kept += marks[i] &= verdicts[codes[i]];
    }
    return kept > 0 && marks;
  };
  predicate.visits = (segment, looksAtRows) => {
    const verdicts = verdictsIn(segment, false);
    if (verdicts === null) return false;
    const ofVisits = segment.visitCodes(column);
    if (ofVisits !== null) return visitsWith(ofVisits, verdicts);
    if (!looksAtRows) return null;
    const codes = segment.codes(column);
    return codes !== null && visitsPassing(segment, codes, verdicts);
  };
  predicate.count = (segment) => {
    const verdicts = verdictsIn(segment, true);
    if (verdicts === null) return 0;
    const ofVisits = isCounted(segment, column) ? null : segment.visitCodes(column);
    if (ofVisits !== null) {
      const visits = visitsWith(ofVisits, verdicts);
      return visits === false ? 0 : countOfVisits(segment, visits);
    }
    return codeCounts(segment, column).reduce(
      (sum, count, code) => sum + count * verdicts[code],
      0,
    );
  };
  return predicate;
}

/** Marks the rows that have a code which few have: to look for the next one is faster than to look at each row. */
function markFew(codes: Integers, code: number, count: number, marks: Uint8Array): void {
  const few = new Uint32Array(count);
  let row = -1;
  for (let place = 0; place < count; place++) {
    row = codes.indexOf(code, row + 1);
    assert(row >= 0, "as many events have a code as its stored count says");
    marks[row] = 1;
    few[place] = row;
  }
  noteFew(marks, few);
}

/** The code that passes, where it is one alone. */
function onlyCodeOf(verdicts: Uint8Array): number | null {
  const first = verdicts.indexOf(1);
  return first >= 0 && verdicts.indexOf(1, first + 1) < 0 ? first : null;
}

/** Returns the visits that pass, for a column that has one code for each visit. */
function visitsWith(codes: Integers, verdicts: Uint8Array): Uint8Array | false {
  const marks = new Uint8Array(codes.length);
  let found = 0;
  for (let v = 0; v < codes.length; v++) found |= marks[v] = verdicts[codes[v]];
  return found === 1 && marks;
}

/**
 * What is true of a visitor, as the browser is, is the same in all rows of nearly every visit: then visits are marked,
 * of which there are fewer. The first visit that is not so ends the attempt. Newer segments store such columns by
 * visit.
 */
function visitsPassing(
  { firstRows, visitCount }: Segment,
  codes: Integers,
  verdicts: Uint8Array,
): Uint8Array | false | null {
  const marks = new Uint8Array(visitCount);
  let found = 0;
  for (let v = 0; v < visitCount; v++) {
    const end = firstRows[v + 1];
    const verdict = verdicts[codes[firstRows[v]]];
    let others = 0;
    for (let i = firstRows[v] + 1; i < end; i++) others |= verdict ^ verdicts[codes[i]];
    if (others !== 0) return null;
    found |= marks[v] = verdict;
  }
  return found === 1 && marks;
}

/** The values that are texts. None of a large dictionary becomes a string for this. */
function verdictsOfAll(segment: Segment, column: string): Uint8Array | null {
  const { kinds, length } = segment.texts(column);
  const verdicts = new Uint8Array(length + 1);
  for (let i = 0; i < length; i++) verdicts[i + 1] = kinds[i] === noText ? 0 : 1;
  return verdicts.includes(1) ? verdicts : null;
}
