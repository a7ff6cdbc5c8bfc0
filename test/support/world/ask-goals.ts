import { goalInScope } from "../../../src/domain/goal";
import { allTime } from "../../../src/domain/period";
import { experimentRead } from "../../../src/features/experiments/read";
import { pathsRead } from "../../../src/features/paths/paths";
import type { Answering } from "../engine/driven";
import { productGoal } from "../random/random-goals";
import type { AskedExperiment } from "./goal-questions";
import type { Question } from "./questions";

export async function pathsNumbers(
  { days, paths, filters }: Extract<Question, { ask: "paths" }>,
  engine: Answering,
  projectId: string,
) {
  const goal = goalInScope(productGoal(paths.goal), { ...allTime, zone: days.zone });
  const request = { ...paths, goal };
  return (await engine.read(pathsRead, { projectId, days, request, filters })).entry_paths;
}

/** Returns the counts without the statistics, which are made of these numbers and tested by themselves. */
export async function experimentCounts(
  { name, variants, goal, fromMs, toMs }: AskedExperiment,
  engine: Answering,
  projectId: string,
): Promise<unknown> {
  const started = new Date(fromMs).toISOString();
  const experiment = {
    id: "exp_1",
    project_id: projectId,
    account_id: "acc_1",
    name,
    variants: variants.map((key) => ({ key, weight: 0 })),
    goal_event: goal.event,
    status: "active" as const,
    winner: null,
    created_at: started,
    updated_at: started,
    completed_at: null,
  };
  const window = { fromMs, toMs: toMs + 1 };
  const asked = { experiment, goal: productGoal(goal), window, context: {} };
  return (await engine.read(experimentRead, asked)).results.variants;
}
