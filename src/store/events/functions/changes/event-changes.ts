import type { ChangeDimension, DimensionCounts } from "../../../../domain/changes/change-counts";
import { addRows } from "../../aggregate/counts";
import type { Selection } from "../../scan/selection";
import type { Segment } from "../../segment/segment";
import { valuesPerCheck } from "../budget";
import type { Context } from "../context";
import { Sums } from "../counting/sums";
import type { CodedRows, VisitLayer } from "../sets/row-values";
import type { ValuesOfEvents } from "./dimension-values";
import { arrayOf, dimensionCounts, largestValues, placesOf } from "./largest-values";
import { noPlace, type PeriodDates } from "./period-dates";

/**
 * The events of each value of a dimension: in both periods, and of the largest on each date of the reference. Cost: one
 * pass over the rows of a segment, and none where nothing is filtered and the pass was made before.
 */
export function eventChanges(
  context: Context,
  selected: readonly Selection[],
  dates: PeriodDates,
  dimension: ChangeDimension | null,
  values: ValuesOfEvents,
): DimensionCounts {
  const { budget } = context;
  const current = new Sums(budget);
  const previous = new Sums(budget);
  /** The codes and values of a segment, which the second pass needs again. */
  const known = new Map<Segment, CodedRows>();
  const valuesIn = (segment: Segment): CodedRows => {
    const found = known.get(segment);
    if (found !== undefined) return found;
    const read = values.in(segment);
    budget.take(read.byteLength);
    known.set(segment, read);
    return read;
  };
  for (const selection of selected) {
    const { segment } = selection;
    context.check();
    if (!dates.touches(segment, "periods")) continue;
    const found = valuesIn(segment);
    const { numbers } = found;
    eachCount(context, selection, found, values.name, dates, (code, day, events) => {
      if (dates.isCurrent(day)) current.add(numbers[code], events);
      else if (dates.isPrevious(day)) previous.add(numbers[code], events);
    });
  }
  const counts = {
    current: arrayOf(values.count, (number) => current.of(number), budget),
    previous: arrayOf(values.count, (number) => previous.of(number), budget),
  };
  const kept = largestValues(counts, values, dimension, budget);
  values.close?.();
  const places = placesOf(kept, values.count, budget);
  const byDate = kept.map(() => new Float64Array(dates.referenceDates));
  for (const selection of selected) {
    const { segment } = selection;
    context.check();
    if (!dates.touches(segment, "reference")) continue;
    const found = valuesIn(segment);
    const placeByCode = placesIn(found, places);
    eachCount(context, selection, found, values.name, dates, (code, day, events) => {
      const at = dates.referenceIndexOf(day);
      if (at !== noPlace && placeByCode[code] !== noPlace) byDate[placeByCode[code]][at] += events;
    });
  }
  return dimensionCounts(counts, values, kept, byDate);
}

/** Returns the places by code. */
export const placesIn = ({ numbers }: CodedRows, places: Int32Array): Int32Array =>
  Int32Array.from(numbers, (number) => places[number] ?? noPlace);

type SeeCount = (code: number, day: number, events: number) => void;

/** The numbers of events of a segment by code and date, those that are 0 left out. */
function eachCount(
  context: Context,
  selection: Selection,
  values: CodedRows,
  name: string | null,
  dates: PeriodDates,
  see: SeeCount,
): void {
  const { segment } = selection;
  const { first, count } = dates.spanOf(segment);
  const { size } = values;
  if (size * count > context.tuning.pairArrayLengthMax) {
    eachRow(context, selection, values, dates, see);
    return;
  }
  const table = () => tableOf(selection, values, dates, count);
  const zone = count === 1 ? "" : ` by date in ${dates.zone.name}`;
  const events = name === null ? table() : selection.memoArray(`counts of ${name}${zone}`, table);
  for (let date = 0; date < count; date++) {
    for (let code = 0; code < size; code++) {
      const found = events[date * size + code];
      if (found > 0) see(code, first + date, found);
    }
  }
}

/** Returns a table with one number for each code on each date. */
function tableOf(
  selection: Selection,
  values: CodedRows,
  dates: PeriodDates,
  count: number,
): Uint32Array {
  const { segment } = selection;
  const { size, ofVisits } = values;
  const events = new Uint32Array(size * count);
  const { eventCount } = segment;
  const dateOf = dates.ofRows(segment);
  if (dateOf === null && selection.isAll && ofVisits !== null) {
    addVisits(segment, ofVisits, events);
    return events;
  }
  const { codes } = values;
  // Most segments are of one date.
  if (dateOf === null && codes === null) events[0] = selection.count;
  else if (dateOf === null && codes !== null) addRows(codes, selection.rows, events);
  else if (dateOf !== null) {
    const { rows } = selection;
    for (let row = 0; row < eventCount; row++) {
      const code = codes === null ? 0 : codes[row];
      events[dateOf[row] * size + code] += rows[row];
    }
  }
  return events;
}

/** Adds the number of events that have each code. */
function addVisits(
  segment: Segment,
  { codes, rows, codeOf }: VisitLayer,
  events: Uint32Array,
): void {
  if (rows === null || codeOf === null) {
    const lengths = segment.visitLengths;
    for (let visit = 0; visit < codes.length; visit++) events[codes[visit]] += lengths[visit];
    return;
  }
  const { firstRows } = segment;
  for (let visit = 0; visit < codes.length; visit++) {
    const code = codes[visit];
    const end = firstRows[visit + 1];
    if (code !== 0) events[code] += end - firstRows[visit];
    else for (let row = firstRows[visit]; row < end; row++) events[codeOf[rows[row]]]++;
  }
}

function eachRow(
  context: Context,
  { segment, rows }: Selection,
  { codes }: CodedRows,
  dates: PeriodDates,
  see: SeeCount,
): void {
  const { first } = dates.spanOf(segment);
  const dateOf = dates.ofRows(segment);
  for (let row = 0; row < segment.eventCount; row++) {
    if (row % valuesPerCheck === 0) context.check();
    if (rows[row] === 0) continue;
    see(codes === null ? 0 : codes[row], first + (dateOf === null ? 0 : dateOf[row]), 1);
  }
}
