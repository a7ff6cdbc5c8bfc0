import type { OwnExperiment } from "../../store/control/experiments";
import type { Experiment } from "./schema";

/** An experiment as its account sees it. */
export const viewExperiment = ({ experiment, project }: OwnExperiment): Experiment => ({
  id: experiment.id,
  project_id: project.id,
  account_id: project.accountId,
  name: experiment.name,
  variants: [...experiment.variants],
  goal_event: experiment.goalEvent,
  status: experiment.status,
  winner: experiment.winner,
  created_at: new Date(experiment.createdAtMs).toISOString(),
  updated_at: new Date(experiment.updatedAtMs).toISOString(),
  completed_at:
    experiment.completedAtMs === null ? null : new Date(experiment.completedAtMs).toISOString(),
});
