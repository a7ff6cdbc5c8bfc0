import { period, sessionTotals } from "./answers";
import { clockAt } from "./clocks";
import { isOn, type Model, type ModelDays, type ModelSession } from "./model";
import { byCodePoints, date, dayMs, distinct, grouped, rounded, sum } from "./values";

/** The answers of reads about sessions and periods, field by field, without `project`. */

export interface SessionsQuestion {
  readonly user_id?: string;
  readonly session_id?: string;
  readonly is_bounce?: 0 | 1;
}

/** All rows of the list, newest first. */
export function sessions(
  model: Model,
  days: ModelDays,
  question: SessionsQuestion,
  projectId: string,
) {
  const { user_id: user, session_id: id, is_bounce: isBounce } = question;
  return model
    .sessions(days)
    .filter((session) => user === undefined || session.user === user)
    .filter((session) => id === undefined || session.id === id)
    .filter((session) => isBounce === undefined || session.isBounce === isBounce)
    .toSorted((a, b) => b.startMs - a.startMs || byCodePoints(b.id, a.id))
    .map((session) => ({
      session_id: session.id,
      user_id: session.user,
      project_id: projectId,
      start_time: session.startMs,
      end_time: session.endMs,
      duration: session.durationMs,
      entry_page: session.entryPage,
      exit_page: session.exitPage,
      event_count: session.events.length,
      is_bounce: session.isBounce,
      date: date(session.startMs, days.zone),
      replay_count: 0,
    }));
}

const eventsOf = (list: readonly ModelSession[]): number =>
  sum(list.map(({ events }) => events.length));
const bouncesOf = (list: readonly ModelSession[]): number =>
  sum(list.map(({ isBounce }) => isBounce));

export function distribution(model: Model, days: ModelDays) {
  const all = model.sessions(days);
  const seconds = ({ durationMs }: ModelSession): number => durationMs / 1_000;
  const buckets: [string, (s: number) => boolean][] = [
    ["0s", (s) => s === 0],
    ["1-10s", (s) => s > 0 && s < 10],
    ["10-30s", (s) => s >= 10 && s < 30],
    ["30-60s", (s) => s >= 30 && s < 60],
    ["1-3m", (s) => s >= 60 && s < 180],
    ["3-10m", (s) => s >= 180 && s < 600],
    ["10m+", (s) => s >= 600],
  ];
  const rows = buckets.flatMap(([bucket, belongs]) => {
    const list = all.filter((session) => belongs(seconds(session)));
    if (list.length === 0) return [];
    return {
      bucket,
      sessions: list.length,
      bounces: bouncesOf(list),
      avg_events: rounded(eventsOf(list) / list.length, 1),
      pct: rounded((100 * list.length) / all.length, 1),
    };
  });
  let counted = 0;
  const median = rows.find((row) => {
    counted += row.sessions;
    return counted >= all.length / 2;
  });
  const engaged = all.filter((session) => seconds(session) >= 30).length;
  return {
    distribution: rows,
    median_bucket: median?.bucket ?? null,
    engaged_pct: all.length === 0 ? 0 : rounded((100 * engaged) / all.length, 1),
  };
}

export function pages(
  model: Model,
  days: ModelDays,
  type: "entry" | "exit" | "both",
  limit: number,
) {
  const list = (pageOf: (session: ModelSession) => string | null) =>
    grouped(
      model.sessions(days).filter((session) => pageOf(session) !== null),
      (session) => pageOf(session) ?? "",
    )
      .map(([page, found]) => ({
        page,
        sessions: found.length,
        bounces: bouncesOf(found),
        bounce_rate: rounded(bouncesOf(found) / found.length, 3),
        avg_duration: Math.round(sum(found.map(({ durationMs }) => durationMs)) / found.length),
        avg_events: rounded(eventsOf(found) / found.length, 1),
      }))
      .sort((a, b) => b.sessions - a.sessions || byCodePoints(a.page, b.page));
  const entry = type === "exit" ? [] : list(({ entryPage }) => entryPage);
  const exit = type === "entry" ? [] : list(({ exitPage }) => exitPage);
  const isCut = entry.length > limit || exit.length > limit;
  return {
    ...(type !== "exit" && { entry_pages: entry.slice(0, limit) }),
    ...(type !== "entry" && { exit_pages: exit.slice(0, limit) }),
    ...(isCut && { truncated: true, groups_total: entry.length + exit.length }),
  };
}

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

