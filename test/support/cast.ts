export const dayMs = 86_400_000;
/** The last date of every history. */
export const today = Math.floor(Date.UTC(2026, 9, 1) / dayMs);

/** Who and what occurs in a history; few of each, so that they meet. */
export interface Cast {
  readonly users: readonly string[];
  readonly sessions: readonly string[];
  readonly names: readonly string[];
  readonly keys: readonly string[];
}
