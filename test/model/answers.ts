import { clockAt } from "./clocks";
import { windowOf } from "./filtered";
import { oncePerValue } from "./goal-events";
import { eventsOfGoal, goalNumbers, isOfGoal, type ModelGoal } from "./goals";
import { labelOf, ofValues } from "./measures";
import {
  fieldOf,
  inTime,
  type Model,
  type ModelCondition,
  type ModelDays,
  type ModelSession,
  passes,
} from "./model";
import {
  bucketOf,
  byCodePoints,
  byLabel,
  date,
  dayMs,
  distinct,
  grouped,
  lastDate,
  rounded,
  sum,
} from "./values";

/** The answers of the reads, field by field in their order, without `project`. */

/** The zone is named when there is one. */
export const period = ({ from, to, zone }: ModelDays) => ({
  from: date(from * dayMs),
  to: date(to * dayMs),
  ...(zone !== undefined && { timezone: zone }),
});

export function stats(model: Model, days: ModelDays, groupBy: "hour" | "day" | "week" | "month") {
  const events = model.events(days);
  const users = (list: typeof events): number => distinct(list.map(({ user }) => user));
  const counted = { unique_users: users(events), total_events: events.length };
  return {
    period: { ...period(days), groupBy },
    totals: { ...counted, visitors: distinct(model.sessions(days).map(({ user }) => user)) },
    timeSeries: grouped(events, ({ timeMs }) => bucketOf(clockAt(timeMs, days.zone), groupBy))
      .map(([bucket, list]) => ({ bucket, unique_users: users(list), total_events: list.length }))
      .sort((a, b) => byCodePoints(a.bucket, b.bucket)),
    events: grouped(events, ({ name }) => name)
      .map(([event, list]) => ({ event, count: list.length, unique_users: users(list) }))
      .sort((a, b) => b.count - a.count || byCodePoints(a.event, b.event))
      .slice(0, 20),
    sessions: sessionTotals(model, days),
  };
}

export function sessionTotals(model: Model, days: ModelDays) {
  const sessions = model.sessions(days);
  const count = sessions.length;
  const users = distinct(sessions.map(({ user }) => user));
  const pageViews = sessions.flatMap((session) =>
    session.events.filter(({ name }) => name === "page_view"),
  );
  if (count === 0) {
    return {
      total_sessions: 0,
      bounce_rate: 0,
      avg_duration: 0,
      pages_per_session: 0,
      sessions_per_user: 0,
    };
  }
  return {
    total_sessions: count,
    bounce_rate: rounded(sum(sessions.map(({ isBounce }) => isBounce)) / count, 3),
    avg_duration: Math.round(sum(sessions.map(({ durationMs }) => durationMs)) / count),
    pages_per_session: rounded(pageViews.length / count, 1),
    sessions_per_user: rounded(count / Math.max(1, users), 1),
  };
}

export interface EventsQuestion {
  readonly event?: string;
  readonly session_id?: string;
  readonly user_id?: string;
}

/** All rows of the list, newest first, without id and project_id, which the model cannot know. */
export function events(model: Model, days: ModelDays, question: EventsQuestion) {
  const { event, session_id: session, user_id: user } = question;
  return model
    .events(days)
    .filter((one) => event === undefined || one.name === event)
    .filter((one) => session === undefined || one.session === session)
    .filter((one) => user === undefined || one.user === user)
    .toSorted((a, b) => inTime(b, a))
    .map((one) => ({
      event: one.name,
      properties: one.properties,
      user_id: one.user,
      session_id: one.session,
      timestamp: one.timeMs,
      date: date(one.timeMs, days.zone),
      country: one.country,
    }));
}

export interface QueryQuestion {
  readonly metrics: readonly string[];
  readonly groupBy: readonly string[];
  readonly conditions: readonly ModelCondition[];
  readonly goal: ModelGoal;
  /** The key of the property of which each value counts once. */
  readonly oncePer?: string;
  readonly countMode: "session_then_user" | "raw";
  readonly orderBy: string;
  readonly order: "asc" | "desc";
  readonly limit: number;
}

export function query(
  model: Model,
  days: ModelDays,
  question: QueryQuestion,
  userId: string | null,
) {
  const person = userId === null ? null : model.behind(userId);
  const { metrics, groupBy, conditions, orderBy, order, limit } = question;
  const all = model
    .events(days)
    .filter(({ user }) => person === null || user === person)
    .filter((event) => conditions.every((one) => passes(event, one, days.zone)));
  const { oncePer } = question;
  const found = oncePer === undefined ? all : oncePerValue(all, oncePer);
  const sessions = new Map(model.allSessions().map((session) => [session.id, session]));
  const groups = grouped(found, (event) =>
    JSON.stringify(groupBy.map((field) => labelOf(event, field, days.zone))),
  );
  if (groupBy.length === 0 && groups.length === 0) groups.push(["[]", []]);
  const reached = eventsOfGoal(model, question.goal, windowOf(model, days), days.zone);
  const rows = groups.map(([key, members]) => {
    const labels: (string | number | null)[] = JSON.parse(key);
    const row: Record<string, string | number | null> = {};
    groupBy.forEach((name, index) => {
      row[name] = labels[index];
    });
    const ids = [...new Set(members.map(({ session }) => session))].filter((id) => id !== null);
    const judged = ids.map((id) => sessions.get(id)).filter((session) => session !== undefined);
    const converted = judged.filter(({ events: all }) => all.some((one) => reached.has(one)));
    const ofGoal = goalNumbers(question.goal, judged, reached);
    for (const metric of metrics)
      row[metric] = isOfGoal(metric)
        ? ofGoal[metric]
        : metric === "last_date"
          ? lastDate(members, days.zone)
          : measured(metric, question.countMode, members, { judged, converted });
    return row;
  });
  const sign = order === "asc" ? 1 : -1;
  rows.sort((a, b) => {
    const first = sign * byLabel(a[orderBy], b[orderBy]);
    const rest = groupBy.map((name) => byLabel(a[name], b[name]));
    return [first, ...rest].find((difference) => difference !== 0) ?? 0;
  });
  const shown = rows.slice(0, limit);
  return {
    period: period(days),
    metrics,
    group_by: groupBy,
    rows: shown,
    count: shown.length,
    ...(rows.length > limit && { truncated: true, groups_total: rows.length }),
  };
}

