import { type ImportKind, importKinds } from "./import";

/**
 * Sums of one date of a project: of everything (`total`), or of one value of a dimension. They stand for events that
 * the project does not store: those that another product counted, and those that retention deletes.
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
export type DayCount = (typeof dayCounts)[number];
export type DayCounts = Readonly<Record<DayCount, number | null>>;

export interface DayRow extends DayCounts {
  /** `YYYY-MM-DD`, in the project's time zone. */
  readonly date: string;
  readonly dimension: DayDimension;
  /** The empty text for `total`. */
  readonly value: string;
}

/** A value that is longer has no row. */
export const dayValueCharsMax = 512;
/** The values of one date and dimension, with their counts, have this many bytes as JSON; the smallest are left out. */
export const daySumsBytesMax = 65_536;

/** Orders values: by page views, or the next count that the row has. The first one is the largest. */
export const sizeOfDayRow = ({ page_views, events, visitors, visits }: DayCounts): number =>
  page_views ?? events ?? visitors ?? visits ?? 0;

/** The kind of days that retention folded, here or on the server that a file came from. */
export const retentionKind = "retention";
/** The origin of days: a file of a kind, or retention. */
export const dayImportKinds = [...importKinds, retentionKind] as const;
export type DayImportKind = ImportKind | typeof retentionKind;
