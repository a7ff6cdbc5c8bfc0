import type { RetentionRequest } from "../../../domain/counting";
import type { Cohort, RetentionResult } from "../../cohorts";
import type { Context } from "../filter/context";
import { type GroupedUsers, groupUsers } from "../pattern/first-appearances";
import { bitOf, firstPeriodOf, Periods, PeriodsOfUsers } from "../pattern/periods";
import type { Segment } from "../segment/segment";
import { valuesPerCheck } from "../sets/budget";

/**
 * Counts users by the period of their first appearance, over all stored data, and in which later periods they were
 * active (definitions.md, Retention).
 */
export function retention(
  context: Context,
  all: readonly Segment[],
  request: RetentionRequest,
): Retained {
  const { event, returning_event: returningEvent, filters = [], breakdown } = request;
  if (all.length === 0 || request.periods.length === 0) return nobody;
  const periods = new Periods(request.periods);
  const { window } = periods;
  const ofUsers = new PeriodsOfUsers(context, all, periods, filters);
  const appeared = event === null ? ofUsers.ofSessions() : ofUsers.ofEvents(event);
  // If both are null, users come back in the sessions in which they appear.
  const active =
    event === returningEvent
      ? appeared
      : ofUsers.ofEvents(
          returningEvent,
          all.filter(({ lastTime }) => lastTime >= window.fromMs),
        );
  const grouped =
    breakdown === undefined
      ? null
      : groupUsers(context, all, { ...request, breakdown }, { window, appeared });
  return countCohorts({ appeared, active, count: periods.count }, grouped, context.check);
}

/** By user, the periods in which the user appeared and was active, as bits. */
interface CountedPeriods {
  readonly appeared: Uint32Array;
  readonly active: Uint32Array;
  /** The number of periods. */
  readonly count: number;
}

function countCohorts(
  { appeared, active, count }: CountedPeriods,
  grouped: GroupedUsers | null,
  check: () => void,
): Retained {
  const values = grouped?.values ?? [];
  const cohorts = emptyCohorts(count);
  const ofGroups = values.map(() => emptyCohorts(count));
  for (let user = 1; user < appeared.length; user++) {
    if (user % valuesPerCheck === 0) check();
    const period = firstPeriodOf(appeared[user]);
    if (period < 0) continue;
    addTo(cohorts[period], active[user]);
    const group = grouped === null ? -1 : grouped.groupOf(user);
    if (group >= 0) addTo(ofGroups[group][period], active[user]);
  }
  return {
    cohorts: cohorts.filter(hasUsers),
    groups: values.map((value, group) => ({ value, cohorts: ofGroups[group].filter(hasUsers) })),
    groups_total: grouped?.total ?? 0,
  };
}

type Retained = Omit<RetentionResult, "retained_from_ms">;
const nobody: Retained = { cohorts: [], groups: [], groups_total: 0 };

interface CountedCohort extends Cohort {
  users: number;
}
const hasUsers = ({ users }: Cohort): boolean => users > 0;

const emptyCohorts = (count: number): CountedCohort[] =>
  Array.from({ length: count }, (_, period) => ({
    ...{ period, users: 0 },
    retained: Array<number>(count - period).fill(0),
  }));

/** One more user, active in the periods whose bits are set; the period of the first appearance always counts. */
function addTo(cohort: CountedCohort, active: number): void {
  const { period, retained } = cohort;
  cohort.users++;
  retained[0]++;
  for (let offset = 1; offset < retained.length; offset++)
    if ((active & bitOf(period + offset)) !== 0) retained[offset]++;
}
