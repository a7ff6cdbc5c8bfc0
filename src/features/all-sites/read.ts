import { deltaOf } from "../../domain/delta";
import { isoDate } from "../../domain/event";
import { type ComparedPeriod, type Days, datesOf, windowOf } from "../../domain/period";
import { sharePercent } from "../../lib/round";
import { compareText } from "../../lib/text";
import { viewOf } from "../../reads/view";
import type { Read } from "../../store/port";
import type { Snapshot } from "../../store/questions";
import type { AllSites } from "./schema";

interface AllSitesInput {
  /** The live projects of an account. */
  readonly projects: readonly { readonly id: string; readonly name: string }[];
  readonly label: ComparedPeriod | null;
  readonly current: Days;
  readonly previous: Days;
  readonly limit: number;
}

type EventsOfDay = ReadonlyMap<number, number>;
interface Counted {
  readonly id: string;
  readonly name: string;
  readonly days: EventsOfDay;
  /** The events of the current period. */
  readonly events: number;
  /** The events of the period before. */
  readonly before: number;
}

/** GET /account/all-sites. */
export const allSitesRead: Read<AllSitesInput, AllSites> = {
  name: "all-sites",
  scope: ({ projects, current, previous }) => ({
    projectIds: projects.map(({ id }) => id),
    ...windowOf({ ...previous, to: current.to }),
  }),
  async run(snapshot, { projects, label, current, previous, limit }) {
    const both = { ...previous, to: current.to };
    const counted: Counted[] = [];
    for (const project of projects) {
      const days = await eventsByDay(snapshot, project.id, both);
      const events = within(days, current);
      counted.push({ ...project, days, events, before: within(days, previous) });
    }
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
        share_pct: sharePercent(events, total),
        last_active_date: lastActive(days, current),
      })),
      remaining_projects: Math.max(0, active.length - limit),
    };
  },
};

async function eventsByDay(
  snapshot: Snapshot,
  projectId: string,
  days: Days,
): Promise<EventsOfDay> {
  const rows = await snapshot.eventsByDay(viewOf(projectId, days));
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
