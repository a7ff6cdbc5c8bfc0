import { deltaOf } from "../../domain/delta";
import { isoDate } from "../../domain/event";
import { type ComparedPeriod, type Days, datesOf } from "../../domain/period";
import { roundTo } from "../../lib/round";
import { compareText } from "../../lib/text";
import type { Read } from "../../store/port";
import type {
  AutomatedRequest,
  AutomatedSums,
  AutomatedTotals,
  Snapshot,
} from "../../store/questions";
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
type AutomatedOfDate = AutomatedSums & { readonly date: string };
interface AccountInput extends Period {
  /** The live projects of an account. */
  readonly projects: readonly { readonly id: string; readonly name: string }[];
}

/** GET /bot-traffic of the contract. */
export const botTrafficRead: Read<ProjectInput, BotTraffic> = {
  name: "bot-traffic",
  scope: () => ({ projectIds: [], fromMs: 0, toMs: 0 }), // only counters are looked at
  async run(snapshot, input) {
    const both = await common(snapshot, [input.projectId], input);
    const { period, summary, categories, time_series, now } = both;
    const actors = await snapshot.automatedByActor(now, input.limit);
    return {
      scope: "project",
      period,
      summary,
      categories,
      actors: actors.map(({ actor, category, requests, dropped_events, last_seen_at }) => ({
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
  async run(snapshot, input) {
    const ids = input.projects.map(({ id }) => id);
    const both = await common(snapshot, ids, input);
    const { period, summary, categories, time_series, now } = both;
    const byProject = await snapshot.automatedByProject(now);
    const names = new Map(input.projects.map(({ id, name }) => [id, name]));
    const active = byProject
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

/** Returns what both answers have, and the parameters of the current window. */
async function common(
  snapshot: Snapshot,
  ids: readonly string[],
  { label, current, previous }: Period,
) {
  const now: AutomatedRequest = { projectIds: ids, ...datesOf(current) };
  const byDate = await snapshot.automatedByDate(now);
  const totals = totalsOf(byDate);
  const before = await snapshot.automatedTotals({ projectIds: ids, ...datesOf(previous) });
  const byCategory = await snapshot.automatedByCategory(now);
  const previousDates = datesOf(previous);
  return {
    now,
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
    categories: byCategory.map(({ category, requests, dropped_events }) => ({
      category,
      requests,
      dropped_events,
      share_pct: percent(requests, totals.requests),
    })),
    time_series: seriesOf(byDate, current),
  };
}

const totalsOf = (rows: readonly AutomatedSums[]): AutomatedTotals => ({
  requests: rows.reduce((sum, { requests }) => sum + requests, 0),
  dropped_events: rows.reduce((sum, { dropped_events }) => sum + dropped_events, 0),
  last_seen_at: rows.reduce<number | null>(
    (last, { last_seen_at }) => Math.max(last ?? last_seen_at, last_seen_at),
    null,
  ),
});

/** Every date of the window, zeros included. */
function seriesOf(rows: readonly AutomatedOfDate[], { from, to }: Days): BotTraffic["time_series"] {
  const byDate = new Map(rows.map((row) => [row.date, row]));
  return Array.from({ length: to - from + 1 }, (_, index) => {
    const date = isoDate(from + index);
    const { requests = 0, dropped_events = 0 } = byDate.get(date) ?? {};
    return { date, requests, dropped_events };
  });
}

const percent = (part: number, whole: number): number =>
  whole === 0 ? 0 : roundTo((part / whole) * 100, 1);
