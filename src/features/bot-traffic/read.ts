import { operatedActors, operatorOf } from "../../domain/bot-operators";
import { deltaOf } from "../../domain/delta";
import { isoDate } from "../../domain/event";
import { type ComparedPeriod, type Days, datesOf } from "../../domain/period";
import { sharePercent } from "../../lib/round";
import { compareText } from "../../lib/text";
import type {
  AutomatedRequest,
  AutomatedSums,
  AutomatedTotals,
} from "../../store/automated-requests";
import type { Read } from "../../store/port";
import type { Snapshot } from "../../store/questions";
import { type AccountBotTraffic, type BotTraffic, categoriesMax } from "./schema";

interface Period {
  readonly label: ComparedPeriod | null;
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

/** GET /bot-traffic. */
export const botTrafficRead: Read<ProjectInput, BotTraffic> = {
  name: "bot-traffic",
  scope: () => ({ projectIds: [], fromMs: 0, toMs: 0 }), // only counters are looked at
  async run(snapshot, input) {
    const { now: _now, ...both } = await common(snapshot, [input.projectId], input);
    return { scope: "project", ...both };
  },
};

/** GET /account/bot-traffic. */
export const accountBotTrafficRead: Read<AccountInput, AccountBotTraffic> = {
  name: "account-bot-traffic",
  scope: () => ({ projectIds: [], fromMs: 0, toMs: 0 }),
  async run(snapshot, input) {
    const ids = input.projects.map(({ id }) => id);
    const { now, summary, ...both } = await common(snapshot, ids, input);
    const byProject = await snapshot.automatedByProject(now);
    const names = new Map(input.projects.map(({ id, name }) => [id, name]));
    const active = byProject
      .map(({ project: id, ...sums }) => ({ id, name: names.get(id) ?? id, ...sums }))
      .sort((a, b) => byRequests(a, b) || compareText(a.name, b.name));
    const total = summary.automated_requests.current;
    return {
      scope: "account",
      ...both,
      summary: { ...summary, active_projects: active.length, total_projects: ids.length },
      projects: active.slice(0, input.limit).map(({ last_seen_at, ...project }) => ({
        ...project,
        share_pct: sharePercent(project.requests, total),
        last_seen_at,
      })),
      remaining_projects: Math.max(0, active.length - input.limit),
    };
  },
};

/** Returns what both answers have, and the parameters of the current window. */
async function common(
  snapshot: Snapshot,
  ids: readonly string[],
  { label, current, previous, limit }: Period,
) {
  const now: AutomatedRequest = { projectIds: ids, ...datesOf(current) };
  const byDate = await snapshot.automatedByDate(now);
  const totals = totalsOf(byDate);
  const before = await snapshot.automatedTotals({ projectIds: ids, ...datesOf(previous) });
  const byCategory = await snapshot.automatedByCategory(now);
  const actors = await snapshot.automatedByActor(now, limit);
  const operators = await byOperator(snapshot, now);
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
      share_pct: sharePercent(requests, totals.requests),
    })),
    actors: actors.map(({ actor, ...sums }) => ({ actor, operator: operatorOf(actor), ...sums })),
    operators: operators.slice(0, limit).map(({ operator, requests, ...sums }) => ({
      operator,
      requests,
      dropped_events: sums.dropped_events,
      share_pct: sharePercent(requests, totals.requests),
      last_seen_at: sums.last_seen_at,
    })),
    time_series: seriesOf(byDate, current),
  };
}

/** Returns the known operators, most requests first. */
async function byOperator(snapshot: Snapshot, now: AutomatedRequest) {
  const sums = new Map<string, AutomatedSums>();
  const ofOperators = { ...now, actors: operatedActors };
  for (const one of await snapshot.automatedByActor(ofOperators, operatedRowsMax)) {
    const operator = operatorOf(one.actor);
    if (operator === null) continue;
    const known = sums.get(operator) ?? { requests: 0, dropped_events: 0, last_seen_at: 0 };
    sums.set(operator, {
      requests: known.requests + one.requests,
      dropped_events: known.dropped_events + one.dropped_events,
      last_seen_at: Math.max(known.last_seen_at, one.last_seen_at),
    });
  }
  return [...sums]
    .map(([operator, of]) => ({ operator, ...of }))
    .sort((a, b) => byRequests(a, b) || compareText(a.operator, b.operator));
}
/** An actor may have been counted in several categories, as tables change. */
const operatedRowsMax = operatedActors.length * categoriesMax;

const byRequests = (a: AutomatedSums, b: AutomatedSums): number =>
  b.requests - a.requests || b.dropped_events - a.dropped_events;

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
