import type { ChangeSpec, GoalSpec } from "../domain/alerts/specs";
import { referenceOf } from "../domain/changes/change-periods";
import { dayOf } from "../domain/event";
import { eventConditions } from "../domain/filter";
import type { FilterItem } from "../domain/filter-items";
import { allTime, type Days, windowOf } from "../domain/period";
import type { TimeWindow } from "../domain/time-window";
import type { Read } from "../store/port";
import type { Snapshot, StoredEventCounts, View } from "../store/questions";
import { firstDateKept } from "./first-date-kept";
import { viewOf } from "./view";

const daysOfWeek = 7;

export interface ChangeQuestion extends Pick<ChangeSpec, "metric"> {
  readonly projectId: string;
  /** The one date that is judged. */
  readonly date: Days;
  readonly event: string | null;
  readonly filters: readonly FilterItem[];
}
export interface ChangeCounted {
  readonly current: number;
  readonly previous: number;
  /** One number for each date of the reference, which ends the day before. */
  readonly byDate: readonly number[];
  readonly referenceFrom: number | null;
}

/** The input of the rule `change`: a date, the one a week before, and up to 56 dates before. */
export const alertChangeRead: Read<ChangeQuestion, ChangeCounted> = {
  name: "alert-change",
  scope: ({ projectId }) => ({ projectIds: [projectId], ...allTime }),
  async run(snapshot, { projectId, date, metric, event, filters }) {
    const keptFrom = await firstDateKept(snapshot, projectId, date);
    const reference = referenceOf(date, keptFrom);
    const previous = { ...date, from: date.from - daysOfWeek, to: date.to - daysOfWeek };
    const days = { ...date, from: Math.min(previous.from, reference?.from ?? previous.from) };
    const view = viewOf(projectId, days, [...filters, ...eventConditions(event)]);
    const request = { metric, dimensions: [], current: date, previous, reference };
    const { total } = await snapshot.changeCounts(view, request);
    return {
      ...{ current: total.current, previous: total.previous },
      byDate: reference === null ? [] : Array.from(total.byDate),
      referenceFrom: reference?.from ?? null,
    };
  },
};

export interface WindowsQuestion {
  readonly projectId: string;
  readonly windows: readonly TimeWindow[];
  /** Nothing later is looked at. */
  readonly nowMs: number;
}
export interface WindowsCounted {
  readonly windows: readonly { readonly users: number; readonly events: number }[];
  readonly firstEventAtMs: number | null;
  readonly lastEventAtMs: number | null;
}

/** The input of the rules `silence` and `surge`: the same minutes of several weeks, and the last event. */
export const alertWindowsRead: Read<WindowsQuestion, WindowsCounted> = {
  name: "alert-windows",
  scope: ({ projectId, windows, nowMs }) => ({
    projectIds: [projectId],
    ...{ fromMs: earliestOf(windows), toMs: nowMs + 1 },
  }),
  async run(snapshot, { projectId, windows, nowMs }) {
    const counted = [];
    for (const window of windows) {
      const { unique_users, total_events } = await snapshot.totals({ projectId, ...window });
      counted.push({ users: unique_users, events: total_events });
    }
    const stored = await snapshot.storedEvents(projectId);
    const fromMs = earliestOf(windows);
    const view = { projectId, fromMs, toMs: nowMs + 1 };
    const newest = { project_id: projectId, filters: [], limit: 1, before: null };
    const { events } = await snapshot.newestEvents(view, newest);
    const [last]: { timestamp?: number }[] = JSON.parse(events);
    return {
      windows: counted,
      firstEventAtMs: stored.first_event_at,
      lastEventAtMs: last?.timestamp ?? lastBefore(stored, fromMs),
    };
  },
};

const earliestOf = (windows: readonly TimeWindow[]): number =>
  Math.min(...windows.map(({ fromMs }) => fromMs));

/** The last event of a project that has none in the windows: it is as old as they are, or older. */
const lastBefore = (
  { first_event_at: first, last_event_at: last }: StoredEventCounts,
  fromMs: number,
): number | null =>
  first === null || last === null || first >= fromMs ? null : Math.min(last, fromMs);

export interface GoalQuestion extends Pick<GoalSpec, "event"> {
  readonly projectId: string;
  /** The date; null for all that is stored. */
  readonly date: Days | null;
  readonly filters: readonly FilterItem[];
  /** The number of the first event for a message: 1, or the one after the events of the last message. */
  readonly toldFrom: number;
  /** Earlier events are not counted into `before`, which is null where this is. */
  readonly beforeMs: number | null;
}
export interface GoalCounted {
  readonly count: number;
  /** The number of events before `beforeMs`. */
  readonly before: number | null;
  /** The times of the first and the last event of the message, in order of time; null where there is none. */
  readonly firstAtMs: number | null;
  readonly lastAtMs: number | null;
}

/** The input of the rule `goal`. */
export const alertGoalRead: Read<GoalQuestion, GoalCounted> = {
  name: "alert-goal",
  scope: ({ projectId, date }) => ({
    projectIds: [projectId],
    ...(date === null ? allTime : windowOf(date)),
  }),
  async run(snapshot, { projectId, date, event, filters, toldFrom, beforeMs }) {
    const items = [...filters, ...eventConditions(event)];
    const days = date ?? (await allDays(snapshot, projectId));
    if (days === null) return { count: 0, before: 0, firstAtMs: null, lastAtMs: null };
    const view = viewOf(projectId, days, items);
    const count = await snapshot.eventCount(view, []);
    const before =
      beforeMs === null
        ? null
        : await snapshot.eventCount({ ...view, toMs: Math.min(view.toMs, beforeMs) }, []);
    const isTold = count >= toldFrom;
    return {
      ...{ count, before },
      firstAtMs: isTold ? await timeOfNth(snapshot, view, toldFrom) : null,
      lastAtMs: isTold ? await timeOfNth(snapshot, view, count) : null,
    };
  },
};

/** Finds the time of an event by its place in the order of time, which the view has to have. */
async function timeOfNth(snapshot: Snapshot, view: View, place: number): Promise<number> {
  let low = view.fromMs;
  let high = view.toMs - 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const counted = await snapshot.eventCount({ ...view, toMs: middle + 1 }, []);
    if (counted >= place) high = middle;
    else low = middle + 1;
  }
  return low;
}

async function allDays(snapshot: Snapshot, projectId: string): Promise<Days | null> {
  const { first_event_at: first, last_event_at: last } = await snapshot.storedEvents(projectId);
  if (first === null || last === null) return null;
  return { from: dayOf(first), to: dayOf(last) };
}
