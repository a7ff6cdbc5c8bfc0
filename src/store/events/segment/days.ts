import { dayOf } from "../../../domain/event";
import type { Integers } from "./codec";
import type { BuiltColumn, Column } from "./column";
import { addUpTimes } from "./ticket-columns";

/**
 * The number of events of each day, from that of the first event on, in segments of several days: a small project has
 * one for each month, and a read of the last days of many projects would decode the times of all their events.
 */
const daysColumn = "counts.days";

type Spanned = Readonly<Record<"firstTime" | "lastTime", number>>;

const daysIn = ({ firstTime, lastTime }: Spanned): number => dayOf(lastTime) - dayOf(firstTime) + 1;

/** What is stored of the days; null for a segment of one day, whose events are all of it. */
export function dayColumn(
  span: Spanned,
  columns: ReadonlyMap<string, BuiltColumn>,
  firstRows: Uint32Array,
): readonly [name: string, column: BuiltColumn] | null {
  const gaps = columns.get("event.time")?.codes;
  const starts = columns.get("visit.start")?.codes;
  if (daysIn(span) === 1 || gaps === undefined || starts === undefined) return null;
  const { firstTime } = span;
  const times = addUpTimes(new Uint32Array(gaps), firstRows, starts);
  return [daysColumn, { codes: countByDay(span, times, (time) => firstTime + time) }];
}

interface Dated extends Spanned {
  readonly eventCount: number;
  readonly times: Uint32Array;
  column(name: string): Column | null;
}

/** The number of events of each day of UTC. `timesOfRows` tells the times of rows without making columns. */
export function eventsPerDay(
  segment: Dated,
  timesOfRows: (() => readonly number[]) | null,
): Uint32Array {
  if (daysIn(segment) === 1) return Uint32Array.of(segment.eventCount);
  if (timesOfRows !== null) return countByDay(segment, timesOfRows(), (timeMs) => timeMs);
  const stored: Integers | null = segment.column(daysColumn)?.codes ?? null;
  if (stored !== null) return new Uint32Array(stored);
  const { firstTime } = segment;
  return countByDay(segment, segment.times, (time) => firstTime + time);
}

function countByDay(
  span: Spanned,
  times: ArrayLike<number>,
  msOf: (time: number) => number,
): Uint32Array {
  const counts = new Uint32Array(daysIn(span));
  const first = dayOf(span.firstTime);
  for (let i = 0; i < times.length; i++) counts[dayOf(msOf(times[i])) - first]++;
  return counts;
}
