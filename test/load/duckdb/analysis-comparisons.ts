import { dayMs } from "../../../src/lib/clock";
import { channelOfSession, onMobile, sourceOfSession } from "./session-fields";
import {
  type Cell,
  type Comparison,
  comparison,
  type Rows,
  rounded,
  type SessionColumn,
  type Span,
  sessionsOf,
  within,
} from "./tables";

type Row = Readonly<Record<string, Cell>>;
interface Query {
  readonly rows: readonly Row[];
}
interface Compared {
  readonly rows: readonly (Row & { readonly previous: Row })[];
}

/** What analysts ask beyond the reads' own parameters. */
export const analysisComparisons: Readonly<Record<string, Comparison>> = {
  "/query per path, one property value": rowsOf(
    (span) => `select path, count(*) as n, count(distinct user_id) from events
      where ${within(span)} and ${onMobile} group by path order by n desc, path limit 20`,
  ),
  "/query per session.utm_source": judgedPer("utm_source", ["utm_source"]),
  "/query per session.source": judgedPer(sourceOfSession, ["utm_source", "referrer"]),
  "/query per session.channel": judgedPer(channelOfSession, ["utm_source", "referrer"]),
  "/query per session.entry_page": judgedPer("entry", ["entry"]),
  "/query per session.source, one channel": judgedPer(
    sourceOfSession,
    ["utm_source", "referrer"],
    `${channelOfSession} = 'Organic Search'`,
  ),
  "/query sum and p95 of integers": rowsOf(
    (span) =>
      `select sum(time_on_page), quantile_disc(time_on_page, 0.95) from events where ${within(span)}`,
  ),
  "/query sum and p95 of fractions, per plan": rowsOf(
    (span) => `select plan, sum(amount) as total, quantile_disc(amount, 0.95) from events
      where ${within(span)} group by plan order by total desc nulls last, plan`,
    inCents,
  ),
  "/query conversions per session.source": rowsOf(
    (span) => `with ${sessionsOf(span, ["utm_source", "referrer", "reached"])}
      select ${sourceOfSession} as value, count(*) as n, count(*) filter (reached),
        ${rounded("avg(cast(reached as integer))", 3)}
      from sessions group by value order by n desc, value limit 100`,
  ),
  "/query per event, compared with as many days before": comparison<Compared>(
    (span) => {
      const counted = (
        of: Span,
      ): string => `select event, count(*) as n, count(distinct user_id) as users
        from events where ${within(of)} group by event`;
      return [
        `select event, coalesce(own.n, 0) as n, coalesce(own.users, 0), coalesce(earlier.n, 0),
           coalesce(earlier.users, 0)
         from (${counted(span)}) own full join (${counted(before(span))}) earlier using (event)
         order by n desc, event limit 100`,
      ];
    },
    ({ rows }) => [
      rows.map(({ event, event_count, unique_users, previous }) => [
        ...[event, event_count, unique_users, previous.event_count, previous.unique_users],
      ]),
    ],
  ),
  "/query of 12 questions": comparison<{ results: readonly Query[] }>(
    (span) => [
      `select count(*), count(distinct user_id) from events where ${within(span)}`,
      `with ${sessionsOf(span, ["start", "stop", "bounce"])}
       select count(*), ${rounded("avg(bounce)", 3)}, ${rounded("avg(stop - start)", 0)} from sessions`,
      `select ts // ${dayMs} as day, count(*), count(distinct user_id) from events where ${within(span)}
       group by day order by day`,
      `select event, count(*) as n, count(distinct user_id) from events where ${within(span)}
       group by event order by n desc, event limit 10`,
      `select path, count(*) as n from events where ${within(span)} group by path order by n desc, path limit 10`,
      countedPer(span, "entry", ["entry"]),
      countedPer(span, sourceOfSession, ["utm_source", "referrer"]),
      countedPer(span, channelOfSession, ["utm_source", "referrer"]),
      countedPer(span, "device", ["device"]),
      countedPer(span, "browser", ["browser"]),
      countedPer(span, "country", ["country"]),
      `select sum(amount) from events where ${within(span)}`,
    ],
    ({ results }) =>
      results.map(({ rows }) =>
        inCents(
          rows.map(({ date, ...others }) =>
            date === undefined
              ? Object.values(others)
              : [Date.parse(String(date)) / dayMs, ...Object.values(others)],
          ),
        ),
      ),
    (answers) => answers.map(inCents),
  ),
};

function before({ fromMs, toMs }: Span): Span {
  return { fromMs: 2 * fromMs - toMs, toMs: fromMs };
}

/** DuckDB adds in the order in which its threads meet the rows: fractions are the same up to their last digits. */
function inCents(rows: Rows): Rows {
  return rows.map((row) =>
    row.map((cell) => (typeof cell === "number" ? Math.round(cell * 100) / 100 : cell)),
  );
}

/** One statement, and our rows as they are. */
function rowsOf(sql: (span: Span) => string, shown = (rows: Rows): Rows => rows): Comparison {
  return comparison<Query>(
    (span) => [sql(span)],
    ({ rows }) => [shown(rows.map((row) => Object.values(row)))],
    (answers) => answers.map(shown),
  );
}

function judgedPer(
  value: string,
  needed: readonly SessionColumn[],
  condition = "true",
): Comparison {
  return rowsOf(
    (span) => `with ${sessionsOf(span, ["bounce", ...needed])}
      select ${value} as value, count(*) as n, ${rounded("avg(bounce)", 3)} from sessions where ${condition}
      group by value order by n desc, value nulls first limit 100`,
  );
}

function countedPer(span: Span, value: string, needed: readonly SessionColumn[]): string {
  return `with ${sessionsOf(span, needed)}
    select ${value} as value, count(*) as n from sessions group by value order by n desc, value nulls first limit 10`;
}
