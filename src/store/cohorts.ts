/* The store's answer for GET /retention. */

export interface Cohort {
  /** Index of the period of first appearance. */
  readonly period: number;
  readonly users: number;
  /** The number of its users who are active in that period and in each later one. */
  readonly retained: number[];
}

export interface RetentionResult {
  /** The cohorts that have users, oldest first. */
  readonly cohorts: readonly Cohort[];
  /** The values of the breakdown, most users first; empty without a breakdown. */
  readonly groups: readonly CohortGroup[];
  /** The number of all values, also those beyond the limit. */
  readonly groups_total: number;
  /** Events before this time are hidden; 0 if none are. */
  readonly retained_from_ms: number;
}
export interface CohortGroup {
  readonly value: string | null;
  readonly cohorts: readonly Cohort[];
}
