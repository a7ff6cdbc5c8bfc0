import { resultsOf } from "../../domain/experiment-results";
import type { Goal } from "../../domain/goal";
import type { TimeWindow } from "../../domain/time-window";
import type { Read } from "../../store/port";
import type { Experiment, ExperimentWithResults } from "./schema";

export interface ExperimentInput {
  readonly experiment: Experiment;
  readonly goal: Goal;
  /** The window to the millisecond: from the experiment's start to its end, or now. */
  readonly window: TimeWindow;
  /** Goes into the answer as it is. */
  readonly context: Pick<ExperimentWithResults, "project_context">;
}

/** GET /experiments/{id}. */
export const experimentRead: Read<ExperimentInput, ExperimentWithResults> = {
  name: "experiment",
  scope: ({ experiment, window }) => ({ projectIds: [experiment.project_id], ...window }),
  async run(snapshot, { experiment, goal, window, context }) {
    const { id, status, project_id: projectId } = experiment;
    const keys = experiment.variants.map(({ key }) => key);
    const request = { experiment: experiment.name, variants: keys, goal };
    const counts = await snapshot.experimentCounts({ projectId, ...window }, request);
    return { ...experiment, results: resultsOf({ id, status, keys }, counts), ...context };
  },
};
