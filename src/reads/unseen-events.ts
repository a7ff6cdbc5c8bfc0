import { type FilterItem, isAnyOf, isDid } from "../domain/filter-items";
import type { Snapshot, View } from "../store/questions";

/** Lists may name hundreds that are wrong: these are enough to see what is. */
const warningsMax = 20;

/** With a warning for each name that no event of the window has: it is probably misspelt. */
export async function unseenEvents(
  snapshot: Snapshot,
  view: View,
  names: readonly string[],
): Promise<Warned> {
  const named = [...new Set(names)];
  if (named.length === 0) return {};
  const { rows } = await snapshot.countBy(view, {
    group_by: ["event"],
    metrics: ["event_count"],
    filters: [{ field: "event", op: "in", value: named }],
    limit: named.length,
  });
  const seen = new Set(rows.map(({ event }) => event));
  const unseen = named.filter((name) => !seen.has(name));
  return unseen.length === 0 ? {} : { warnings: unseen.slice(0, warningsMax).map(warningOf) };
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
    if (field !== "event" || !ops.includes(op)) return [];
    return [value].flat().filter((name) => typeof name === "string");
  });

const warningOf = (name: string): string =>
  `No event is named "${name}" in this period. GET /properties lists the names that there are.`;