export function heatmap(model: Model, days: ModelDays) {
  const cells = grouped(model.events(days), ({ timeMs }) => {
    const time = new Date(clockAt(timeMs, days.zone));
    return time.getUTCDay() * 24 + time.getUTCHours();
  })
    .sort(([a], [b]) => a - b)
    .map(([key, list]) => ({
      day: Math.floor(key / 24),
      day_name: weekdays[Math.floor(key / 24)],
      hour: key % 24,
      events: list.length,
      users: distinct(list.map(({ user }) => user)),
    }));
  const most = (sums: number[]): number | null =>
    cells.length === 0 ? null : sums.indexOf(Math.max(...sums));
  const sumsBy = (count: number, by: "day" | "hour"): number[] =>
    Array.from({ length: count }, (_, at) =>
      sum(cells.filter((cell) => cell[by] === at).map(({ events }) => events)),
    );
  const day = most(sumsBy(7, "day"));
  const peak = Math.max(...cells.map(({ events }) => events));
  return {
    heatmap: cells,
    peak: cells.find(({ events }) => events === peak) ?? null,
    busiest_day: day === null ? null : weekdays[day],
    busiest_hour: most(sumsBy(24, "hour")),
  };
}

export function insights(model: Model, current: ModelDays, previous: ModelDays) {
  const measured = (days: ModelDays) => ({
    total_events: model.events(days).length,
    unique_users: distinct(model.events(days).map(({ user }) => user)),
    ...sessionTotals(model, days),
    visitors: distinct(model.sessions(days).map(({ user }) => user)),
  });
  const [now, before] = [measured(current), measured(previous)];
  const delta = (name: keyof typeof now) => {
    const change = rounded(now[name] - before[name], 3);
    const percent = Math.round((change / before[name]) * 100);
    const ofNothing = now[name] === 0 ? 0 : null;
    return {
      current: now[name],
      previous: before[name],
      change,
      change_pct: before[name] === 0 ? ofNothing : percent,
    };
  };
  const events = delta("total_events");
  const percent = events.change_pct ?? Number.POSITIVE_INFINITY;
  return {
    current_period: period(current),
    previous_period: period(previous),
    metrics: {
      total_events: events,
      unique_users: delta("unique_users"),
      total_sessions: delta("total_sessions"),
      bounce_rate: delta("bounce_rate"),
      avg_duration: delta("avg_duration"),
      visitors: delta("visitors"),
    },
    trend: percent > 10 ? "growing" : percent < -10 ? "declining" : "stable",
  };
}

/** All sites of an account that has one. */
export function sites(
  model: Model,
  current: ModelDays,
  previous: ModelDays,
  site: { readonly id: string; readonly name: string },
) {
  const { current_period, previous_period, metrics } = insights(model, current, previous);
  const found = model.events(current);
  const days = Array.from({ length: current.to - current.from + 1 }, (_, at) => current.from + at);
  const perDay = days.map((day) => ({
    date: date(day * dayMs),
    events: found.filter(({ timeMs }) => isOn(timeMs, { ...current, from: day, to: day })).length,
  }));
  const last = perDay.findLast(({ events }) => events > 0)?.date ?? null;
  const row = { ...site, events: found.length, share_pct: 100, last_active_date: last };
  const active = found.length === 0 ? [] : [row];
  return {
    scope: "account",
    period: {
      label: "7d",
      ...current_period,
      previous_from: previous_period.from,
      previous_to: previous_period.to,
    },
    summary: {
      total_projects: 1,
      active_projects: active.length,
      total_events: metrics.total_events,
    },
    time_series: perDay,
    projects: active,
    remaining_projects: 0,
  };
}
