export const dayMs = 86_400_000;
/** The last date of most histories. */
export const usualToday = Math.floor(Date.UTC(2026, 9, 1) / dayMs);

/** The users and names that occur in a history; few of each, so that they meet. */
export interface Cast {
  /** The last date of the history. */
  readonly today: number;
  /** A time zone other than UTC in which most questions are asked. */
  readonly zone?: string | undefined;
  readonly users: readonly string[];
  readonly sessions: readonly string[];
  readonly names: readonly string[];
  readonly keys: readonly string[];
}
