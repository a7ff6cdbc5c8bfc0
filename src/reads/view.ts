import { type FilterItem, within } from "../domain/filter-items";
import { type Days, windowOf } from "../domain/period";
import type { View } from "../store/questions";

/** What a read is about: a project's events of some dates, those for which the filters hold. */
export function viewOf(projectId: string, days: Days, filters: readonly FilterItem[] = []): View {
  const window = windowOf(days);
  if (filters.length === 0) return { projectId, ...window };
  return { projectId, ...window, filters: within(filters, window) };
}
