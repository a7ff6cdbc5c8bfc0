import { eventsOf, type Goal, isPlain } from "../../../domain/goal";
import { allTime } from "../../../domain/period";
import type { Context } from "../filter/context";
import { Filter } from "../filter/filter";
import type { Predicate } from "../filter/predicate";

/** The rows of a segment that are events of a goal. */
export type GoalRows = Predicate;

/** Null for a goal whose events are all those of a name, which needs no look at rows. */
export function goalRows(context: Context, goal: Goal): GoalRows | null {
  if (isPlain(goal)) return null;
  let filter: Filter | null = null;
  return (segment) => {
    filter ??= new Filter(context, eventsOf(goal), context.identity(segment.projectId), true);
    return filter.select(segment, allTime);
  };
}
