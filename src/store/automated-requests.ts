export interface AutomatedRequest {
  readonly projectIds: readonly string[];
  /** `YYYY-MM-DD`, inclusive. */
  readonly from: string;
  readonly to: string;
  /** Those of these actors alone. */
  readonly actors?: readonly string[];
}
export interface AutomatedSums {
  readonly requests: number;
  readonly dropped_events: number;
  readonly last_seen_at: number;
}
export interface AutomatedActor extends AutomatedSums {
  readonly actor: string;
  readonly category: string;
}
export interface AutomatedTotals extends Omit<AutomatedSums, "last_seen_at"> {
  readonly last_seen_at: number | null;
}
