/*
 * A date is folded by the questions of reads.
 * Decision: the sums of a date that retention deletes come from the questions that GET /stats and POST /query ask, one
 * dimension at a time.
 * Because: each sum must be the number that these reads gave while the events were there, on both stores.
 * Cost: where a dimension has many values, the sessions of the date are listed and joined with their values here.
 */

import type { CountGroup, CountRequest } from "../domain/counting";
import type { DayDimension, DayRow } from "../domain/day-row";
import { isoDate } from "../domain/event";
import type { Condition } from "../domain/filter";
import { allTime, type Days } from "../domain/period";
import type { CountDay } from "../store/imports";
import type { Read } from "../store/port";
import type { Snapshot, View } from "../store/questions";
import { viewOf } from "./view";

export interface DayRowsInput {
  readonly projectId: string;
  /** Days since 1970-01-01, in the zone. */
  readonly day: number;
  readonly zone: string | undefined;
  readonly dimension: DayDimension;
}

export interface DayRows {
  readonly rows: readonly DayRow[];
}

/** The rows of one dimension of a date, in no order; none of a date without events. */
export const dayRowsRead: Read<DayRowsInput, DayRows> = {
  name: "day-rows",
  // Sessions are judged on all their events.
  scope: ({ projectId }) => ({ projectIds: [projectId], ...allTime }),
  isExact: () => true,
  run: rowsOf,
};

async function rowsOf(snapshot: Snapshot, input: DayRowsInput): Promise<DayRows> {
  const { dimension } = input;
  const date = isoDate(input.day);
  if (dimension === "total") return { rows: await totalOf(snapshot, input, date) };
  const rows: DayRow[] = [];
  for (const group of groupsOf[dimension]) {
    for (const [value, { durationMs, ...sums }] of await valuesOf(snapshot, input, group)) {
      rows.push({ date, dimension, value, ...sums, seconds: secondsOf(durationMs) });
    }
  }
  return { rows };
}

/** The same of a store of an import's own. */
export const countDay: CountDay = async (snapshot, asked) => (await rowsOf(snapshot, asked)).rows;

/** A group of events, and the conditions that say which events have a value of the dimension. */
interface DayGroup {
  readonly by: Condition["field"] & CountGroup;
  readonly filters: readonly Condition[];
}
const pageViews: Condition = { field: "event", op: "eq", value: "page_view" };
const pathAbsent: Condition = { field: "properties.path", op: "is_null", value: "" };

const groupsOf: Readonly<Record<Exclude<DayDimension, "total">, readonly DayGroup[]>> = {
  page: [
    { by: "properties.path", filters: [pageViews] },
    { by: "properties.url", filters: [pageViews, pathAbsent] },
  ],
  entry_page: [{ by: "session.entry_page", filters: [] }],
  exit_page: [{ by: "session.exit_page", filters: [] }],
  source: [{ by: "session.source", filters: [] }],
  referrer: [{ by: "session.referrer", filters: [] }],
  utm_source: [{ by: "session.utm_source", filters: [] }],
  utm_medium: [{ by: "session.utm_medium", filters: [] }],
  utm_campaign: [{ by: "session.utm_campaign", filters: [] }],
  utm_content: [{ by: "session.utm_content", filters: [] }],
  utm_term: [{ by: "session.utm_term", filters: [] }],
  country: [{ by: "country", filters: [] }],
  device: [{ by: "properties.device", filters: [] }],
  browser: [{ by: "properties.browser", filters: [] }],
  os: [{ by: "properties.os", filters: [] }],
  event: [{ by: "event", filters: [] }],
};

interface Sums {
  visitors: number;
  visits: number;
  page_views: number;
  events: number;
  bounces: number;
  durationMs: number;
}
type ValueSums = Map<string, Sums>;
const metrics: CountRequest["metrics"] = ["event_count", "unique_users", "page_views"];
const secondsOf = (durationMs: number): number => Math.round(durationMs / 1_000);

const datesOf = ({ day, zone }: DayRowsInput): Days => ({
  ...{ from: day, to: day },
  ...(zone !== undefined && { zone }),
});

