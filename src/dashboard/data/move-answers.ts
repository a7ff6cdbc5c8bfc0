/** The API's answers about moving in and out, as far as they are shown. */
export interface Source {
  readonly id: string;
  readonly kind: string;
  readonly key: string | null;
  readonly url: string;
  readonly last24h: {
    readonly accepted: number;
    readonly filtered: number;
    readonly unsupported: number;
    readonly refused: Readonly<Record<string, number>>;
  };
  readonly last_event_at: number | null;
  readonly last_refusal: { readonly code: string; readonly field?: string } | null;
}
export interface SourcesAnswer {
  readonly sources: readonly Source[];
}

export type ImportState = "uploading" | "checking" | "checked" | "committing" | "done" | "failed";

export interface ImportAnswer {
  readonly id: string;
  readonly kind: string | null;
  readonly name: string | null;
  readonly state: ImportState;
  readonly size: number;
  readonly received: number;
  /** From 0 to 1. */
  readonly progress: number;
  readonly report?: ReportAnswer;
  readonly error?: { readonly code: string; readonly message: string; readonly line?: number };
  readonly created_at: number;
  readonly committed_at: number | null;
}
export interface ImportsAnswer {
  readonly imports: readonly ImportAnswer[];
}

/** A day of events, or the sums of a day. */
type ReportedDay = Readonly<Record<string, string | number | null>>;

/** The outcome of a check: it names every row of the file. */
export interface ReportAnswer {
  readonly format: string;
  readonly becomes: "events" | "days" | "both";
  readonly rows: Readonly<Record<string, number>>;
  readonly from: string | null;
  readonly to: string | null;
  readonly timezone: string;
  readonly users: number;
  readonly sessions: number;
  readonly page_views: number;
  readonly by_day: readonly ReportedDay[];
  readonly refusals: readonly {
    readonly code: string;
    readonly count: number;
    readonly lines: readonly number[];
  }[];
  readonly differences: readonly {
    readonly what: string;
    readonly file: number;
    readonly stored: number;
    readonly why: string;
  }[];
  readonly hidden_days: number;
  readonly bytes_needed: number;
  readonly caveats: readonly string[];
}
