import { periodsUntil, windowOf } from "../../../src/domain/period";
import { durationBuckets } from "../../../src/domain/session";
import { dayMs } from "../../../src/lib/clock";
import { type Asked, cohorts, type Window } from "../questions";
import {
  type Cell,
  type Comparison,
  comparison,
  quoted,
  rounded,
  type Span,
  sessionsOf,
  startsIn,
  within,
} from "./tables";

interface SessionRow {
  readonly session_id: string;
  readonly user_id: string;
  readonly start_time: number;
  readonly duration: number;
  readonly entry_page: string | null;
  readonly exit_page: string | null;
  readonly event_count: number;
  readonly is_bounce: number;
}
type PageRow = Readonly<
  Record<"page", string> &
    Record<"sessions" | "bounces" | "bounce_rate" | "avg_duration" | "avg_events", number>
>;
interface Change {
  readonly current: number;
  readonly previous: number;
}
interface Cohort {
  readonly date: string;
  readonly users: number;
  readonly retained: readonly number[];
}

/** The reads that judge sessions. */
export const sessionComparisons: Readonly<Record<string, Comparison>> = {
  "/sessions newest 100": sessionList(() => "true"),
  "/sessions of a user": sessionList(({ userId }) => `user_id = ${quoted(userId)}`),
  "/sessions/distribution": comparison<{
    distribution: {
      bucket: string;
      sessions: number;
      bounces: number;
      avg_events: number;
      pct: number;
    }[];
  }>(
    (span) => [
      `with ${sessionsOf(span, ["start", "stop", "bounce", "event_count"])}, placed as (
         select *, stop - start as ms, case when ms = 0 then 0 when ms < 10000 then 1 when ms < 30000 then 2
           when ms < 60000 then 3 when ms < 180000 then 4 when ms < 600000 then 5 else 6 end as place
         from sessions where ${startsIn(span)})
       select place, count(*), sum(bounce), ${rounded("avg(event_count)", 1)},
         ${rounded("count(*) * 100 / sum(count(*)) over ()", 1)}
       from placed group by place order by place`,
    ],
    ({ distribution }) => [
      distribution.map(({ bucket, sessions, bounces, avg_events, pct }) => [
        durationBuckets.findIndex(({ label }) => label === bucket),
        ...[sessions, bounces, avg_events, pct],
      ]),
    ],
  ),
  "/pages, entry and exit": comparison<{ entry_pages: PageRow[]; exit_pages: PageRow[] }>(
    (span) => (["entry", "exit"] as const).map((page) => pagesSql(span, page)),
    ({ entry_pages, exit_pages }) => [entry_pages.map(cellsOf), exit_pages.map(cellsOf)],
  ),
  "/insights": comparison<{ metrics: Readonly<Record<string, Change>> }>(
    (span) => [span, before(span)].flatMap(insightsSql),
    ({ metrics }) =>
      (["current", "previous"] as const).flatMap((which) => {
        const { total_events, unique_users, ...of } = metrics;
        const ofSessions = [of.total_sessions, of.bounce_rate, of.avg_duration, of.visitors];
        return [
          [[total_events[which], unique_users[which]]],
          [ofSessions.map((change) => change[which])],
        ];
      }),
  ),
  "/retention by sessions": retention(
    () => `${sessionsOf("all", ["user_id", "start"])}, activity as (
      select user_id, start as ms from sessions where user_id is not null), appearance as (from activity)`,
  ),
  "/retention by events": retention(
    () => `appearance as (select user_id, ts as ms from events
      where project = 0 and event = 'sign_up_started' and user_id is not null),
    activity as (select user_id, ts as ms from events
      where project = 0 and event = 'purchase' and user_id is not null)`,
  ),
  "/account/all-sites": comparison<{
    summary: { active_projects: number; total_events: Change };
    time_series: { events: number }[];
    projects: { events: number }[];
  }>(
    (span) => [
      `select count(distinct project), count(*) from events where ${times(span)}`,
      `select count(*) from events where ${times(before(span))}`,
      `select count(*) from events where ${times(span)} group by ts // ${dayMs} order by ts // ${dayMs}`,
      `select count(*) as n from events where ${times(span)} group by project order by n desc limit 10`,
    ],
    ({ summary, time_series, projects }) => [
      [[summary.active_projects, summary.total_events.current]],
      [[summary.total_events.previous]],
      time_series.filter(({ events }) => events > 0).map(({ events }) => [events]),
      projects.map(({ events }) => [events]),
    ],
  ),
};

