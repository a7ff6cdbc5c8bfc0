import { type Goal, goalOfDefinition } from "../../../src/domain/goal";
import type { ModelGoal } from "../../model/goals";
import type { Cast } from "../world/cast";
import type { Random } from "./random";
import { conditionOn, ownFields } from "./random-conditions";
import type { SentItem } from "./random-filters";

/** A goal as the model and the product know it. */
export interface RandomGoal extends ModelGoal {
  readonly filters: readonly SentItem[];
}

/** A goal of a project, whose filters are on the event's own fields; those of a goal in a query may be others. */
export function randomGoal(
  random: Random,
  cast: Cast,
  filter = (): SentItem => conditionOn(random.pick(ownFields), null, random, cast),
): RandomGoal {
  const { chance, pick } = random;
  const isPage = chance(0.2);
  return {
    event: isPage ? "page_view" : pick(cast.names),
    filters: chance(0.7) ? [] : [filter()],
    ...(isPage && { page: pick(["/", "/*", "*", "/a", "/a*", "/pricing", "ü*"]) }),
    ...(chance(0.3) && { oncePer: pick(["n", "plan", "path", "absent"]) }),
    ...(chance(0.6) && { value: pick(["n", "10", "plan"]) }),
  };
}

export function productGoal({ event, filters, page, oncePer, value }: RandomGoal): Goal {
  const goal = goalOfDefinition({
    ...{ page: page ?? null, event: page === undefined ? event : null },
    ...{ filters: [], value: null, oncePer: oncePer ?? null },
  });
  return {
    ...goal,
    filters: [...goal.filters, ...filters],
    ...(value !== undefined && { value: { property: value, currency: null } }),
  };
}
