/** Visitors by the period in which they came first. */
export interface CohortsAnswer {
  readonly cohorts: readonly {
    readonly date: string;
    readonly users: number;
    readonly retained: readonly number[];
    readonly rates: readonly number[];
    /** The number of leading entries whose period is over. */
    readonly complete: number;
  }[];
  readonly average_rates: readonly number[];
}
export interface RetentionAnswer extends CohortsAnswer {
  readonly period: "day" | "week" | "month";
  readonly users_analyzed: number;
  readonly breakdowns?: readonly (CohortsAnswer & {
    readonly value: string | null;
    readonly users: number;
  })[];
  readonly breakdowns_total?: number;
  readonly warnings?: readonly { readonly message: string }[];
}
