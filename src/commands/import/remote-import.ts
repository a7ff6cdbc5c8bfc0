/** An import as the server describes it, as far as the command shows it. */
export interface RemoteImport {
  readonly id: string;
  readonly project: string;
  readonly kind?: string | null;
  readonly name?: string | null;
  readonly state: "uploading" | "checking" | "checked" | "committing" | "done" | "failed";
  readonly size: number;
  readonly received: number;
  /** From 0 to 1. */
  readonly progress: number;
  readonly report?: RemoteReport | null;
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly line?: number | null;
  } | null;
  readonly created_at: number | string;
}

/** The report of a check. */
export interface RemoteReport {
  readonly format?: string;
  readonly becomes?: string;
  readonly rows: Readonly<Record<string, number>>;
  readonly from?: string | null;
  readonly to?: string | null;
  readonly timezone?: string | null;
  readonly users?: number | null;
  readonly sessions?: number | null;
  readonly page_views?: number | null;
  readonly by_day?: readonly Readonly<Record<string, string | number | null>>[];
  readonly refusals?: readonly RemoteRefusal[];
  readonly differences?: readonly RemoteDifference[];
  readonly hidden_days?: number;
  readonly bytes_needed?: number;
  readonly caveats?: readonly string[];
}
export interface RemoteRefusal {
  readonly code: string;
  readonly count: number;
  readonly lines: readonly number[];
}
export interface RemoteDifference {
  readonly what: string;
  readonly file: number;
  readonly stored: number;
  readonly why: string;
}
