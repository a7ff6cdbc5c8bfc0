import type {
  ChangeCounts,
  ChangeDimension,
  ChangeRequest,
  DimensionCounts,
  ValueCounts,
} from "../../../domain/changes/change-counts";
import type { FilteredWindow } from "../../../domain/filter-items";
import type { TimeWindow } from "../../../domain/time-window";
import { sessionsReaching, sessionsWith } from "../aggregate/session-filter";
import { eventKey } from "../changes/dimension-keys";
import { UserNumbering } from "../changes/numbered-users";
import { PeriodDates } from "../changes/period-dates";
import { countedSessions, sessionChanges } from "../changes/session-changes";
import { type CountedWindow, valueChanges } from "../changes/value-changes";
import type { Context } from "../filter/context";
import { isFiltered } from "../filter/filter";
import type { Selection } from "../scan/selection";
import type { Segment } from "../segment/segment";
import { select } from "./count-by";

/**
 * Counts events, users or sessions by the values of some dimensions, in two periods and on each date of the reference
 * (definitions.md, What changed). `within` are the segments that overlap the window, `project` returns all segments of
 * the project.
 */
export function changeCounts(
  context: Context,
  within: readonly Segment[],
  project: () => readonly Segment[],
  window: FilteredWindow,
  request: ChangeRequest,
): ChangeCounts {
  const isOfSessions = countsSessions(request);
  const count = isOfSessions
    ? sessionCounter(context, project(), window, request)
    : eventCounter(context, within, project, window, request);
  const { budget } = context;
  const countsBy = (dimension: ChangeDimension | null): DimensionCounts => {
    const bytesBefore = budget.bytes;
    const counts = count?.(dimension) ?? noValues(request);
    // The values of sessions stay in their table, so they are no garbage; counts of sessions return their own memory.
    if (isOfSessions) budget.putAside(budget.bytes - bytesBefore);
    else budget.giveBackTo(bytesBefore);
    return counts;
  };
  const [total = nothing(request)] = countsBy(null).values;
  return { total, dimensions: request.dimensions.map(countsBy) };
}

/** Tells whether the metric counts sessions, and not events or users. */
const countsSessions = ({ metric }: ChangeRequest): boolean =>
  metric === "sessions" || metric === "conversion";

/** Counts by a dimension; null if the windows have no rows. */
type Count = ((dimension: ChangeDimension | null) => DimensionCounts) | null;

/** Returns the count of events or users. Each period and each date is a separate window. */
function eventCounter(
  context: Context,
  within: readonly Segment[],
  project: () => readonly Segment[],
  window: FilteredWindow,
  { metric, dimensions, ...periods }: ChangeRequest,
): Count {
  if (within.length === 0) return null;
  const { budget } = context;
  const identity = context.identity(within[0].projectId);
  const selectedIn = (one: TimeWindow): Selection[] => {
    const part = { ...window, ...one };
    const segments = within.filter(
      ({ firstTime, lastTime }) => lastTime >= one.fromMs && firstTime < one.toMs,
    );
    return select(context, segments, part, [], identity);
  };
  const { current, previous, dates } = new PeriodDates(periods).windows;
  const all = [current, previous, ...dates];
  const selected = all.map(selectedIn);
  if (selected.every((rows) => rows.length === 0)) return null;
  const numbering =
    metric === "users" ? new UserNumbering(selected.flat(), identity, budget) : null;
  const [ofCurrent, ofPrevious, ...ofDates] = selected.map(
    (rows, at): CountedWindow => ({
      selected: rows,
      name: isFiltered(window) ? null : `from ${all[at].fromMs} to ${all[at].toMs}`,
      users: numbering?.of(rows) ?? null,
    }),
  );
  const windows = { current: ofCurrent, previous: ofPrevious, dates: ofDates };
  const sessions = dimensions.includes("source")
    ? context.tables.sessionsOfAtLeast(project(), window)
    : null;
  return (dimension) =>
    valueChanges(context, windows, dimension, eventKey(context, dimension, sessions, identity));
}

function sessionCounter(
  context: Context,
  all: readonly Segment[],
  window: FilteredWindow,
  request: ChangeRequest,
): Count {
  const sessions = context.tables.sessions(all, window);
  if (sessions === null) return null;
  const { goal } = request;
  const dates = new PeriodDates(request);
  const counted = countedSessions(context, sessions, dates, {
    matching: sessionsWith(context, sessions, all, window),
    reached: goal === undefined ? null : sessionsReaching(context, sessions, all, goal).marks,
  });
  return (dimension) => sessionChanges(context, counted, dates, dimension);
}

const noneOf = ({ goal }: ChangeRequest) => ({
  ...{ current: 0, previous: 0 },
  ...(goal !== undefined && { reached: { current: 0, previous: 0 } }),
});
const noValues = (request: ChangeRequest): DimensionCounts => ({
  values: [],
  other: { values: 0, ...noneOf(request) },
});

/** Returns the counts of no events: zeros on each date. */
const nothing = (request: ChangeRequest): ValueCounts => ({
  ...{ value: null, ...noneOf(request) },
  byDate: new Float64Array(new PeriodDates(request).numbersOf("reference").length),
});
