import { assess } from "../domain/changes/assessment";
import { dimensionsDefault } from "../domain/changes/change-counts";
import { changePeriods, neededDates } from "../domain/changes/change-periods";
import type { CountGroup } from "../domain/counting";
import { type Delta, deltaOf } from "../domain/delta";
import { isoDate } from "../domain/event";
import type { FilterItem } from "../domain/filter-items";
import type { Metric } from "../domain/metric";
import { allTime, type Days, datesOf, windowOf } from "../domain/period";
import {
  changedDays,
  idleFrom,
  type ReportEvery,
  type ReportPeriods,
} from "../domain/reports/periods";
import type { Read } from "../store/port";
import type { Snapshot } from "../store/questions";
import { countChanges } from "./changes";
import { shaped, untold } from "./changes-shape";
import { sessionTotals } from "./session-totals";
import { viewOf } from "./view";

export interface ReportQuestion {
  readonly projectId: string;
  readonly every: ReportEvery;
  readonly periods: ReportPeriods;
  readonly filters: readonly FilterItem[];
  /** The activation events of the project. */
  readonly goals: readonly string[];
  readonly nowMs: number;
}

type Compared = Pick<Delta, "current" | "previous" | "change_pct">;
export interface ReportRow {
  readonly value: string | null;
  readonly count: number;
  readonly previous: number;
}
export type ReportNumbers = Awaited<ReturnType<typeof countReport>>;

export const reportRowsMax = 5;
export const reportDriversMax = 3;
const rateDigits = 3;

/** The numbers of a report. Each equals that of the read that asks for the same window. */
export const reportRead: Read<ReportQuestion, ReportNumbers> = {
  name: "report",
  scope: ({ projectId }) => ({ projectIds: [projectId], ...allTime }),
  run: countReport,
};

async function countReport(snapshot: Snapshot, question: ReportQuestion) {
  const { projectId, every, periods, goals } = question;
  const { current, previous } = periods;
  const reached = [];
  for (const event of goals) reached.push(await goalOf(snapshot, question, event));
  const idle = windowOf({ ...current, from: idleFrom(every, current) });
  return {
    numbers: comparedNumbers(
      await measure(snapshot, question, current),
      await measure(snapshot, question, previous),
    ),
    goals: reached,
    pages: await rowsOf(snapshot, question, "properties.path", "unique_users"),
    sources: await rowsOf(snapshot, question, "session.source", "unique_users"),
    countries: await rowsOf(snapshot, question, "country", "unique_users"),
    events: await rowsOf(snapshot, question, "event", "event_count"),
    changes: await changesOf(snapshot, question),
    isIdle: (await snapshot.eventCount({ projectId, ...idle }, [])) === 0,
  };
}

async function measure(snapshot: Snapshot, question: ReportQuestion, days: Days) {
  const view = viewOf(question.projectId, days, question.filters);
  const { rows } = await snapshot.countBy(view, {
    group_by: [],
    metrics: ["page_views"],
    always_one_row: true,
  });
  return {
    ...(await snapshot.totals(view)),
    ...(await sessionTotals(snapshot, view)),
    page_views: rows[0]?.page_views ?? 0,
  };
}
type Measured = Awaited<ReturnType<typeof measure>>;

const comparedNumbers = (now: Measured, before: Measured) => ({
  visitors: compared(now.unique_users, before.unique_users),
  sessions: compared(now.total_sessions, before.total_sessions),
  page_views: compared(now.page_views, before.page_views),
  events: compared(now.total_events, before.total_events),
  bounce_rate: compared(now.bounce_rate, before.bounce_rate, rateDigits),
  avg_duration: compared(now.avg_duration, before.avg_duration),
});

function compared(now: number, before: number, digits = 0): Compared {
  const { current, previous, change_pct } = deltaOf(now, before, digits);
  return { current, previous, change_pct };
}

/** Returns the sessions that reached an event, and their share of all. */
async function goalOf(snapshot: Snapshot, question: ReportQuestion, event: string) {
  const { projectId, periods, filters } = question;
  const counts = async (days: Days) => {
    const { rows } = await snapshot.countBy(viewOf(projectId, days, filters), {
      ...{ group_by: [], metrics: ["conversions", "conversion_rate"] as const },
      ...{ goal: { event, filters: [] }, always_one_row: true },
    });
    return rows[0] ?? { conversions: 0, conversion_rate: 0 };
  };
  const now = await counts(periods.current);
  const before = await counts(periods.previous);
  return {
    event,
    ...compared(now.conversions, before.conversions),
    conversion_rate: compared(now.conversion_rate, before.conversion_rate, rateDigits),
  };
}

/** Returns the values with the highest numbers. Events without a value count for none. */
async function rowsOf(
  snapshot: Snapshot,
  { projectId, periods, filters }: ReportQuestion,
  group: CountGroup,
  metric: Metric,
): Promise<readonly ReportRow[]> {
  const { current, previous } = periods;
  const { rows } = await snapshot.countCompared(
    { ...viewOf(projectId, current, filters), days: current },
    { ...viewOf(projectId, previous, filters), days: previous },
    { group_by: [group], metrics: [metric], count_mode: "raw", limit: reportRowsMax + 1 },
  );
  const values = rows.map(({ current: now, previous: before }) => ({
    value: textOf(now[group] ?? null),
    count: Number(now[metric] ?? 0),
    previous: Number(before[metric] ?? 0),
  }));
  return values.filter(({ value, count }) => value !== null && count > 0).slice(0, reportRowsMax);
}

const textOf = (label: string | number | null): string | null =>
  label === null ? null : String(label);

/** Asks what GET /changes answers about the dates. */
async function changesOf(snapshot: Snapshot, question: ReportQuestion) {
  const { projectId, every, periods: asked, filters, nowMs } = question;
  const { from, to, zone } = changedDays(every, asked.current);
  const periods = changePeriods({
    ...{ since: isoDate(from), until: isoDate(to), nowMs, zone },
  });
  const counted = await countChanges(snapshot, {
    ...{ projectId, periods, metric: "events", goal: null },
    ...{ dimensions: dimensionsDefault, filters },
  });
  const { counts, keptFrom, reference, told, isPreviousKept } = counted;
  const referenceDates = reference === null ? 0 : reference.to - reference.from + 1;
  const found = assess(counts, { metric: "events", dimensions: told, referenceDates });
  const { total, verdict, drivers } = isPreviousKept ? shaped(found, "events", 0) : untold;
  const needs = neededDates(periods, keptFrom);
  return {
    ...{ metric: "events" as const, ...datesOf(periods.current) },
    current: found.total.current,
    previous: found.total.previous,
    ...{ change_pct: total.change_pct, significant: total.significant },
    needs: needs.have < needs.dates ? needs : null,
    verdict,
    drivers: drivers.slice(0, reportDriversMax),
    isPreviousKept: keptFrom !== null && keptFrom <= asked.previous.from,
  };
}
