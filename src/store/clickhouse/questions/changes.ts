import type {
  ChangeCounts,
  ChangeDimension,
  ChangeRequest,
  DimensionCounts,
  ValueCounts,
} from "../../../domain/changes/change-counts";
import { valuesMax } from "../../../domain/changes/change-counts";
import { type Days, windowOf } from "../../../domain/period";
import type { View } from "../../questions";
import { Bound } from "../sql/bound";
import { Events } from "../sql/events";
import { localTime } from "../sql/local-time";
import type { OpenRead } from "../sql/open-read";
import { columnNamed, type SessionColumn, sessionsSql, startedIn } from "../sql/sessions";
import { isThere, pageOfEvent, textOfStored } from "../sql/values";
import { reachedEvents } from "./goals";
import { matchingSql } from "./sessions";

/** What is counted of all things together, and then by each dimension of the request. */
type Dimension = ChangeDimension | "all";

/**
 * Asks for all values in both periods, then for the earlier dates of those that are kept. Events are read, and sessions
 * judged, once for all dimensions: a thing stands in as many rows as there are dimensions.
 */
export async function changeCounts(
  read: OpenRead,
  view: View,
  request: ChangeRequest,
): Promise<ChangeCounts> {
  const { metric, goal, reference } = request;
  const bound = new Bound();
  const isOfSessions = metric === "sessions" || metric === "conversion";
  const all: readonly Dimension[] = ["all", ...request.dimensions];
  const things = (isOfSessions ? sessionThings : eventThings)(read, bound, view, request, all);
  const found = await valuesOf(read, bound, request, things);
  const byDate =
    goal === undefined && reference !== null
      ? await datesOfValues(read, bound, { metric, reference }, things, [allThings, ...found])
      : null;
  const nothing = (): number[] => new Array(goal === undefined ? datesOf(reference) : 0).fill(0);
  const [total, ...dimensions] = all.map((_, index) => {
    const rows = found.filter((row) => row.dimension === index);
    return countsOf(rows, goal !== undefined, (row) => byDate?.get(keyOf(row)) ?? nothing());
  });
  const none: ValueCounts = {
    ...{ value: null, current: 0, previous: 0 },
    ...(goal !== undefined && { reached: { current: 0, previous: 0 } }),
    byDate: byDate?.get(keyOf(allThings)) ?? nothing(),
  };
  return { total: total.values[0] ?? none, dimensions };
}

/** The one value of all things together: it has earlier dates even where neither period has anything. */
const allThings = { dimension: 0, value: "" } as const;

const datesOf = (days: Days | null): number => (days === null ? 0 : days.to - days.from + 1);

