import { timeZoneOf } from "./time-zone";

/** A date that has sums, and the import that they are of. */
export interface DayWithSums {
  /** Days since 1970-01-01, in the project's time zone. */
  readonly day: number;
  /** The sums are of events that the project itself stored before retention deleted them. */
  readonly isRetention: boolean;
}

/** What a project stores or stored, and what retention has deleted of it. */
export interface StoredSpan {
  /** The earliest event that the project ever stored, in Unix ms; null where it has stored none. */
  readonly firstEventMs: number | null;
  /** Events before it are deleted; 0 while none are. */
  readonly retainedFromMs: number;
  readonly zone: string | undefined;
}

/** The first date of which the project has stored events itself; null where it has stored none. */
export const seamOf = ({ firstEventMs, zone }: StoredSpan): number | null =>
  firstEventMs === null ? null : timeZoneOf(zone).dayAt(firstEventMs);

/**
 * The dates whose sums are shown, so that no date is answered by both sums and events: imported ones before the seam,
 * those of retention once all events of the date are deleted.
 */
export function shownDays<Day extends DayWithSums>(
  days: readonly Day[],
  span: StoredSpan,
): readonly Day[] {
  const seam = seamOf(span);
  const zone = timeZoneOf(span.zone);
  const firstKept = zone.dayAt(span.retainedFromMs);
  const folded = new Set<number>();
  for (const { day, isRetention } of days) if (isRetention && day < firstKept) folded.add(day);
  return days.filter(({ day, isRetention }) =>
    isRetention ? folded.has(day) : (seam === null || day < seam) && !folded.has(day),
  );
}

/** What control.db knows of the dates that have sums. */
export interface KnownDays<Day extends DayWithSums = DayWithSums> {
  readonly days: readonly Day[];
  /** Unix ms of the earliest event that retention has deleted; null where it has deleted none. */
  readonly firstDeletedMs: number | null;
  readonly zone: string | undefined;
}
/** What a store knows of the events of a project. */
interface StoredEvents {
  readonly first_event_at: number | null;
  readonly retained_from_ms: number;
}

export function spanOf(
  { firstDeletedMs, zone }: KnownDays,
  { first_event_at: firstStoredMs, retained_from_ms: retainedFromMs }: StoredEvents,
): StoredSpan {
  const times = [firstDeletedMs, firstStoredMs].filter((timeMs) => timeMs !== null);
  const firstEventMs = times.length === 0 ? null : Math.min(...times);
  return { firstEventMs, retainedFromMs, zone };
}
