import { type FilterItem, within } from "../domain/filter-items";
import { type Days, windowOf } from "../domain/period";
import type { View } from "../store/questions";

/** Returns what a read is about: the events of a project on some dates for which the filters hold. */
export function viewOf(projectId: string, days: Days, filters: readonly FilterItem[] = []): View {
  const window = windowOf(days);
  const { zone } = days;
  return {
    ...{ projectId, ...window },
    ...(zone !== undefined && { zone }),
    ...(filters.length > 0 && { filters: within(filters, { ...window, zone }) }),
  };
}