const times = ({ fromMs, toMs }: Span): string => `ts >= ${fromMs} and ts < ${toMs}`;
const before = ({ fromMs, toMs }: Span): Span => ({ fromMs: 2 * fromMs - toMs, toMs: fromMs });

function sessionList(conditionOf: (asked: Asked) => string): Comparison {
  return comparison<{ sessions: SessionRow[] }>(
    (span, asked) => {
      const needed = [
        "user_id",
        "start",
        "stop",
        "entry",
        "exit",
        "event_count",
        "bounce",
      ] as const;
      return [
        `with ${sessionsOf(span, needed, conditionOf(asked))}
         select session_id, user_id, start, stop - start, entry, exit, event_count, bounce from sessions
         where ${startsIn(span)} and ${conditionOf(asked)} order by start desc, session_id desc limit 100`,
      ];
    },
    ({ sessions }) => [
      sessions.map((row): Cell[] => [
        ...[row.session_id, row.user_id, row.start_time, row.duration],
        ...[row.entry_page, row.exit_page, row.event_count, row.is_bounce],
      ]),
    ],
  );
}

const pagesSql = (span: Span, page: "entry" | "exit"): string => `
  with ${sessionsOf(span, ["start", "stop", "bounce", "event_count", page])}
  select ${page}, count(*) as n, sum(bounce), ${rounded("avg(bounce)", 3)}, ${rounded("avg(stop - start)", 0)},
    ${rounded("avg(event_count)", 1)}
  from sessions where ${startsIn(span)} and ${page} is not null group by ${page} order by n desc, ${page} limit 20`;
const cellsOf = (row: PageRow): Cell[] => [
  ...[row.page, row.sessions, row.bounces, row.bounce_rate, row.avg_duration, row.avg_events],
];

const insightsSql = (span: Span): string[] => [
  `select count(*), count(distinct user_id) from events where ${within(span)}`,
  `with ${sessionsOf(span, ["start", "stop", "bounce", "user_id"])}
   select count(*), coalesce(${rounded("avg(bounce)", 3)}, 0), coalesce(${rounded("avg(stop - start)", 0)}, 0),
     count(distinct user_id)
   from sessions where ${startsIn(span)}`,
];

/** `activityOf` defines two tables of (user_id, ms): first appearances, and what counts as coming back. */
function retention(activityOf: () => string): Comparison {
  return comparison<{ cohorts: Cohort[] }>(
    (span) => {
      const list = periodsOf(span).map(
        ({ fromMs, toMs }, index) => `(${index}, ${fromMs}, ${toMs})`,
      );
      return [
        `with ${activityOf()},
         period(number, start_ms, end_ms) as (values ${list.join(", ")}),
         first as (select user_id, min(ms) as ms from appearance group by user_id),
         member as (select user_id, number from first join period on ms >= start_ms and ms < end_ms),
         active as (select distinct user_id, number from activity join period on ms >= start_ms and ms < end_ms)
         select member.number, active.number - member.number as later, count(*)
         from member join active on active.user_id = member.user_id and active.number > member.number
         group by all order by all`,
      ];
    },
    ({ cohorts: found }, span) => [
      found.flatMap(({ date, retained }) =>
        retained.flatMap((users, later) => {
          const number = periodsOf(span).findIndex(({ fromMs }) => fromMs === Date.parse(date));
          return later === 0 || users === 0 ? [] : [[number, later, users]];
        }),
      ),
    ],
  );
}

/** Retention has periods of its own; the window says which. */
function periodsOf({ fromMs, toMs }: Span) {
  const days = (toMs - fromMs) / dayMs;
  const { unit, count } = cohorts[days as Window];
  const last = toMs / dayMs - 1;
  return periodsUntil({ from: last, to: last }, unit, count).map(windowOf);
}
