import { Engine } from "../support/engine/engine";
import { randomFrom } from "../support/random/random";
import { randomHistory, type Setting } from "../support/world/history";
import { type OpenDriven, play, smallest } from "../support/world/play";
import type { Question } from "../support/world/questions";

/** A failing history is run at most this number of times while it is made smaller. */
const triesMax = 400;

interface Conformance {
  readonly eventsMax?: number;
  readonly setting?: Setting;
  /** The share of the history's questions that are asked; all when it is not given. */
  readonly askedShare?: number;
  /** Opens the engine; our own when none is given. */
  readonly open?: OpenDriven;
  /** Tells whether the engine refuses a question, which is then not asked. */
  readonly refuses?: (question: Question) => boolean;
}

const ourOwn: OpenDriven = (sizes) => new Engine(sizes);

/**
 * Runs the history of a seed: whatever was committed, linked, compacted, swept, pruned and restarted, every read must
 * equal the model, which takes its time when events are many. Returns how many answers were compared. Throws with the
 * seed and the smallest history that fails.
 */
export async function conform(
  seed: number,
  { eventsMax = 4_000, setting, askedShare = 1, ...of }: Conformance = {},
): Promise<number> {
  const { open = ourOwn, refuses = () => false } = of;
  const random = randomFrom(seed);
  const size = random.pick([0, 1, 30, 400, 1_500, 4_000]);
  const whole = randomHistory(random, Math.min(size, eventsMax), setting);
  const steps = whole.steps.filter((step) => {
    if ("question" in step && refuses(step.question)) return false;
    return step.kind !== "ask" || random.chance(askedShare);
  });
  const history = { ...whole, steps };
  const result = await play(history, open);
  if (typeof result === "number") return result;
  const least = await smallest(history, open, triesMax);
  const found = await play(least, open);
  const { question, got, wanted } = typeof found === "number" ? result : found;
  throw new Error(
    [
      `Seed ${seed}: the store and the model differ.`,
      `question ${JSON.stringify(question)}`,
      `got      ${got}`,
      `wanted   ${wanted}`,
      `sizes    ${JSON.stringify(least.sizes)}`,
      ...least.steps.map((step) => `step     ${JSON.stringify(step)}`),
    ].join("\n"),
  );
}
