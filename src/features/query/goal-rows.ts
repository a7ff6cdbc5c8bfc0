import { changePct } from "../../domain/delta";
import type { Condition } from "../../domain/filter";
import type { Goal } from "../../domain/goal";
import { isRate, type Selection } from "../../domain/metric";
import { allTime, type Days, datesOf, windowOf } from "../../domain/period";
import type { Person } from "../../domain/person";
import { cutOf } from "../../reads/cut";
import { viewOf } from "../../reads/view";
import { type Filtered, warningsMax, warningsOf } from "../../reads/warnings";
import type { Read } from "../../store/port";
import type { CountRow, Snapshot } from "../../store/questions";
import { type ComparedTo, clippedIn, periodOf, periodsOf } from "./compared";
import { countedBy, goalIn, idsAsked, ofPerson } from "./question";
import type { GoalRow, GoalsResult } from "./schema";

/** A question about all goals of a project, and not about groups of its events. */
export interface GoalRowsInput extends Filtered, Partial<ComparedTo> {
  readonly days: Days;
  readonly goals: readonly Goal[];
  /** The answer has at most this many of them. */
  readonly limit: number;
  readonly person?: Person;
}

/** POST /query with `goals`: one row per goal, of the sessions with an event in the period. */
export const queryGoalsRead: Read<GoalRowsInput, GoalsResult> = {
  name: "query-goals",
  scope: ({ projectId }) => ({ projectIds: [projectId], ...allTime }),
  idsOf: async (snapshot, input) => [await idsAsked(snapshot, input)],
  run: goalRowsOf,
};

const metrics = [
  ...(["conversions", "conversion_rate", "goal_events", "goal_users", "revenue"] as const),
] as const;
const selection: Selection = {
  ...{ metrics, groupBy: [], countMode: "raw", orderBy: "conversions", order: "desc" },
};
interface NumbersRequest {
  readonly group_by: readonly [];
  readonly metrics: typeof metrics;
  readonly always_one_row: true;
  readonly filters: readonly Condition[];
}
type Numbers = CountRow<NumbersRequest>;

/** Answers within the snapshot of the caller. */
export async function goalRowsOf(snapshot: Snapshot, input: GoalRowsInput): Promise<GoalsResult> {
  const { days, compare, limit } = input;
  const goals = input.goals.slice(0, limit);
  const filters = await ofPerson(snapshot, input);
  const asked: NumbersRequest = { group_by: [], metrics, always_one_row: true, filters };
  const rows: GoalRow[] = [];
  let retainedFromMs = 0;
  for (const goal of goals) {
    if (compare === undefined) {
      rows.push(rowOf(goal, await countOf(snapshot, input, goal, asked)));
      continue;
    }
    const question = { ...input, selection, goal, limit: 1 };
    const { until, days: otherDays } = compare;
    const { rows: found, retained_from_ms } = await snapshot.countCompared(
      periodOf(question, filters, days, until?.currentMs),
      periodOf(question, filters, otherDays, until?.previousMs),
      asked,
    );
    retainedFromMs = retained_from_ms;
    const [{ current, previous }] = found;
    rows.push({ ...rowOf(goal, current), ...beside(current, previous) });
  }
  const untilMs = compare?.until?.currentMs;
  const counted = goals.map((goal) => countedBy(goal, metrics));
  const about = { ...input, besides: filters, goals: counted };
  const more = await warningsOf(snapshot, about, { days, untilMs });
  const clipped =
    compare === undefined ? [] : await clippedIn(snapshot, { ...input, compare }, retainedFromMs);
  const warnings = [...clipped, ...(more.warnings ?? [])].slice(0, warningsMax);
  return {
    ...(compare === undefined ? { period: datesOf(days) } : periodsOf(days, compare)),
    ...{ rows, count: rows.length },
    ...cutOf(input.goals.length, rows.length),
    ...(warnings.length > 0 && { warnings }),
  };
}

async function countOf(
  snapshot: Snapshot,
  { projectId, days, filters }: GoalRowsInput,
  goal: Goal,
  asked: NumbersRequest,
): Promise<Numbers> {
  const scoped = goalIn({ goal, selection }, { ...windowOf(days), zone: days.zone });
  const { rows } = await snapshot.countBy(viewOf(projectId, days, filters), {
    ...asked,
    ...scoped,
  });
  return rows[0];
}

const rowOf = ({ named, event, value }: Goal, numbers: Numbers): GoalRow => ({
  goal: named ?? { id: "", name: event },
  conversions: numbers.conversions,
  conversion_rate: numbers.conversion_rate,
  goal_events: numbers.goal_events,
  goal_users: numbers.goal_users,
  revenue: numbers.revenue,
  currency: value?.currency ?? null,
});

const beside = (now: Numbers, before: Numbers) => ({
  previous: Object.fromEntries(metrics.map((name) => [name, before[name]])),
  change_pct: Object.fromEntries(
    metrics.map((name) => [name, changePct(now[name], before[name], isRate(name))]),
  ),
});
