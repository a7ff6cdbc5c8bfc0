import { eventConditions } from "../domain/filter";
import { type FilterItem, isAnyOf, isDid } from "../domain/filter-items";
import type { Snapshot, View } from "../store/questions";

/** With a warning for each name that no event of the window has: it is probably misspelt. */
export async function unseenEvents(
  snapshot: Snapshot,
  view: View,
  names: readonly string[],
): Promise<Warned> {
  const warnings: string[] = [];
  for (const name of new Set(names)) {
    const count = await snapshot.eventCount(view, eventConditions(name));
    if (count === 0) warnings.push(warningOf(name));
  }
  return warnings.length === 0 ? {} : { warnings };
}
interface Warned {
  warnings?: string[];
}

/** The names that conditions compare with: a filter on one that is misspelt keeps nothing, or everything. */
export const namesIn = (filters: readonly FilterItem[], ops: readonly string[]): string[] =>
  filters.flatMap((item) => {
    if (isAnyOf(item)) return namesIn(item.any, ops);
    if (isDid(item)) return [item.did];
    const { field, op, value } = item;
    return field === "event" && ops.includes(op) && typeof value === "string" ? [value] : [];
  });

const warningOf = (name: string): string =>
  `No event is named "${name}" in this period. GET /properties lists the names that there are.`;