export function measured(
  metric: string,
  mode: QueryQuestion["countMode"],
  events: ReturnType<Model["events"]>,
  { judged: sessions, converted }: Readonly<Record<"judged" | "converted", ModelSession[]>>,
): number | null {
  const [, measure = "", key = ""] = /^(\w+):properties\.(\w+)$/.exec(metric) ?? [];
  if (measure !== "") return ofValues(measure, events, key);
  switch (metric) {
    case "page_views":
      return events.filter(({ name }) => name === "page_view").length;
    case "unique_users":
      return distinct(events.map(({ user }) => user));
    case "session_count":
      return sessions.length;
    case "conversions":
      return converted.length;
    case "conversion_rate":
      return sessions.length === 0 ? 0 : rounded(converted.length / sessions.length, 3);
    case "bounce_rate": {
      const bounces = sum(sessions.map(({ isBounce }) => isBounce));
      return sessions.length === 0 ? 0 : rounded(bounces / sessions.length, 3);
    }
    case "avg_duration": {
      const duration = sum(sessions.map(({ durationMs }) => durationMs));
      return sessions.length === 0 ? 0 : Math.round(duration / sessions.length);
    }
    default:
      return mode === "raw" ? events.length : sessionThenUser(events);
  }
}

function sessionThenUser(events: ReturnType<Model["events"]>): number {
  const inSession = events.filter(({ session }) => session !== null);
  const outside = events.filter(({ session }) => session === null);
  const known = new Set(inSession.map(({ user }) => user));
  const lonely = outside
    .map(({ user }) => user)
    .filter((user) => user === null || !known.has(user));
  const nobody = outside.filter(({ user }) => user === null);
  return distinct(inSession.map(({ session }) => session)) + distinct(lonely) + nobody.length;
}

export function breakdown(
  model: Model,
  days: ModelDays,
  { property, event, limit }: { property: string; event: string | null; limit: number },
) {
  const field = property === "country" ? "country" : `properties.${property}`;
  const all = model.events(days).filter(({ name }) => event === null || name === event);
  const having = all.filter((one) => fieldOf(one, field) !== null);
  const values = grouped(having, (one) => fieldOf(one, field) ?? "").map(([value, list]) => ({
    value,
    count: list.length,
    unique_users: distinct(list.map(({ user }) => user)),
  }));
  return {
    property,
    event,
    values: values
      .sort((a, b) => b.count - a.count || byCodePoints(a.value, b.value))
      .slice(0, limit),
    ...(values.length > limit && { truncated: true, groups_total: values.length }),
    total_events: all.length,
    total_with_property: having.length,
  };
}

export function properties(model: Model, days: ModelDays, eventsMax: number, keysMax: number) {
  const events = grouped(model.events(days), ({ name }) => name).map(([event, list]) => ({
    event,
    count: list.length,
    unique_users: distinct(list.map(({ user }) => user)),
    first_seen: date(Math.min(...list.map(({ timeMs }) => timeMs)), days.zone),
    last_seen: date(Math.max(...list.map(({ timeMs }) => timeMs)), days.zone),
  }));
  const keys = pairs(model, days, 1_000).map(({ key }) => ({ key, event: "" }));
  const shown = mostFrequent(keys, keysMax).map(({ key }) => key);
  const isCut = events.length > eventsMax || distinct(keys.map(({ key }) => key)) > keysMax;
  return {
    events: events
      .sort((a, b) => b.count - a.count || byCodePoints(a.event, b.event))
      .slice(0, eventsMax),
    property_keys: shown,
    ...(isCut && { truncated: true }),
  };
}

export function received(model: Model, days: ModelDays, sample: number, pairsMax: number) {
  const all = pairs(model, days, sample);
  const isCut = distinct(all.map((pair) => JSON.stringify(pair))) > pairsMax;
  return {
    since: date(days.from * dayMs),
    sample_size: sample,
    properties: mostFrequent(all, pairsMax),
    ...(isCut && { truncated: true }),
  };
}

interface Pair {
  readonly key: string;
  readonly event: string;
}

/** Distinct pairs, the most frequent ones of too many, by key, then event. */
function mostFrequent(all: readonly Pair[], max: number): Pair[] {
  const inOrder = (a: Pair, b: Pair): number =>
    byCodePoints(a.key, b.key) || byCodePoints(a.event, b.event);
  return grouped(all, (pair) => JSON.stringify(pair))
    .map(([, list]) => ({ pair: list[0], count: list.length }))
    .sort((a, b) => b.count - a.count || inOrder(a.pair, b.pair))
    .slice(0, max)
    .map(({ pair }) => pair)
    .sort(inOrder);
}

/** Key and event of the newest events with properties, as often as they came. */
function pairs(model: Model, days: ModelDays, sample: number): Pair[] {
  const newest = model
    .events(days)
    .filter((event) => event.properties !== null)
    .toSorted((a, b) => inTime(b, a))
    .slice(0, sample);
  return newest.flatMap((event) =>
    Object.keys(event.properties ?? {}).map((key) => ({ key, event: event.name })),
  );
}
