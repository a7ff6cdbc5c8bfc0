import type {
  ChangeCounts,
  ChangeDimension,
  ChangeRequest,
  DimensionCounts,
  ValueCounts,
} from "../../../domain/changes/change-counts";
import { directSource, valuesMax } from "../../../domain/changes/change-counts";
import { type Days, windowOf } from "../../../domain/period";
import type { View } from "../../questions";
import { Bound } from "../sql/bound";
import { Events } from "../sql/events";
import { localTime } from "../sql/local-time";
import type { OpenRead } from "../sql/open-read";
import {
  columnNamed,
  isOwnHost,
  type SessionColumn,
  sessionsSql,
  startedIn,
} from "../sql/sessions";
import { isThere, pageOfEvent, textOfStored } from "../sql/values";
import { reachedEvents } from "./count-by";
import { matchingSql } from "./sessions";

/** Asks for all values of a dimension in both periods, then for the earlier dates of those that are kept. */
export async function changeCounts(
  read: OpenRead,
  view: View,
  request: ChangeRequest,
): Promise<ChangeCounts> {
  const counted = (dimension: ChangeDimension | null) => countsOf(read, view, request, dimension);
  const [total, ...dimensions] = await Promise.all([
    counted(null),
    ...request.dimensions.map(counted),
  ]);
  const nothing: ValueCounts = {
    ...{ value: null, current: 0, previous: 0 },
    ...(request.goal !== undefined && { reached: { current: 0, previous: 0 } }),
    byDate: new Array(datesOf(request.reference)).fill(0),
  };
  return { total: total.values[0] ?? nothing, dimensions };
}

const datesOf = (days: Days | null): number => (days === null ? 0 : days.to - days.from + 1);

interface FoundValue {
  readonly value: string;
  readonly now: number;
  readonly before: number;
  readonly reached_now: number;
  readonly reached_before: number;
  readonly values: number;
  readonly all_now: number;
  readonly all_before: number;
  readonly all_reached_now: number;
  readonly all_reached_before: number;
}

async function countsOf(
  read: OpenRead,
  view: View,
  request: ChangeRequest,
  dimension: ChangeDimension | null,
): Promise<DimensionCounts> {
  const { metric, goal } = request;
  const bound = new Bound();
  const isOfSessions = metric === "sessions" || metric === "conversion";
  const things = isOfSessions
    ? sessionThings(read, bound, view, request, dimension)
    : eventThings(read, bound, view, request, dimension);
  const count = (where: string): string =>
    metric === "users" ? `uniqExactIf(user, ${where})` : `countIf(${where})`;
  const rows = await read.ask<FoundValue>(
    `select *, count() over () as values, sum(now) over () as all_now, sum(before) over () as all_before,
      sum(reached_now) over () as all_reached_now, sum(reached_before) over () as all_reached_before
    from (
      select value, ${count("side = 'current'")} as now, ${count("side = 'previous'")} as before,
        countIf(side = 'current' and is_reached) as reached_now,
        countIf(side = 'previous' and is_reached) as reached_before
      from ${things} where side in ('current', 'previous') group by value
    ) where now + before > 0 order by now + before desc, value limit ${bound.integer(valuesMax)}`,
    bound,
  );
  const byDate =
    goal === undefined ? await datesOfValues(read, bound, request, things, rows) : null;
  const reachedOf = (current: number, previous: number) =>
    goal !== undefined && { reached: { current, previous } };
  const sum = (of: (row: FoundValue) => number): number =>
    rows.reduce((all, row) => all + of(row), 0);
  const [first] = rows;
  return {
    values: rows.map((row) => ({
      value: row.value === "" ? null : row.value.slice(1),
      ...{ current: row.now, previous: row.before },
      ...reachedOf(row.reached_now, row.reached_before),
      byDate:
        byDate?.get(row.value) ??
        new Array(goal === undefined ? datesOf(request.reference) : 0).fill(0),
    })),
    other: {
      values: Number(first?.values ?? 0) - rows.length,
      current: Number(first?.all_now ?? 0) - sum(({ now }) => now),
      previous: Number(first?.all_before ?? 0) - sum(({ before }) => before),
      ...reachedOf(
        Number(first?.all_reached_now ?? 0) - sum((row) => row.reached_now),
        Number(first?.all_reached_before ?? 0) - sum((row) => row.reached_before),
      ),
    },
  };
}

