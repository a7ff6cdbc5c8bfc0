/** An A/B test as it is agreed on (experiments.md §1); its arithmetic is in experiment-results.ts. */
export interface ExperimentVariant {
  readonly key: string;
  /** Percent of visitors. */
  readonly weight: number;
}

export const experimentStatuses = ["active", "paused", "completed"] as const;
export type ExperimentStatus = (typeof experimentStatuses)[number];