interface FoundValue {
  /** Its place in the list of dimensions. */
  readonly dimension: number;
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

function valuesOf(
  read: OpenRead,
  bound: Bound,
  { metric }: ChangeRequest,
  things: string,
): Promise<FoundValue[]> {
  const count = (where: string): string =>
    metric === "users" ? `uniqExactIf(user, ${where})` : `countIf(${where})`;
  const ofAll = (column: string): string =>
    `sum(${column}) over (partition by dimension) as all_${column}`;
  return read.ask<FoundValue>(
    `select *, count() over (partition by dimension) as values,
      ${["now", "before", "reached_now", "reached_before"].map(ofAll).join(", ")}
    from (
      select dimension, value, ${count("side = 'current'")} as now, ${count("side = 'previous'")} as before,
        countIf(side = 'current' and is_reached) as reached_now,
        countIf(side = 'previous' and is_reached) as reached_before
      from ${things} where side in ('current', 'previous') group by dimension, value
    ) where now + before > 0
    order by dimension, now + before desc, value limit ${bound.integer(valuesMax)} by dimension`,
    bound,
  );
}

function countsOf(
  rows: readonly FoundValue[],
  hasGoal: boolean,
  byDateOf: (row: FoundValue) => number[],
): DimensionCounts {
  const reachedOf = (current: number, previous: number) =>
    hasGoal && { reached: { current, previous } };
  const sum = (of: (row: FoundValue) => number): number =>
    rows.reduce((all, row) => all + of(row), 0);
  const [first] = rows;
  return {
    values: rows.map((row) => ({
      value: row.value === "" ? null : row.value.slice(1),
      ...{ current: row.now, previous: row.before },
      ...reachedOf(row.reached_now, row.reached_before),
      byDate: byDateOf(row),
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

/** A value of a dimension as one text: behind the number is a mark, or nothing. */
const keyOf = ({ dimension, value }: Pick<FoundValue, "dimension" | "value">): string =>
  `${dimension}${value}`;

/** Returns a number for each date of the reference. */
async function datesOfValues(
  read: OpenRead,
  bound: Bound,
  { metric, reference }: Pick<ChangeRequest, "metric"> & { readonly reference: Days },
  things: string,
  rows: readonly Pick<FoundValue, "dimension" | "value">[],
): Promise<Map<string, number[]>> {
  const counts = new Map(
    rows.map((row) => [keyOf(row), new Array<number>(datesOf(reference)).fill(0)]),
  );
  const count = metric === "users" ? "uniqExact(user)" : "count()";
  const found = await read.ask<{ dimension: number; value: string; day: number; found: number }>(
    `select dimension, value, toInt32(day) as day, ${count} as found from ${things}
    where side = 'reference' and concat(toString(dimension), value) in ${bound.texts([...counts.keys()])}
    group by dimension, value, day`,
    bound,
  );
  for (const { day, found: number, ...row } of found) {
    const dates = counts.get(keyOf(row));
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

/** Columns that make a row of each value, with its place in the list. */
const eachOf = (values: readonly string[]): string =>
  `arrayJoin(arrayZip(range(${values.length}), cast([${values.join(", ")}], 'Array(String)'))) as placed,
    placed.1 as dimension, placed.2 as value`;

/** A text that is not empty where there is one. */
const withMark = (text: string): string => marked(`${text} != ''`, text);
const marked = (there: string, text: string): string => `if(${there}, concat('=', ${text}), '')`;

function eventThings(
  read: OpenRead,
  bound: Bound,
  view: View,
  request: ChangeRequest,
  dimensions: readonly Dimension[],
): string {
  const events = new Events(read, bound, view);
  const values = dimensions.map((dimension) => eventValue(events, dimension));
  const onlyUsers = request.metric === "users" ? "user != ''" : "1";
  return `(select user, ${eachOf(values)}, false as is_reached, toDate(${localTime(view, request.current.zone)}) as day,
      arrayJoin(${sidesSql(bound, request, "toUnixTimestamp64Milli(time)")}) as side
    from ${events.sql()} where ${onlyUsers})`;
}

function eventValue(events: Events, dimension: Dimension): string {
  const text = (key: string): string => textOfStored(events.property(key));
  switch (dimension) {
    case "all":
      return "''";
    case "event":
      return "concat('=', name)";
    case "country":
      return marked("country != ''", "country");
    case "page":
      return marked(`${pageOfEvent} != ''`, pageOfEvent);
    case "version":
      return firstOf([text("version"), text("release"), text("app_version")]);
    case "source":
      return withMark(events.sessionField("session.source"));
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
  dimensions: readonly Dimension[],
): string {
  const fields: SessionColumn[] = [];
  const values = dimensions.map((dimension) => {
    const own = fieldsOf(dimension);
    fields.push(...own);
    return sessionValue(dimension, fields.length - own.length);
  });
  const sessions = sessionsSql(read, bound, { projectId: view.projectId, window: view, fields });
  const { goal } = request;
  const isReached =
    goal === undefined
      ? "false"
      : `session_id in (select session_id from ${reachedEvents(read, bound, view, goal)} where session_id != '')`;
  const day = `toDate(${localTime(view, request.current.zone)})`;
  return `(select user, ${eachOf(values)}, ${isReached} as is_reached, ${day} as day,
      arrayJoin(${sidesSql(bound, request, "toUnixTimestamp64Milli(time)")}) as side
    from (select *, start as time from ${sessions}
      where ${startedIn(bound, view)} and ${matchingSql(read, bound, view)}))`;
}

function fieldsOf(dimension: Dimension): readonly SessionColumn[] {
  switch (dimension) {
    case "all":
      return [];
    case "event":
      return ["first event"];
    case "page":
      return ["session.entry_page"];
    case "version":
      return ["first version"];
    case "source":
      return ["session.source"];
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

/** Selects the fields of a dimension, which begin at a place among all of them. */
function sessionValue(dimension: Dimension, place: number): string {
  return dimension === "all" ? "''" : withMark(columnNamed(place));
}
