import { nonInteractiveEvents } from "../../../src/domain/event";
import { type Asked, goal } from "../questions";

/**
 * The events as somebody who knows DuckDB would keep them: ids as text, one typed column per property. `seq` numbers
 * events in their order of arrival, which in this data set is also the order of their times.
 */
const properties = {
  page: "varchar",
  experiment: "varchar",
  variant: "varchar",
  scroll_depth: "integer",
  time_on_page: "integer",
  label: "varchar",
  plan: "varchar",
  order_id: "varchar",
  amount: "double",
  url: "varchar",
  referrer: "varchar",
  path: "varchar",
  title: "varchar",
  hostname: "varchar",
  screen: "varchar",
  language: "varchar",
  timezone: "varchar",
  browser: "varchar",
  browser_version: "varchar",
  os: "varchar",
  device: "varchar",
  session_count: "integer",
  utm_source: "varchar",
} as const;
export const propertyNames = Object.keys(properties);

const columns = { project: "integer", seq: "bigint", country: "varchar", event: "varchar" };
const ids = { user_id: "varchar", session_id: "varchar" };
const listOf = (types: object): string =>
  Object.entries(types)
    .map(([name, type]) => `${name} ${type}`)
    .join(", ");

export const createTable = `create table events (${listOf({ ...columns, ...ids, ts: "bigint", ...properties })})`;

/** Events of a file with one JSON object per line: the events as they go over the wire, and three fields more. */
export function insertFrom(file: string): string {
  const struct = `struct(${listOf(properties)})`;
  const types = { ...columns, ...ids, timestamp: "bigint", properties: struct };
  const described = Object.entries(types).map(([name, type]) => `${name}: '${type}'`);
  const selected = [
    ...Object.keys({ ...columns, ...ids }),
    "timestamp",
    ...propertyNames.map((name) => `properties.${name}`),
  ];
  return `
    insert into events select ${selected.join(", ")}
    from read_json('${file}', format = 'newline_delimited', columns = {${described.join(", ")}})`;
}

/** Half-open, in Unix ms: the dates that our answer was about. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
const passive = [...nonInteractiveEvents].map(quoted).join(", ");
export const isPassive = (event: string): string => `${event} in (${passive})`;

/** The big project is number 0. */
export const within = ({ fromMs, toMs }: Span): string =>
  `project = 0 and ts >= ${fromMs} and ts < ${toMs}`;

/** A page as in definitions.md: properties.path, else properties.url, when not empty. */
const page = "coalesce(nullif(path, ''), nullif(url, ''))";

const sessionColumns = {
  start: "min(ts)",
  stop: "max(ts)",
  event_count: "count(*)",
  page_views: "count(*) filter (event = 'page_view')",
  bounce: `cast(bool_and(${isPassive("event")}) as integer)`,
  user_id: "arg_max(user_id, seq)",
  entry: `arg_min(${page}, seq) filter (${page} is not null)`,
  exit: `arg_max(${page}, seq) filter (${page} is not null)`,
  utm_source: firstOf("utm_source"),
  referrer: firstOf("referrer"),
  device: firstOf("device"),
  browser: firstOf("browser"),
  country: firstOf("country"),
  reached: `bool_or(event = ${quoted(goal)})`,
};

export type SessionColumn = keyof typeof sessionColumns;

function firstOf(column: string): string {
  return `arg_min(${column}, seq) filter (${column} <> '')`;
}

/**
 * Sessions computed from events, each judged on all of them; `wanted` are those with an event in the span. Only what
 * the question needs of a session is computed.
 */
export function sessionsOf(
  wanted: Span | "all",
  needed: readonly SessionColumn[],
  more = "true",
): string {
  const some =
    wanted === "all"
      ? ""
      : `and session_id in (select session_id from events where ${within(wanted)} and ${more})`;
  const list = needed.map((name) => `${sessionColumns[name]} as ${name}`);
  return `sessions as (
    select session_id, ${list.join(", ")} from events
    where project = 0 and session_id is not null ${some}
    group by session_id)`;
}
export const startsIn = ({ fromMs, toMs }: Span): string =>
  `start >= ${fromMs} and start < ${toMs}`;

/** Rounding as in definitions.md: halves go up. */
export const rounded = (value: string, digits: number): string =>
  digits === 0 ? `floor(${value} + 0.5)` : `floor((${value}) * 1e${digits} + 0.5) / 1e${digits}`;

export type Cell = string | number | boolean | null;
export type Rows = readonly (readonly Cell[])[];

/** The same question in DuckDB's SQL, and what of our answer its rows must equal. */
export interface Comparison {
  sql(span: Span, asked: Asked): readonly string[];
  ours(answer: never, span: Span): readonly Rows[];
  /** The part of DuckDB's answer that is compared, where it has more than we show. */
  theirs?(answers: readonly Rows[]): readonly Rows[];
}
/** `Answer` is what our read answers, as far as it is compared. */
export const comparison = <Answer>(
  sql: (span: Span, asked: Asked) => readonly string[],
  ours: (answer: Answer, span: Span) => readonly Rows[],
  theirs?: Comparison["theirs"],
): Comparison => ({ sql, ours, ...(theirs && { theirs }) });
