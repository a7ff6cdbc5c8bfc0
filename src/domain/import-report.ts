import type { ErrorCode } from "./errors";
import type { ImportBecomes, ImportKind } from "./import";

/** The ways in which a row of a file can end, each row in exactly one. */
export const rowFates = [
  ...(["stored", "duplicates", "overlap", "older", "folded", "unsupported", "refused"] as const),
  "excluded",
] as const;
export type RowFate = (typeof rowFates)[number];
/** The number of rows with each outcome. It has `excluded` only in a project with blocked ids. */
export type RowCounts = Readonly<Record<Exclude<RowFate, "excluded">, number>> & {
  readonly excluded?: number;
};

/** The report of a check: the rows that a commit would store, and the fate of every other row. */
export interface ImportReport {
  readonly format: ImportKind;
  readonly becomes: ImportBecomes;
  /** How many rows end in which way. */
  readonly rows: RowCounts;
  /** The first and the last date of what would be stored; null where that is nothing. */
  readonly from: string | null;
  readonly to: string | null;
  readonly timezone: string;
  /** These are counted of the stored events, as reads do it. */
  readonly users: number;
  readonly sessions: number;
  readonly page_views: number;
  readonly by_event: readonly { readonly event: string; readonly count: number }[];
  readonly by_day: readonly (ReportedEventDay | ReportedDay)[];
  readonly refusals: readonly ReportedRefusal[];
  readonly differences: readonly ReportedDifference[];
  /** Days that would be kept and not be shown, as the project has events of their time. */
  readonly hidden_days: number;
  /** The disk that it takes. */
  readonly bytes_needed: number;
  readonly caveats: readonly string[];
}

/** Tells whether no row of a file became an event, nor a part of daily sums. */
export const hasStoredNone = ({ stored, folded }: Pick<RowCounts, "stored" | "folded">): boolean =>
  stored + folded === 0;

export interface ReportedEventDay {
  readonly date: string;
  readonly events: number;
  readonly page_views: number;
  readonly users: number;
  readonly sessions: number;
}
/** Sums of a date as another product, or retention, left them; null where it does not count them. */
export interface ReportedDay {
  readonly date: string;
  readonly visitors: number | null;
  readonly visits: number | null;
  readonly page_views: number | null;
  readonly events: number | null;
  readonly bounces: number | null;
  readonly seconds: number | null;
}
export interface ReportedRefusal {
  readonly code: ErrorCode;
  readonly count: number;
  /** The first lines of the file that were refused for it; 1 is the first line. */
  readonly lines: readonly number[];
}
export interface ReportedDifference {
  readonly what: string;
  readonly file: number;
  readonly stored: number;
  readonly why: string;
}
