import { Goals } from "../../../src/domain/goals/goals";
import { filterItems } from "../../../src/domain/sent-filters";

/** Filters as a request of a project without goals has them, checked. */
export const filtersOf = (sent: readonly unknown[] | null | undefined) =>
  filterItems(sent, new Goals(() => []));
