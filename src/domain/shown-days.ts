import { timeZoneOf } from "./time-zone";

/** A date that has sums, and the import that they are of. */
export interface DayWithSums {
  /** Days since 1970-01-01, in the project's time zone. */
  readonly day: number;
  /** The sums are of events that the project itself stored before retention deleted them. */
  readonly isRetention: boolean;
}

/** The events that a project stores, and those that it stored before retention deleted them. */
export interface StoredSpan {
  /** The earliest event that the project ever stored, in Unix ms; null where it has stored none. */
  readonly firstEventMs: number | null;
  /** The earliest event that it has today. */
  readonly firstKeptMs: number | null;
  readonly zone: string | undefined;
}

/** The first date of which the project has stored events itself; null where it has stored none. */
export const seamOf = ({ firstEventMs, zone }: StoredSpan): number | null =>
  firstEventMs === null ? null : timeZoneOf(zone).dayAt(firstEventMs);

/** The first date of which a project has events: sums of retention are shown before it. */
export const keptDayOf = ({ firstKeptMs, zone }: Omit<StoredSpan, "firstEventMs">): number =>
  firstKeptMs === null ? Number.POSITIVE_INFINITY : timeZoneOf(zone).dayAt(firstKeptMs);

/**
 * The dates whose sums are shown, so that no date is answered by both sums and events: imported ones before the seam,
 * those of retention before the first event that is left.
 */
export function shownDays<Day extends DayWithSums>(
  days: readonly Day[],
  span: StoredSpan,
): readonly Day[] {
  const seam = seamOf(span) ?? Number.POSITIVE_INFINITY;
  const kept = keptDayOf(span);
  const folded = new Set<number>();
  for (const { day, isRetention } of days) if (isRetention && day < kept) folded.add(day);
  return days.filter(({ day, isRetention }) =>
    isRetention ? folded.has(day) : day < seam && !folded.has(day),
  );
}

/** The facts that control.db has about the dates with sums. */
export interface KnownDays<Day extends DayWithSums = DayWithSums> {
  readonly days: readonly Day[];
  /**
   * Unix ms of the earliest event of which control.db knows, by the project itself or by an import that is there,
   * deleted or not; null where it knows of none.
   */
  readonly firstEventMs: number | null;
  readonly zone: string | undefined;
}
/** The facts that a store has about the events of a project. */
interface StoredEvents {
  readonly first_event_at: number | null;
  readonly first_own_at: number | null;
}

export const spanOf = (
  { firstEventMs, zone }: KnownDays,
  { first_event_at, first_own_at }: StoredEvents,
): StoredSpan => ({
  firstEventMs: earliest(firstEventMs, earliest(first_event_at, first_own_at)),
  firstKeptMs: first_event_at,
  zone,
});

/** The earlier one of two times, of which either may be missing. */
export const earliest = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);
