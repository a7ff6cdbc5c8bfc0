import { dateAt, datesOf, dayMs, msOf } from "../lib/dates";
import { scope } from "./scope";

export interface ProjectDates {
  readonly first_event_at: number | null;
}

/** The date of the project's first event, "" where it has none. */
export const firstDateIn = ({ first_event_at: ms }: ProjectDates): string =>
  ms === null ? "" : dateAt(new Date(ms).toISOString());

/**
 * When the window before begins before anything was stored, a change would say nothing: the first day with events, or
 * null when the windows can be compared. `first` is the date of the project's first event, "" if that is not known.
 */
export function comparedSince(first: string): string | null {
  const { comparison, period } = scope.value;
  if (comparison === null || first === "") return null;
  if (period.days === 1) return first > comparison.to ? first : null;
  const days = datesOf(comparison.from, comparison.to).length;
  const missing = (msOf(first) - msOf(comparison.from)) / dayMs;
  return missing > days * 0.1 ? first : null;
}
