import { dayOf } from "../../../domain/event";
import type { Integers } from "./codec";
import type { BuiltColumn, Column } from "./column";
import { addUpTimes } from "./ticket-columns";

/**
 * Segments of several days store the number of events of each day, beginning with the day of the first event. A small
 * project has one segment for each month. Without these counts, a read of the last days of many projects would decode
 * the times of all their events.
 */
const daysColumn = "counts.days";

type TimeSpan = Readonly<Record<"firstTime" | "lastTime", number>>;

const daysIn = ({ firstTime, lastTime }: TimeSpan): number =>
  dayOf(lastTime) - dayOf(firstTime) + 1;

/** Returns the column of counts by day; null for a segment of one day, which needs none. */
export function dayColumn(
  span: TimeSpan,
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

interface DatedSegment extends TimeSpan {
  readonly eventCount: number;
  readonly times: Uint32Array;
  column(name: string): Column | null;
}

/** Returns the number of events of each day of UTC. `timesOfRows` reads the times of rows without building columns. */
export function eventsPerDay(
  segment: DatedSegment,
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
  span: TimeSpan,
  times: ArrayLike<number>,
  msOf: (time: number) => number,
): Uint32Array {
  const counts = new Uint32Array(daysIn(span));
  const first = dayOf(span.firstTime);
  for (let i = 0; i < times.length; i++) counts[dayOf(msOf(times[i])) - first]++;
  return counts;
}
