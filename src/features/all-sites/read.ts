import { deltaOf } from "../../domain/delta";
import { isoDate } from "../../domain/event";
import { type ComparedPeriod, type Days, datesOf, windowOf } from "../../domain/period";
import { roundTo } from "../../lib/round";
import { compareText } from "../../lib/text";
import type { Read, Snapshot } from "../../store/port";
import { SCOPE, setsOf } from "../../store/segment-sets";
import type { AllSites } from "./schema";

interface AllSitesInput {
  /** The live projects of an account. */
  readonly projects: readonly { readonly id: string; readonly name: string }[];
  readonly label: ComparedPeriod;
  readonly current: Days;
  readonly previous: Days;
  readonly limit: number;
}

/** Events per day, by days since 1970. */
export const EVENTS_BY_DAY = `
  with ${SCOPE}
  select value ->> 0 as day, value ->> 1 as events
  from scope, json_each(events_by_day(segments, :from, :to))`;

type EventsOfDay = ReadonlyMap<number, number>;

/** GET /account/all-sites of the contract. */
export const allSitesRead: Read<AllSitesInput, AllSites> = {
  name: "all-sites",
  scope: ({ projects, current, previous }) => ({
    projectIds: projects.map(({ id }) => id),
    ...windowOf({ from: previous.from, to: current.to }),
  }),
  run(snapshot, { projects, label, current, previous, limit }) {
    const both = { from: previous.from, to: current.to };
    const counted = projects.map((project) => {
      const days = eventsByDay(snapshot, project.id, both);
      return { ...project, days, events: within(days, current), before: within(days, previous) };
    });
    const total = counted.reduce((sum, { events }) => sum + events, 0);
    const before = counted.reduce((sum, project) => sum + project.before, 0);
    const active = counted
      .filter(({ events }) => events > 0)
      .sort((a, b) => b.events - a.events || compareText(a.name, b.name));
    const previousDates = datesOf(previous);
    return {
      scope: "account",
      period: {
        label,
        ...datesOf(current),
        previous_from: previousDates.from,
        previous_to: previousDates.to,
      },
      summary: {
        total_projects: projects.length,
        active_projects: active.length,
        total_events: deltaOf(total, before),
      },
      time_series: datesIn(current).map((day) => ({
        date: isoDate(day),
        events: counted.reduce((sum, { days }) => sum + (days.get(day) ?? 0), 0),
      })),
      projects: active.slice(0, limit).map(({ id, name, events, days }) => ({
        id,
        name,
        events,
        share_pct: roundTo((events / total) * 100, 1),
        last_active_date: lastActive(days, current),
      })),
      remaining_projects: Math.max(0, active.length - limit),
    };
  },
};

function eventsByDay(snapshot: Snapshot, projectId: string, days: Days): EventsOfDay {
  const sets = setsOf(snapshot.project(projectId), windowOf(days));
  const rows = snapshot.rows<{ day: number; events: number }>(EVENTS_BY_DAY, sets);
  return new Map(rows.map(({ day, events }) => [day, events]));
}

const datesIn = ({ from, to }: Days): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

const within = (days: EventsOfDay, window: Days): number =>
  datesIn(window).reduce((sum, day) => sum + (days.get(day) ?? 0), 0);

function lastActive(days: EventsOfDay, window: Days): string | null {
  const last = datesIn(window).findLast((day) => days.has(day));
  return last === undefined ? null : isoDate(last);
}