async function totalOf(snapshot: Snapshot, input: DayRowsInput, date: string): Promise<DayRow[]> {
  const view = viewOf(input.projectId, datesOf(input));
  const request = { group_by: [], metrics, always_one_row: true };
  const [counted] = (await snapshot.countBy(view, request)).rows.map(countsOf);
  const [sessions] = await snapshot.sessionGroups(view, "all");
  if (counted === undefined || counted.events === 0) return [];
  const { sessions: visits = 0, bounces = 0, duration = 0 } = sessions ?? {};
  const judged = { visits, bounces, seconds: secondsOf(duration) };
  return [{ date, dimension: "total", value: "", ...counted, ...judged }];
}

type Counted = Readonly<Record<string, string | number | null>>;
interface CountedValues {
  readonly rows: readonly Counted[];
}
const countsOf = (row: Counted) => ({
  visitors: Number(row.unique_users),
  page_views: Number(row.page_views),
  events: Number(row.event_count),
});

/** The sessions that began on the date. */
type JudgedSessions = ReadonlyMap<string, { readonly bounce: 0 | 1; readonly duration: number }>;

/** They are listed this many at a time. */
const sessionsPerPage = 100_000;

async function sessionsOf(snapshot: Snapshot, view: View): Promise<JudgedSessions> {
  const sessions = new Map<string, { readonly bounce: 0 | 1; readonly duration: number }>();
  const { projectId: project_id } = view;
  const every = { project_id, user_id: null, session_id: null, is_bounce: null };
  for (let before: { startMs: number; id: string } | null = null; ; ) {
    const page: Awaited<ReturnType<Snapshot["newestSessions"]>> = await snapshot.newestSessions(
      view,
      { ...every, limit: sessionsPerPage, before },
    );
    for (const one of page) {
      sessions.set(one.session_id, { bounce: one.is_bounce, duration: one.duration });
    }
    const last = page.at(-1);
    if (last === undefined || page.length < sessionsPerPage) return sessions;
    before = { startMs: last.start_time, id: last.session_id };
  }
}

/** Up to this number of values each of them is asked for by a filter, which lists no sessions. */
const filteredValuesMax = 50;

async function valuesOf(
  snapshot: Snapshot,
  input: DayRowsInput,
  group: DayGroup,
): Promise<ValueSums> {
  const { by, filters } = group;
  const view = viewOf(input.projectId, datesOf(input));
  const common = { filters, skip_null: true };
  const counted: CountedValues = await snapshot.countBy(view, {
    ...common,
    group_by: [by],
    metrics,
  });
  const sums: ValueSums = new Map();
  for (const row of counted.rows) {
    const judged = { visits: 0, bounces: 0, durationMs: 0 };
    sums.set(String(row[by]), { ...countsOf(row), ...judged });
  }
  if (sums.size <= filteredValuesMax) await addFiltered(snapshot, input, group, sums);
  else await addJoined(snapshot, view, group, sums);
  return sums;
}

/** Adds the visits of each value, as GET /stats gives them with the value as a filter. */
async function addFiltered(
  snapshot: Snapshot,
  input: DayRowsInput,
  { by, filters }: DayGroup,
  sums: ValueSums,
): Promise<void> {
  for (const [value, group] of sums) {
    const isValue: Condition = { field: by, op: "eq", value };
    const view = viewOf(input.projectId, datesOf(input), [...filters, isValue]);
    const [found] = await snapshot.sessionGroups(view, "all");
    if (found === undefined) continue;
    group.visits = found.sessions;
    group.bounces = found.bounces;
    group.durationMs = found.duration;
  }
}

/** Adds the visits of all values: the sessions of the date are listed once, and joined with their values. */
async function addJoined(
  snapshot: Snapshot,
  view: View,
  { by, filters }: DayGroup,
  sums: ValueSums,
): Promise<void> {
  const sessions = await sessionsOf(snapshot, view);
  const pairs: CountedValues = await snapshot.countBy(view, {
    ...{ filters, skip_null: true, group_by: [by, "session_id"], metrics: ["event_count"] },
  });
  for (const row of pairs.rows) {
    const session = sessions.get(String(row.session_id));
    const group = sums.get(String(row[by]));
    if (session === undefined || group === undefined) continue;
    group.visits += 1;
    group.bounces += session.bounce;
    group.durationMs += session.duration;
  }
}
