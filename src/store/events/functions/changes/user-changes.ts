import type { ChangeDimension, DimensionCounts } from "../../../../domain/changes/change-counts";
import type { Days } from "../../../../domain/period";
import type { Selection } from "../../scan/selection";
import type { Context } from "../context";
import type { ValuesOfEvents } from "./dimension-values";
import { dimensionCounts, largestValues, placesOf } from "./largest-values";
import { UserNumbering, type UsersOfDates } from "./numbered-users";
import type { PeriodDates } from "./period-dates";
import { Stretches } from "./stretches";
import { UserCounts } from "./user-counts";

/** The users of the dates that a question is about. */
export interface CountedUsers {
  readonly current: UsersOfDates;
  readonly previous: UsersOfDates;
  /** The users on each date of the reference. */
  readonly byDate: readonly UsersOfDates[];
}

/** Cost: up to three looks at each visit, when something is not known of its dates. */
export function countedUsers(
  context: Context,
  selected: readonly Selection[],
  dates: PeriodDates,
): CountedUsers {
  const { budget } = context;
  const identity = context.identity(selected[0].segment.projectId);
  const all = selected.flatMap((selection) => {
    const { segment } = selection;
    budget.check();
    if (!dates.touches(segment, "periods") && !dates.touches(segment, "reference")) return [];
    return new Stretches(selection, identity, dates, budget);
  });
  const numbering = new UserNumbering(identity.numberLimit, budget);
  const usersOn = ({ from, to }: Pick<Days, "from" | "to">): UsersOfDates =>
    numbering.of(
      `from ${from} to ${to} in ${dates.zone.name}`,
      all.flatMap((stretches) => {
        const [first, end] = [stretches.startOf(from), stretches.startOf(to + 1)];
        return first < end ? { stretches, first, end } : [];
      }),
    );
  return {
    current: usersOn(dates.current),
    previous: usersOn(dates.previous),
    byDate: Array.from({ length: dates.referenceDates }, (_, at) => {
      const day = dates.dayOf(at);
      return usersOn({ from: day, to: day });
    }),
  };
}

/**
 * The users of each value of a dimension: in both periods, and of the largest on each date of the reference. Cost: of
 * dates of which it is kept, none; else of a dimension of few values one look at each visit, once its rows were looked
 * at, and of another two passes over the rows.
 */
export function userChanges(
  context: Context,
  { current, previous, byDate }: CountedUsers,
  dates: PeriodDates,
  dimension: ChangeDimension | null,
  values: ValuesOfEvents,
): DimensionCounts {
  const { budget } = context;
  const users = new UserCounts(context, values, [current, previous], byDate);
  const counts = { current: users.inPeriod(current), previous: users.inPeriod(previous) };
  const kept = largestValues(counts, values, dimension, budget);
  values.close?.();
  const places = placesOf(kept, values.count, budget);
  const found = kept.map(() => new Float64Array(dates.referenceDates));
  byDate.forEach((ofDate, at) => {
    const onDate = users.onDate(ofDate, places, kept.length);
    for (let place = 0; place < kept.length; place++) found[place][at] = onDate[place];
  });
  return dimensionCounts(counts, values, kept, found);
}
