import type { Caller } from "../../domain/caller";
import type { NamedGoal } from "../../domain/goals/definition";
import { definitionShown } from "../../domain/goals/fields";
import type { OwnExperiment } from "../../store/control/experiments";
import type { Experiment } from "./schema";

/** An experiment as its account sees it. */
export const viewExperiment = (
  { experiment, project }: OwnExperiment,
  { share }: Pick<Caller, "share">,
): Experiment => ({
  id: experiment.id,
  project_id: project.id,
  account_id: project.accountId,
  name: experiment.name,
  variants: [...experiment.variants],
  goal_event: experiment.goalEvent,
  ...(experiment.goal !== null && { goal: goalShown(experiment.goal, share !== null) }),
  status: experiment.status,
  winner: experiment.winner,
  created_at: new Date(experiment.createdAtMs).toISOString(),
  updated_at: new Date(experiment.updatedAtMs).toISOString(),
  completed_at:
    experiment.completedAtMs === null ? null : new Date(experiment.completedAtMs).toISOString(),
});

function goalShown(goal: NamedGoal, isShare: boolean): NonNullable<Experiment["goal"]> {
  const named = { id: goal.id, name: goal.name };
  return isShare ? named : { ...named, ...definitionShown(goal) };
}
