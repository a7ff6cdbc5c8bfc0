import type { ExperimentRequest } from "../../domain/counting";
import { resultsOf, type VariantCounts } from "../../domain/experiment-results";
import type { TimeWindow } from "../../domain/period";
import { assert } from "../../lib/assert";
import type { Read } from "../../store/port";
import { SCOPE, setsOf } from "../../store/segment-sets";
import type { Experiment, ExperimentWithResults } from "./schema";

export interface ExperimentInput {
  readonly experiment: Experiment;
  /** To the millisecond: from when the experiment began to when it ended, or now. */
  readonly window: TimeWindow;
  /** Goes into the answer as it is. */
  readonly context: Pick<ExperimentWithResults, "project_context">;
}

const COUNTS = `
  with ${SCOPE}
  select experiment_counts(segments, :from, :to, :request) as counts from scope`;

/** GET /experiments/{id} of the contract. */
export const experimentRead: Read<ExperimentInput, ExperimentWithResults> = {
  name: "experiment",
  scope: ({ experiment, window }) => ({ projectIds: [experiment.project_id], ...window }),
  run(snapshot, { experiment, window, context }) {
    const { id, status, project_id: projectId, goal_event } = experiment;
    const keys = experiment.variants.map(({ key }) => key);
    const request: ExperimentRequest = { experiment: experiment.name, variants: keys, goal_event };
    const found = snapshot.row<{ counts: string }>(COUNTS, {
      ...setsOf(snapshot.project(projectId), window),
      request: JSON.stringify(request),
    });
    assert(found !== undefined, "an aggregate always returns one row");
    const counts: readonly VariantCounts[] = JSON.parse(found.counts);
    return { ...experiment, results: resultsOf({ id, status, keys }, counts), ...context };
  },
};
