import type {
  ChangeCounts,
  ChangeDimension,
  ChangeRequest,
  DimensionCounts,
  ValueCounts,
} from "../../../domain/changes/change-counts";
import type { FilteredWindow } from "../../../domain/filter-items";
import { isFiltered } from "../filter/filter";
import { Selection } from "../scan/selection";
import type { Segment } from "../segment/segment";
import { type ValuesOfEvents, valuesOfEvents } from "./changes/dimension-values";
import { eventChanges } from "./changes/event-changes";
import { PeriodDates } from "./changes/period-dates";
import { countedSessions, sessionChanges } from "./changes/session-changes";
import { SourcesOfEvents } from "./changes/session-sources-of-events";
import { countedUsers, userChanges } from "./changes/user-changes";
import type { Context } from "./context";
import { select } from "./count-by";
import { sessionsReaching, sessionsWith } from "./sessions/session-filter";

/**
 * What there is of each value of some dimensions in two periods, and on each date of the reference (definitions.md,
 * What changed). `within` are the segments that overlap the window, `project` all of the project.
 */
export function changeCounts(
  context: Context,
  within: readonly Segment[],
  project: () => readonly Segment[],
  window: FilteredWindow,
  request: ChangeRequest,
): ChangeCounts {
  const count = counterOf(context, within, project, window, request);
  const { budget } = context;
  const counted = (dimension: ChangeDimension | null): DimensionCounts => {
    const bytesBefore = budget.bytes;
    const found = count(dimension);
    // The kept values of sessions stay, and are no garbage; the counts give back their memory themselves.
    if (ofSessions(request)) budget.putAside(budget.bytes - bytesBefore);
    else budget.giveBackTo(bytesBefore);
    return found;
  };
  const [total = nothing(request)] = counted(null).values;
  return { total, dimensions: request.dimensions.map(counted) };
}

/** Tells whether sessions are counted, and not events or users. */
const ofSessions = ({ metric }: ChangeRequest): boolean =>
  metric === "sessions" || metric === "conversion";

type Count = (dimension: ChangeDimension | null) => DimensionCounts;

function counterOf(
  context: Context,
  within: readonly Segment[],
  project: () => readonly Segment[],
  window: FilteredWindow,
  request: ChangeRequest,
): Count {
  const dates = new PeriodDates(request);
  if (ofSessions(request)) {
    return sessionCounter(context, project(), window, request, dates);
  }
  if (within.length === 0) return () => noValues(request);
  // Rows of dates that count for nothing are left out by their dates.
  const selected = isFiltered(window)
    ? select(context, within, window, [], context.identity(within[0].projectId))
    : within.map(Selection.all);
  if (selected.length === 0) return () => noValues(request);
  const sources = sourcesOfEvents(context, project, window, request);
  const valuesOf = (dimension: ChangeDimension | null) =>
    valuesOfEvents(context, dimension, sources);
  if (request.metric === "events") {
    return (dimension) => eventChanges(context, selected, dates, dimension, valuesOf(dimension));
  }
  const users = countedUsers(context, selected, dates);
  return (dimension) => userChanges(context, users, dates, dimension, valuesOf(dimension));
}

/** Returns the sources of the sessions of all events, where the request asks for sources. */
function sourcesOfEvents(
  context: Context,
  project: () => readonly Segment[],
  window: FilteredWindow,
  { dimensions }: ChangeRequest,
): ValuesOfEvents | null {
  if (!dimensions.includes("source")) return null;
  const sessions = context.tables.sessionsOfAtLeast(project(), window);
  return sessions && new SourcesOfEvents(context, sessions);
}

function sessionCounter(
  context: Context,
  all: readonly Segment[],
  window: FilteredWindow,
  request: ChangeRequest,
  dates: PeriodDates,
): Count {
  const sessions = context.tables.sessions(all, window);
  if (sessions === null) return () => noValues(request);
  const { goal } = request;
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
  byDate: new Float64Array(new PeriodDates(request).referenceDates),
});
