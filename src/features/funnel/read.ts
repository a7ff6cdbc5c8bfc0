import type { FunnelRequest } from "../../domain/counting";
import type { FunnelCount, FunnelSteps } from "../../domain/funnel";
import { type Goal, goalInScope, namedIn } from "../../domain/goal";
import { type Days, datesOf, windowOf } from "../../domain/period";
import { isPropertyField } from "../../domain/property-field";
import { hourMs } from "../../lib/clock";
import { roundTo } from "../../lib/round";
import { compareText } from "../../lib/text";
import { cutOf } from "../../reads/cut";
import type { CountedGoal } from "../../reads/goal-warnings";
import { viewOf } from "../../reads/view";
import { type Filtered, warningsOf } from "../../reads/warnings";
import type { Read } from "../../store/port";
import type { FunnelGroup } from "../../store/questions";
import type { BreakdownStep, Funnel } from "./schema";
import { caveatsOf, stepWarnings } from "./texts";

export interface FunnelInput extends Filtered {
  readonly days: Days;
  readonly steps: FunnelSteps;
  readonly countBy: FunnelCount;
  readonly windowHours: number;
  readonly breakdown: FunnelRequest["breakdown"];
  readonly breakdownLimit: number;
}

/** POST /funnel. */
export const funnelRead: Read<FunnelInput, Funnel> = {
  name: "funnel",
  scope: ({ projectId, days }) => ({ projectIds: [projectId], ...windowOf(days) }),
  async run(snapshot, input) {
    const { projectId, days, countBy, windowHours, breakdown } = input;
    const { source, steps } = input.steps;
    const view = viewOf(projectId, days, input.filters);
    const windowMs = windowHours * hourMs;
    const bound = steps.map((step) => goalInScope(step, view));
    const request = { steps: bound, window_ms: windowMs, count_by: countBy, breakdown };
    const result = await snapshot.funnel(view, request);
    const names = steps.map(({ event }) => event);
    const ofSteps = steps.flatMap(({ filters }) => filters);
    const hasNoValue = result.groups.every(({ value }) => value === null);
    const unfound = hasNoValue ? [breakdown ?? ""].filter(isPropertyField) : [];
    const about = { ...input, others: ofSteps, unfound, goals: goalsOf(input) };
    const { warnings = [] } = await warningsOf(snapshot, about, { days });
    return {
      period: datesOf(days),
      count_by: countBy,
      conversion_window_hours: windowHours,
      steps_source: source,
      identity_basis: countBy === "user_id" ? "resolved_user_id_or_user_id" : "session_id",
      steps: stepsOf(result.overall, steps).map((step, index) => {
        const { joinable_entities, ...raw_activity } = result.activity[index];
        return { ...step, raw_activity, joinable_entities };
      }),
      overall_conversion_rate: overallRate(result.overall),
      warnings: [
        ...stepWarnings(names, countBy, result.activity, result.overall.users),
        ...warnings.map(({ message }) => message),
      ],
      caveats: caveatsOf(countBy, windowHours),
      ...(breakdown !== null && {
        breakdowns: breakdownsOf(result.groups, steps, input.breakdownLimit),
        ...cutOf(result.groups.length, Math.min(result.groups.length, input.breakdownLimit)),
      }),
    };
  },
};

/** Returns the goals of the project among the steps. A funnel of sessions leaves out events without a session. */
const goalsOf = ({ steps: { steps }, countBy }: FunnelInput): CountedGoal[] =>
  steps
    .filter(({ named }) => named !== undefined)
    .map((goal) => ({ goal, countsSessions: countBy === "session_id", addsValues: false }));

function stepsOf(
  { users, total_gap_ms: gaps }: FunnelGroup,
  steps: readonly Goal[],
): BreakdownStep[] {
  return steps.map((asked, step) => {
    const before = step === 0 ? users[0] : users[step - 1];
    const fromPrevious = step === 0 ? 1 : share(users[step], before);
    const next = users[step + 1] ?? 0;
    return {
      step: step + 1,
      event: asked.event,
      ...namedIn(asked),
      users: users[step],
      strict_survivors: users[step],
      conversion_rate: fromPrevious,
      conversion_from_previous: fromPrevious,
      drop_off_rate: step === 0 || before === 0 ? 0 : roundTo(1 - fromPrevious, 3),
      conversion_rates: { from_previous: fromPrevious, from_start: share(users[step], users[0]) },
      avg_time_to_next_ms: next === 0 ? null : Math.round(gaps[step] / next),
    };
  });
}

const share = (part: number, whole: number): number => (whole === 0 ? 0 : roundTo(part / whole, 3));

const overallRate = ({ users }: FunnelGroup): number => share(users.at(-1) ?? 0, users[0] ?? 0);

/** Most users of step 1 first; null is last among equals. */
function breakdownsOf(groups: readonly FunnelGroup[], asked: readonly Goal[], limit: number) {
  const byValue = (a: string | null, b: string | null): number =>
    a === null || b === null ? Number(a === null) - Number(b === null) : compareText(a, b);
  return groups
    .toSorted((a, b) => b.users[0] - a.users[0] || byValue(a.value, b.value))
    .slice(0, limit)
    .map((group) => ({
      value: group.value,
      steps: stepsOf(group, asked),
      overall_conversion_rate: overallRate(group),
    }));
}
