import type { Condition } from "../../../domain/filter";
import { marksWith, marksWithBits } from "../scan/marks";
import { type Matcher, matcherOf } from "../scan/matcher";
import { type RowTest, Selection } from "../scan/selection";
import type { Segment } from "../segment/segment";
import { storedCounts, storedMasks } from "../segment/stored-counts";
import { textReader } from "../segment/text-reader";
import { noText } from "../segment/texts";
import { isOfSingleEvents } from "../segment/visit-codes";
import type { Context } from "./context";
import type { Predicate } from "./predicate";

/** After this number of values a predicate checks whether the read was cancelled. */
const valuesPerCheck = 4_096;

/** Every value begins with the empty text. */
const isOfEveryText = ({ op, value }: Condition): boolean =>
  op === "not_null" || (op === "prefix" && value === "");

/** Tests each value of a column once, and selects the rows, or visits, with the values that pass. */
export function dictionaryPredicate(
  context: Context,
  column: string,
  condition: Condition,
): Predicate {
  const passes = matcherOf(condition);
  const isOfAll = isOfEveryText(condition);
  return (segment) => {
    const counts = storedCounts(segment, column);
    if (counts === null && segment.column(column) === null) return Selection.none(segment);
    const isCounted = counts !== null && isOfSingleEvents(column, segment.storedNames());
    const verdicts = isOfAll
      ? verdictsOfAll(segment, column)
      : verdictsOf(context, segment, column, passes, isCounted);
    return rowsWithCodes(segment, column, verdicts);
  };
}

/** Selects the rows of a column whose code has a 1 among the verdicts. */
export function rowsWithCodes(segment: Segment, column: string, verdicts: Uint8Array): Selection {
  // If no value passes, the codes need no decoding.
  if (!verdicts.includes(1)) return Selection.none(segment);
  const counts = storedCounts(segment, column);
  if (counts !== null && isOfSingleEvents(column, segment.storedNames()))
    return counted(segment, column, verdicts, counts);
  const ofVisits = segment.visitCodes(column);
  if (ofVisits !== null) return Selection.ofVisits(segment, marksWith(ofVisits, verdicts));
  const codes = segment.codes(column);
  return codes === null
    ? Selection.none(segment)
    : Selection.ofRows(segment, marksWith(codes, verdicts));
}

/** A segment with stored counts of the values knows the number of rows before it decodes codes. */
function counted(
  segment: Segment,
  column: string,
  verdicts: Uint8Array,
  counts: ArrayLike<number>,
): Selection {
  let count = 0;
  for (let code = 0; code < verdicts.length; code++) count += verdicts[code] * counts[code];
  const test: RowTest = {
    verdicts,
    get codes() {
      return segment.codes(column)!;
    },
    get visits() {
      const masks = storedMasks(segment, column);
      return masks && marksWithBits(masks, bitsOf(verdicts));
    },
  };
  return Selection.ofTest(segment, count, test);
}
const bitsOf = (verdicts: Uint8Array): number =>
  verdicts.reduce((bits, verdict, code) => bits | (verdict << code), 0);

/** Returns a 1 for each code whose value passes. */
function verdictsOf(
  context: Context,
  segment: Segment,
  column: string,
  passes: Matcher,
  isAlone: boolean,
): Uint8Array {
  const { length, textAt } = textReader(segment, column, isAlone);
  const verdicts = new Uint8Array(length + 1);
  for (let i = 0; i < length; i++) {
    if (i % valuesPerCheck === 0) context.check();
    const text = textAt(i);
    if (text !== null && passes(text)) verdicts[i + 1] = 1;
  }
  return verdicts;
}

/** Returns a 1 for each code whose value is a text, without making a string of it. */
function verdictsOfAll(segment: Segment, column: string): Uint8Array {
  const { kinds, length } = segment.texts(column);
  const verdicts = new Uint8Array(length + 1);
  for (let i = 0; i < length; i++) verdicts[i + 1] = kinds[i] === noText ? 0 : 1;
  return verdicts;
}
