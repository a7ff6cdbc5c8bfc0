import { dateAt, datesOf, dayMs, msOf } from "../lib/dates";
import { scope } from "./scope";

export interface ProjectDates {
  readonly first_event_at: number | null;
}

/** Returns the date of the project's first event; "" if it has none. */
export const firstDateIn = ({ first_event_at: ms }: ProjectDates): string =>
  ms === null ? "" : dateAt(new Date(ms).toISOString());

/**
 * Returns the first day with events if the window before begins earlier, as a change would then mean nothing; null if
 * the windows are comparable. `first` is the date of the project's first event, "" if it is unknown.
 */
export function comparedSince(first: string): string | null {
  const { comparison, period } = scope.value;
  if (comparison === null || first === "") return null;
  if (period.days === 1) return first > comparison.to ? first : null;
  const days = datesOf(comparison.from, comparison.to).length;
  const missing = (msOf(first) - msOf(comparison.from)) / dayMs;
  return missing > days * 0.1 ? first : null;
}