/** Returns a number for each date of the reference. */
async function datesOfValues(
  read: OpenRead,
  bound: Bound,
  { metric, reference }: ChangeRequest,
  things: string,
  rows: readonly FoundValue[],
): Promise<Map<string, number[]>> {
  const counts = new Map(
    rows.map(({ value }) => [value, new Array<number>(datesOf(reference)).fill(0)]),
  );
  if (reference === null || rows.length === 0) return counts;
  const count = metric === "users" ? "uniqExact(user)" : "count()";
  const found = await read.ask<{ value: string; day: number; found: number }>(
    `select value, toInt32(day) as day, ${count} as found from ${things}
    where side = 'reference' and value in ${bound.texts([...counts.keys()])} group by value, day`,
    bound,
  );
  for (const { value, day, found: number } of found) {
    const dates = counts.get(value);
    if (dates !== undefined) dates[day - reference.from] = number;
  }
  return counts;
}

/** Returns SQL that tells in which periods a time is. It may be in two, as the reference may overlap the other. */
function sidesSql(
  bound: Bound,
  { current, previous, reference }: ChangeRequest,
  timeMs: string,
): string {
  const sides = [
    ["current", current] as const,
    ["previous", previous] as const,
    ["reference", reference] as const,
  ];
  const held = sides.flatMap(([side, days]) => {
    if (days === null) return [];
    const { fromMs, toMs } = windowOf(days);
    return [
      `if(${timeMs} >= ${bound.integer(fromMs)} and ${timeMs} < ${bound.integer(toMs)}, ['${side}'], [])`,
    ];
  });
  return `arrayConcat(${held.join(", ")})`;
}

const marked = (there: string, text: string): string => `if(${there}, concat('=', ${text}), '')`;

function eventThings(
  read: OpenRead,
  bound: Bound,
  view: View,
  request: ChangeRequest,
  dimension: ChangeDimension | null,
): string {
  const events = new Events(read, bound, view);
  const value = dimension === null ? "''" : eventValue(read, events, dimension);
  const onlyUsers = request.metric === "users" ? "user != ''" : "1";
  return `(select user, ${value} as value, false as is_reached, toDate(${localTime(view, request.current.zone)}) as day,
      arrayJoin(${sidesSql(bound, request, "toUnixTimestamp64Milli(time)")}) as side
    from ${events.sql()} where ${onlyUsers})`;
}

function eventValue(read: OpenRead, events: Events, dimension: ChangeDimension): string {
  const text = (key: string): string => textOfStored(events.property(key));
  switch (dimension) {
    case "event":
      return "concat('=', name)";
    case "country":
      return marked("country != ''", "country");
    case "page":
      return marked(`${pageOfEvent} != ''`, pageOfEvent);
    case "version":
      return firstOf([text("version"), text("release"), text("app_version")]);
    case "source":
      return `multiIf(${text("utm_source")} != '', concat('=', ${text("utm_source")}),
        referrer_host != '' and not ${isOwnHost(events.bound, read)},
        concat('=', referrer_host), '=${directSource}')`;
    default: {
      const stored = events.property(dimension.replace(/^properties\./, ""));
      return marked(isThere(stored), textOfStored(stored));
    }
  }
}

const firstOf = (texts: readonly string[]): string =>
  `multiIf(${texts.map((text) => `${text} != '', concat('=', ${text})`).join(", ")}, '')`;

function sessionThings(
  read: OpenRead,
  bound: Bound,
  view: View,
  request: ChangeRequest,
  dimension: ChangeDimension | null,
): string {
  const fields = dimension === null ? [] : fieldsOf(dimension);
  const sessions = sessionsSql(read, bound, { projectId: view.projectId, window: view, fields });
  const value = dimension === null ? "''" : sessionValue(dimension);
  const { goal } = request;
  const isReached =
    goal === undefined
      ? "false"
      : `session_id in (select session_id from ${reachedEvents(read, bound, view, goal)} where session_id != '')`;
  const day = `toDate(${localTime(view, request.current.zone)})`;
  return `(select user, ${value} as value, ${isReached} as is_reached, ${day} as day,
      arrayJoin(${sidesSql(bound, request, "toUnixTimestamp64Milli(time)")}) as side
    from (select *, start as time from ${sessions}
      where ${startedIn(bound, view)} and ${matchingSql(read, bound, view)}))`;
}

function fieldsOf(dimension: ChangeDimension): readonly SessionColumn[] {
  switch (dimension) {
    case "event":
      return ["first event"];
    case "page":
      return ["session.entry_page"];
    case "version":
      return ["first version"];
    case "source":
      return ["properties.utm_source", "referrer"];
    case "country":
      return ["session.country"];
    default:
      return [
        dimension.startsWith("properties.")
          ? (dimension as SessionColumn)
          : `properties.${dimension}`,
      ];
  }
}

function sessionValue(dimension: ChangeDimension): string {
  const [first, second] = [columnNamed(0), columnNamed(1)];
  if (dimension !== "source") return marked(`${first} != ''`, first);
  return `multiIf(${first} != '', concat('=', ${first}), ${second} != '', concat('=', ${second}), '=${directSource}')`;
}
