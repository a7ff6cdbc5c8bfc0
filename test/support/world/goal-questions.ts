import { exposureEvent } from "../../../src/domain/experiment";
import type { ExperimentQuestion } from "../../model/experiments";
import type { PathsQuestion } from "../../model/journeys";
import type { ModelDays } from "../../model/model";
import type { Random } from "../random/random";
import { type RandomGoal, randomGoal } from "../random/random-goals";
import { type Cast, dayMs } from "./cast";

/** Questions about what becomes of a goal. */

export type AskedPaths = PathsQuestion & { readonly goal: RandomGoal };
export type AskedExperiment = ExperimentQuestion & { readonly goal: RandomGoal };

/** Experiments begin and end at any moment. */
export function randomExperiment(
  random: Random,
  cast: Cast,
  { from, to }: ModelDays,
): AskedExperiment {
  const { below, chance, pick } = random;
  const names = ["signup", "purchase", "page_view", exposureEvent];
  return {
    name: pick(["hero", "hero", "price"]),
    variants: pick([
      ["control", "b"],
      ["b", "control"],
      ["control", "b", "c", "__proto__"],
    ]),
    goal: chance(0.6) ? { event: pick(names), filters: [] } : randomGoal(random, cast),
    fromMs: from * dayMs + pick([0, below(dayMs)]),
    toMs: to * dayMs + pick([dayMs - 1, below(dayMs)]),
  };
}

export const randomPaths = (random: Random, cast: Cast): AskedPaths => ({
  goal: randomGoal(random, cast),
  max_steps: random.between(1, 5),
  entry_limit: random.between(1, 6),
  path_limit: random.between(1, 5),
  candidate_session_cap: random.pick([3, null]),
});
