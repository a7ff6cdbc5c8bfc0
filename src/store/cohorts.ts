/** The answer to the question that GET /retention asks of a store. */

export interface Cohort {
  /** Index of the period of first appearance. */
  readonly period: number;
  readonly users: number;
  /** Active users of that period and of each later one. */
  readonly retained: number[];
}

export interface RetentionResult {
  /** Those that have users, oldest first. */
  readonly cohorts: readonly Cohort[];
  /** The values of the breakdown, the one with most users first, when one was asked for. */
  readonly groups: readonly CohortGroup[];
  /** The number of values, those included that the limit leaves out. */
  readonly groups_total: number;
  /** Events before it are hidden; 0 until some were. */
  readonly retained_from_ms: number;
}
export interface CohortGroup {
  readonly value: string | null;
  readonly cohorts: readonly Cohort[];
}
