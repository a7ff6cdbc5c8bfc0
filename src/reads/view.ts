import { type FilterItem, within } from "../domain/filter-items";
import { type Days, windowOf } from "../domain/period";
import type { View } from "../store/questions";

/** What a read is about: a project's events of some dates, those for which the filters hold. */
export function viewOf(projectId: string, days: Days, filters: readonly FilterItem[] = []): View {
  const window = windowOf(days);
  const { zone } = days;
  return {
    ...{ projectId, ...window },
    ...(zone !== undefined && { zone }),
    ...(filters.length > 0 && { filters: within(filters, { ...window, zone }) }),
  };
}
