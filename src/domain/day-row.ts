/**
 * Sums of one date of a project: of everything (`total`), or of one value of a dimension. They stand for events that
 * the project does not store: those that another product counted, and those that retention has deleted.
 */

export const dayDimensions = [
  ...(["total", "page", "entry_page", "exit_page", "source", "referrer"] as const),
  ...(["utm_source", "utm_medium", "utm_campaign", "utm_content", "utm_term"] as const),
  ...(["country", "device", "browser", "os", "event"] as const),
] as const;
export type DayDimension = (typeof dayDimensions)[number];

/** The columns of a row; null where the source of the row does not count it. */
export const dayCounts = [
  ...(["visitors", "visits", "page_views", "events", "bounces", "seconds"] as const),
] as const;
export type DayCounts = Readonly<Record<(typeof dayCounts)[number], number | null>>;

export interface DayRow extends DayCounts {
  /** `YYYY-MM-DD`, in the project's time zone. */
  readonly date: string;
  readonly dimension: DayDimension;
  /** The empty text for `total`. */
  readonly value: string;
}
