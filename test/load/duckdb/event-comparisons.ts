import { dayOf } from "../../../src/domain/event";
import { dayMs, hourMs } from "../../../src/lib/clock";
import { ofSource, onMobile } from "./session-fields";
import {
  type Cell,
  type Comparison,
  comparison,
  propertyNames,
  quoted,
  type Rows,
  rounded,
  type Span,
  sessionsOf,
  startsIn,
  within,
} from "./tables";

interface EventRow {
  readonly timestamp: number;
  readonly event: string;
  readonly user_id: string;
  readonly session_id: string;
  readonly country: string;
  readonly properties: Readonly<Record<string, unknown>>;
}
interface Query {
  readonly rows: readonly Readonly<Record<string, Cell>>[];
}
interface Breakdown {
  readonly values: readonly { value: string; count: number; unique_users: number }[];
  readonly total_events: number;
  readonly total_with_property: number;
}
interface Properties {
  readonly events: readonly {
    event: string;
    count: number;
    unique_users: number;
    first_seen: string;
    last_seen: string;
  }[];
  readonly property_keys: readonly string[];
}

/** The reads that look at events alone. Each sends as many statements as one would write for its answer. */
export const eventComparisons: Readonly<Record<string, Comparison>> = {
  "/stats by day": statsBy(dayMs),
  "/stats by day, one property value": statsBy(dayMs, () => onMobile),
  "/stats by day, one source": statsBy(dayMs, (span) => ofSource(span, "Google")),
  "/stats by hour": statsBy(hourMs),
  "/events newest 1,000": newest(1_000, () => "true"),
  "/events newest 100": newest(100, () => "true"),
  "/events of a session": newest(100, ({ sessionId }) => `session_id = ${quoted(sessionId)}`),
  "/events of a user": newest(100, ({ userId }) => `user_id = ${quoted(userId)}`),
  "/events/lookup of a user": newest(100, ({ userId }) => `user_id = ${quoted(userId)}`),
  "/journey of a user": comparison<{
    events: EventRow[];
    profiles: { first_seen: number; last_seen: number }[];
  }>(
    (span, { userId }) => [
      newestSql(span, 100, `user_id = ${quoted(userId)}`),
      `select min(ts), max(ts) from events where project = 0 and user_id = ${quoted(userId)}`,
    ],
    ({ events, profiles }) => [
      rowsOf(events.toReversed()),
      profiles.map(({ first_seen, last_seen }) => [first_seen, last_seen]),
    ],
  ),
  "/query event × date, one property value": comparison<Query>(
    (span) => [
      `select event, ts // ${dayMs} as day, count(*) from events where ${within(span)} and device = 'mobile'
       group by all order by day desc, event limit 100`,
    ],
    ({ rows }) => [
      rows.map(({ event, date, event_count }) => [event, dayOfText(date), event_count]),
    ],
  ),
  // Every event of this data set has a session; otherwise DuckDB would have more to do.
  "/query per event, session_then_user": comparison<Query>(
    (span) => [
      `select event, count(distinct session_id) as n from events where ${within(span)}
       group by event order by n desc, event limit 100`,
    ],
    ({ rows }) => [rows.map(({ event, event_count }) => [event, event_count])],
  ),
  "/query per country": comparison<Query>(
    (span) => [
      `select country, count(*) as n, count(distinct user_id) from events where ${within(span)}
       group by country order by n desc, country limit 100`,
    ],
    ({ rows }) => [
      rows.map(({ country, event_count, unique_users }) => [country, event_count, unique_users]),
    ],
  ),
  "/query path contains": comparison<Query>(
    (span) => [`select count(*) from events where ${within(span)} and path ilike '%pricing%'`],
    ({ rows }) => [rows.map(({ event_count }) => [event_count])],
  ),
  "/query bounce rate per event": comparison<Query>(
    (span) => [
      `with ${sessionsOf(span, ["start", "stop", "bounce"])},
       pairs as (select distinct event, session_id from events where ${within(span)} and session_id is not null)
       select event, ${rounded("avg(bounce)", 3)} as rate, ${rounded("avg(stop - start)", 0)}
       from pairs join sessions using (session_id) group by event order by rate desc, event limit 100`,
    ],
    ({ rows }) => [
      rows.map(({ event, bounce_rate, avg_duration }) => [event, bounce_rate, avg_duration]),
    ],
  ),
  "/query per user": largest("user_id"),
  "/query per session, one property value": largest("session_id", onMobile),
  "/properties": comparison<Properties>(
    (span) => [
      `select event, count(*) as n, count(distinct user_id), min(ts) // ${dayMs}, max(ts) // ${dayMs}
       from events where ${within(span)} group by event order by n desc, event`,
      `select ${present} from (${newestRows(span, 1_000)})`,
    ],
    ({ events, property_keys: keys }) => [
      events.map((row) => [
        row.event,
        row.count,
        row.unique_users,
        dayOfText(row.first_seen),
        dayOfText(row.last_seen),
      ]),
      [propertyNames.map((name) => keys.includes(name))],
    ],
  ),
  "/properties/received": comparison<{ properties: { key: string; event: string }[] }>(
    (span) => [
      `select event, ${present} from (${newestRows(span, 5_000)}) group by event order by event`,
    ],
    ({ properties }) => [
      [...new Set(properties.map(({ event }) => event))]
        .toSorted()
        .map((event) => [
          event,
          ...propertyNames.map((name) =>
            properties.some((one) => one.key === name && one.event === event),
          ),
        ]),
    ],
  ),
  "/breakdown path": breakdownOf("path", "true"),
  "/breakdown plan of purchases": breakdownOf("plan", "event = 'purchase'"),
  "/breakdown order_id": breakdownOf("order_id", "true"),
  "/heatmap": comparison<{
    heatmap: { day: number; hour: number; events: number; users: number }[];
  }>(
    (span) => [
      // 1 January 1970 was a Thursday.
      `select (ts // ${dayMs} + 4) % 7 as day, ts // ${hourMs} % 24 as hour, count(*), count(distinct user_id)
       from events where ${within(span)} group by all order by day, hour`,
    ],
    ({ heatmap }) => [heatmap.map(({ day, hour, events, users }) => [day, hour, events, users])],
  ),
};

