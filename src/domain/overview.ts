import type { BucketUnit, Days } from "./period";

export interface Totals {
  readonly unique_users: number;
  readonly total_events: number;
}

export interface TimeBucket extends Totals {
  /** The first date as `YYYY-MM-DD` (of a week too), `YYYY-MM`, or `YYYY-MM-DDTHH:00`. */
  readonly bucket: string;
}

export interface OverviewRequest {
  readonly days: Days;
  readonly unit: BucketUnit | "hour";
  /** This many events at most; equally frequent ones are in the order of their names. */
  readonly events_max: number;
}

export interface Overview {
  readonly totals: Totals;
  /** Ascending; buckets without events are left out. */
  readonly series: readonly TimeBucket[];
  /** The events that happened most often. */
  readonly events: readonly {
    readonly event: string;
    readonly event_count: number;
    readonly unique_users: number;
  }[];
}
