import { deltaOf } from "../../domain/delta";
import { isoDate } from "../../domain/event";
import { type ComparedPeriod, type Days, datesOf } from "../../domain/period";
import { roundTo } from "../../lib/round";
import { compareText } from "../../lib/text";
import type { Read, Snapshot } from "../../store/port";
import type { AccountBotTraffic, BotTraffic } from "./schema";

interface Period {
  readonly label: ComparedPeriod;
  readonly current: Days;
  readonly previous: Days;
  readonly limit: number;
}
interface ProjectInput extends Period {
  readonly projectId: string;
}
interface AccountInput extends Period {
  /** The live projects of an account. */
  readonly projects: readonly { readonly id: string; readonly name: string }[];
}

/** The automated requests of some projects in a window of dates, without what their retention hides. */
const AUTOMATED = `automated as (
    select project.name as project, date, category, actor, requests, dropped_events, last_seen_at
    from automated_day join project on project.id = automated_day.project_id
    where project.name in (select value from json_each(:projects)) and date between :from and :to
      and date >= date(retained_from_ms / 1000, 'unixepoch')
  )`;
const SUMS =
  "sum(requests) as requests, sum(dropped_events) as dropped_events, max(last_seen_at) as last_seen_at";

/** One row, of zeros when there was nothing. */
export const TOTALS = `
  with ${AUTOMATED}
  select coalesce(sum(requests), 0) as requests, coalesce(sum(dropped_events), 0) as dropped_events,
    max(last_seen_at) as last_seen_at
  from automated`;
export const BY_CATEGORY = `
  with ${AUTOMATED}
  select category, ${SUMS} from automated
  group by category order by requests desc, dropped_events desc, category`;
export const BY_ACTOR = `
  with ${AUTOMATED}
  select actor, category, ${SUMS} from automated
  group by actor, category order by requests desc, dropped_events desc, actor, category limit :limit`;
export const BY_PROJECT = `
  with ${AUTOMATED}
  select project, ${SUMS} from automated group by project`;
export const BY_DATE = `
  with ${AUTOMATED}
  select date, ${SUMS} from automated group by date`;

interface Sums {
  readonly requests: number;
  readonly dropped_events: number;
  readonly last_seen_at: number;
}
interface Window {
  readonly projects: string;
  readonly from: string;
  readonly to: string;
}

/** GET /bot-traffic of the contract. */
export const botTrafficRead: Read<ProjectInput, BotTraffic> = {
  name: "bot-traffic",
  scope: () => ({ projectIds: [], fromMs: 0, toMs: 0 }), // only counters are looked at
  run(snapshot, input) {
    const { period, summary, categories, time_series, now } = common(
      snapshot,
      [input.projectId],
      input,
    );
    const { limit } = input;
    return {
      scope: "project",
      period,
      summary,
      categories,
      actors: snapshot
        .rows<Sums & { actor: string; category: string }>(BY_ACTOR, { ...now, limit })
        .map(({ actor, category, requests, dropped_events, last_seen_at }) => ({
          actor,
          category,
          requests,
          dropped_events,
          last_seen_at,
        })),
      time_series,
    };
  },
};

/** GET /account/bot-traffic of the contract. */
export const accountBotTrafficRead: Read<AccountInput, AccountBotTraffic> = {
  name: "account-bot-traffic",
  scope: () => ({ projectIds: [], fromMs: 0, toMs: 0 }),
  run(snapshot, input) {
    const ids = input.projects.map(({ id }) => id);
    const { period, summary, categories, time_series, now } = common(snapshot, ids, input);
    const names = new Map(input.projects.map(({ id, name }) => [id, name]));
    const active = snapshot
      .rows<Sums & { project: string }>(BY_PROJECT, now)
      .map(({ project: id, ...sums }) => ({ id, name: names.get(id) ?? id, ...sums }))
      .sort(
        (a, b) =>
          b.requests - a.requests ||
          b.dropped_events - a.dropped_events ||
          compareText(a.name, b.name),
      );
    const total = summary.automated_requests.current;
    return {
      scope: "account",
      period,
      summary: { ...summary, active_projects: active.length, total_projects: ids.length },
      categories,
      projects: active.slice(0, input.limit).map(({ last_seen_at, ...project }) => ({
        ...project,
        share_pct: percent(project.requests, total),
        last_seen_at,
      })),
      remaining_projects: Math.max(0, active.length - input.limit),
      time_series,
    };
  },
};

/** What both answers have, and the parameters of the current window. */
function common(snapshot: Snapshot, ids: readonly string[], { label, current, previous }: Period) {
  const projects = JSON.stringify(ids);
  const now: Window = { projects, ...datesOf(current) };
  const totals = totalsOf(snapshot, now);
  const before = totalsOf(snapshot, { projects, ...datesOf(previous) });
  const previousDates = datesOf(previous);
  return {
    now: { ...now },
    period: {
      label,
      ...datesOf(current),
      previous_from: previousDates.from,
      previous_to: previousDates.to,
    },
    summary: {
      automated_requests: deltaOf(totals.requests, before.requests),
      dropped_events: deltaOf(totals.dropped_events, before.dropped_events),
      last_seen_at: totals.last_seen_at,
    },
    categories: snapshot
      .rows<Sums & { category: string }>(BY_CATEGORY, { ...now })
      .map(({ category, requests, dropped_events }) => ({
        category,
        requests,
        dropped_events,
        share_pct: percent(requests, totals.requests),
      })),
    time_series: seriesOf(snapshot, now, current),
  };
}

interface Totals {
  readonly requests: number;
  readonly dropped_events: number;
  readonly last_seen_at: number | null;
}
const totalsOf = (snapshot: Snapshot, window: Window): Totals =>
  snapshot.row<Totals>(TOTALS, { ...window }) ?? {
    requests: 0,
    dropped_events: 0,
    last_seen_at: null,
  };

/** Every date of the window, zeros included. */
function seriesOf(
  snapshot: Snapshot,
  window: Window,
  { from, to }: Days,
): BotTraffic["time_series"] {
  const rows = snapshot.rows<Sums & { date: string }>(BY_DATE, { ...window });
  const byDate = new Map(rows.map((row) => [row.date, row]));
  return Array.from({ length: to - from + 1 }, (_, index) => {
    const date = isoDate(from + index);
    const { requests = 0, dropped_events = 0 } = byDate.get(date) ?? {};
    return { date, requests, dropped_events };
  });
}

const percent = (part: number, whole: number): number =>
  whole === 0 ? 0 : roundTo((part / whole) * 100, 1);