const present = propertyNames.map((name) => `bool_or(${name} is not null)`).join(", ");
const newestRows = (span: Span, count: number): string =>
  `select * from events where ${within(span)} order by ts desc, seq desc limit ${count}`;
const dayOfText = (date: Cell): number => dayOf(Date.parse(String(date)));

function statsBy(unitMs: number, conditionOf: (span: Span) => string = () => "true"): Comparison {
  type Counted = { readonly unique_users: number; readonly total_events: number };
  return comparison<{
    totals: Counted & { visitors: number };
    timeSeries: (Counted & { bucket: string })[];
    events: { event: string; count: number; unique_users: number }[];
    sessions: Readonly<Record<string, number>>;
  }>(
    (span) => {
      const matching = `${within(span)} and ${conditionOf(span)}`;
      return [
        `select count(distinct user_id), count(*) from events where ${matching}`,
        `select ts // ${unitMs} as bucket, count(distinct user_id), count(*) from events where ${matching}
       group by bucket order by bucket`,
        `select event, count(*) as n, count(distinct user_id) from events where ${matching}
       group by event order by n desc, event limit 20`,
        `with ${sessionsOf(span, ["start", "stop", "bounce", "page_views", "user_id"], conditionOf(span))}
       select count(*), ${rounded("avg(bounce)", 3)}, ${rounded("avg(stop - start)", 0)},
         ${rounded("avg(page_views)", 1)}, ${rounded("count(*) / greatest(1, count(distinct user_id))", 1)},
         count(distinct user_id)
       from sessions where ${startsIn(span)}`,
      ];
    },
    ({ totals, timeSeries, events, sessions }) => [
      [[totals.unique_users, totals.total_events]],
      timeSeries.map((one) => [
        Math.floor(Date.parse(one.bucket + (unitMs === hourMs ? "Z" : "")) / unitMs),
        one.unique_users,
        one.total_events,
      ]),
      events.map(({ event, count, unique_users }) => [event, count, unique_users]),
      [
        [
          sessions.total_sessions,
          sessions.bounce_rate,
          sessions.avg_duration,
          sessions.pages_per_session,
          sessions.sessions_per_user,
          totals.visitors,
        ],
      ],
    ],
  );
}

const shown = ["ts", "event", "user_id", "session_id", "country"];
function newestSql(span: Span, count: number, condition: string): string {
  return `select ${[...shown, ...propertyNames].join(", ")} from events where ${within(span)} and ${condition}
    order by ts desc, seq desc limit ${count}`;
}
const rowsOf = (events: readonly EventRow[]): Rows =>
  events.map(({ timestamp, event, user_id, session_id, country, properties }) => [
    ...[timestamp, event, user_id, session_id, country],
    ...propertyNames.map((name) => (properties[name] ?? null) as Cell),
  ]);

function newest(
  count: number,
  conditionOf: (asked: { userId: string; sessionId: string }) => string,
): Comparison {
  return comparison<{ events: EventRow[] }>(
    (span, asked) => [newestSql(span, count, conditionOf(asked))],
    ({ events }) => [rowsOf(events)],
  );
}

function largest(column: "user_id" | "session_id", condition = "true"): Comparison {
  return comparison<Query>(
    (span) => [
      `select ${column}, count(*) as n from events where ${within(span)} and ${condition}
       group by ${column} order by n desc, ${column} limit 20`,
    ],
    ({ rows }) => [rows.map((row) => [row[column], row.event_count])],
  );
}

function breakdownOf(property: string, condition: string): Comparison {
  return comparison<Breakdown>(
    (span) => [
      `select ${property}, count(*) as n, count(distinct user_id) from events
       where ${within(span)} and ${condition} and ${property} is not null
       group by ${property} order by n desc, ${property} limit 20`,
      `select count(*), count(${property}) from events where ${within(span)} and ${condition}`,
    ],
    ({ values, total_events, total_with_property }) => [
      values.map(({ value, count, unique_users }) => [value, count, unique_users]),
      [[total_events, total_with_property]],
    ],
  );
}
