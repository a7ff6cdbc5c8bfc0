/** The API says this of a project beside its numbers, and the dashboard shows it. */
export interface ExclusionsAnswer {
  readonly ips: readonly string[];
  readonly countries: readonly string[];
  readonly paths: readonly string[];
  readonly hostnames: readonly string[];
  readonly your_address: string | null;
  readonly excluded_24h: Readonly<Record<string, number>>;
}

export interface StoredDaysAnswer {
  readonly retention_days: number | null;
  readonly retention: {
    readonly days: number | null;
    readonly from: string | null;
    readonly next_run_at: string;
    readonly events_to_go: number;
  };
  readonly archive: boolean;
  readonly archive_failing: boolean;
}

export interface BudgetAnswer {
  readonly bytes: number;
  readonly events_this_month: number;
  readonly budget: {
    readonly events_per_month?: number;
    readonly bytes?: number;
    readonly when_over: "refuse" | "forget_oldest";
  } | null;
}
