import { type FilterItem, within } from "../domain/filter-items";
import { type Days, windowOf } from "../domain/period";
import type { View } from "../store/questions";

/**
 * Returns what a read is about: the events of a project on some dates for which the filters hold. `untilMs` leaves out
 * the later ones of the last date; the sessions that filters look at are still put together for whole dates.
 */
export function viewOf(
  projectId: string,
  days: Days,
  filters: readonly FilterItem[] = [],
  untilMs = Number.POSITIVE_INFINITY,
): View {
  const sessionsOf = windowOf(days);
  const window = { fromMs: sessionsOf.fromMs, toMs: Math.min(sessionsOf.toMs, untilMs) };
  const { zone } = days;
  return {
    ...{ projectId, ...window },
    ...(zone !== undefined && { zone }),
    ...(filters.length > 0 && { filters: within(filters, { ...window, zone, sessionsOf }) }),
  };
}
