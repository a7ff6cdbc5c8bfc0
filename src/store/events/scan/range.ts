/*
 * Dates of other zones are ranges of segments.
 * Decision: most segments have the events of one date of UTC, and a midnight of another zone lies within it. The rows
 * on one side of that midnight are a selection, which the cache keeps with the values computed from it.
 * Because: all reads in a zone cut at the same moments, and every kind of count then only needs selections.
 * Cost: a count goes over the visits or rows of such a segment twice, once for each of its two dates.
 * Revisit: if the compactor makes segments by the dates of the project's own zone.
 */

import { dayOf } from "../../../domain/event";
import type { TimeWindow } from "../../../domain/time-window";
import { minuteMs } from "../../../lib/clock";
import type { Integers } from "../segment/codec";
import type { Segment } from "../segment/segment";
import { kernel } from "./kernel";
import { lengthOf, rowsOfVisits } from "./marks";
import { type RowTest, Selection } from "./selection";

export const isWithin = ({ firstTime, lastTime }: Segment, { fromMs, toMs }: TimeWindow): boolean =>
  firstTime >= fromMs && lastTime < toMs;

/** Returns the rows of a segment that lie in a window. */
export function rowsWithin(segment: Segment, window: TimeWindow): Selection {
  if (isWithin(segment, window)) return Selection.all(segment);
  const { firstTime, lastTime } = segment;
  const { fromMs, toMs } = window;
  if (lastTime < fromMs || firstTime >= toMs) return Selection.none(segment);
  const cuts = [fromMs > firstTime ? fromMs : null, toMs <= lastTime ? toMs : null];
  if (!isOfDay(segment) || !cuts.every(isMidnightOfZone)) return rangeOf(segment, window);
  const [from, to] = cuts;
  return Selection.cached(segment, `from ${from ?? ""} to ${to ?? ""}`, () =>
    rangeOf(segment, window),
  );
}

/** Tells whether many reads may cut the segment at the same moments: it is stable and has one date. */
const isOfDay = ({ info, firstTime, lastTime }: Segment): boolean =>
  info.encoding === "columns" && dayOf(firstTime) === dayOf(lastTime);
/** Every zone has its midnights at whole quarters of an hour. Other windows rarely begin at such times. */
const isMidnightOfZone = (ms: number | null): boolean => ms === null || ms % (15 * minuteMs) === 0;

/** Nearly every visit lies wholly within the window or outside it. Only the few others need the times of events. */
function rangeOf(segment: Segment, window: TimeWindow): Selection {
  const low = window.fromMs - segment.firstTime;
  const high = window.toMs - segment.firstTime;
  const starts = segment.integers("visit.start");
  const visits = visitsTouching(starts, segment.integers("visit.duration"), low, high);
  const { firstRows } = segment;
  const outside: number[] = [];
  for (let v = visits.indexOf(partly); v >= 0; v = visits.indexOf(partly, v)) {
    const { times } = segment;
    const rowsBefore = outside.length;
    for (let i = firstRows[v]; i < firstRows[v + 1]; i++)
      if (times[i] < low || times[i] >= high) outside.push(i);
    visits[v] = outside.length - rowsBefore < firstRows[v + 1] - firstRows[v] ? 1 : 0;
    if (visits[v] === 0) outside.length = rowsBefore;
  }
  if (outside.length === 0) return Selection.ofVisits(segment, visits);
  const count = lengthOf(visits, segment.visitLengths) - outside.length;
  return Selection.ofTest(segment, count, new RangeTest(visits, firstRows, outside));
}

/** The rows of a range as a test, so that counts by visit never compute marks of rows. */
class RangeTest implements RowTest {
  readonly verdicts = Uint8Array.of(0, 1);
  private known: Uint8Array | null = null;

  constructor(
    readonly visits: Uint8Array,
    private readonly firstRows: Uint32Array,
    /** The rows outside of the range that belong to visits partly within it. */
    private readonly outside: readonly number[],
  ) {}

  get codes(): Uint8Array {
    this.known ??= this.marks();
    return this.known;
  }
  private marks(): Uint8Array {
    const { firstRows, visits, outside } = this;
    const rows = new Uint8Array(firstRows[visits.length]);
    rowsOfVisits(visits, firstRows, rows);
    for (const row of outside) rows[row] = 0;
    return rows;
  }
}

/** The mark of a visit that lies only partly within a range. */
const partly = 2;
const visitsTouching = kernel(
  (starts: Integers, durations: Integers, low: number, high: number): Uint8Array => {
    const visits = new Uint8Array(starts.length);
    for (let v = 0; v < visits.length; v++) {
      const start = starts[v];
      const end = start + durations[v];
      if (end < low || start >= high) continue;
      visits[v] = start < low || end >= high ? 2 : 1;
    }
    return visits;
  },
);
