import { expect, test } from "bun:test";
import { engineMsMax, isRefused, onEach, openEngine } from "../support/engine/opened-engine";
import { cases } from "../support/random/cases";
import { type Random, randomFrom } from "../support/random/random";
import { conditionFields, conditionOn } from "../support/random/random-conditions";
import { usualToday } from "../support/world/cast";
import { type History, randomHistory, type Step } from "../support/world/history";
import { play } from "../support/world/play";
import { type Question, randomQuestions } from "../support/world/questions";

/**
 * Few questions of random histories are worth a warning that counts events; here each measures a property that is often
 * a text, and most have a `neq`.
 */
const eventsMax = 120;
const seeds = onEach(
  cases(
    [1, 2, 3],
    Array.from({ length: 20 }, (_, at) => at + 1),
  ),
  [1],
);
const questionRounds = onEach(2, 1);
const numbers = ["0", "7", "-0.5e3", "1E+9", "1e999", "07", " 7", "7\n", "+7", "7.", "", 7, 0.5];

test.each(seeds)(
  "warnings count the events that the model counts (seed %d)",
  async (seed) => {
    const random = randomFrom(seed);
    const { sizes, steps } = randomHistory(random, eventsMax);
    const changes = steps
      .filter(({ kind }) => kind !== "ask" && kind !== "interrupted")
      .map((step) => withNumbers(step, random));
    const events = changes.flatMap((step) => (step.kind === "commit" ? step.events : []));
    const users = events.map(({ userId }) => userId).filter((user) => user !== null);
    const sessions = events.map(({ sessionId }) => sessionId).filter((id) => id !== null);
    const names = events.map(({ name }) => name);
    const cast = { users, sessions, names, keys: [], today: usualToday, zone: "Asia/Kolkata" };
    const { nowMs } = steps[steps.length - 1];
    const asked = Array.from({ length: questionRounds }, () => randomQuestions(random, cast, 1))
      .flat()
      .map((question) => worthWarning(question, random, cast))
      .filter((question) => question !== null)
      .filter((question) => !isRefused(question))
      .map((question): Step => ({ kind: "ask", nowMs, question }));
    const history: History = { sizes, steps: [...changes, ...asked] };
    expect(await play(history, openEngine)).toBe(asked.length);
  },
  engineMsMax,
);

/** Gives most events a number in `n`, or what looks like one. */
function withNumbers(step: Step, { chance, pick }: Random): Step {
  if (step.kind !== "commit") return step;
  const events = step.events.map((event) =>
    chance(0.3) ? event : { ...event, properties: { ...event.properties, n: pick(numbers) } },
  );
  return { ...step, events };
}

function worthWarning(
  question: Question,
  random: Random,
  cast: Parameters<typeof conditionOn>[3],
): Question | null {
  if (question.ask !== "query" && question.ask !== "compared") return null;
  const { chance, pick } = random;
  const metrics = [
    pick(["sum:properties.n", "p75:properties.n", "distinct:properties.n"]),
    ...["conversions", "revenue"].filter(() => chance(0.4)),
  ];
  const conditions = chance(0.2)
    ? []
    : [conditionOn(pick(conditionFields), chance(0.8) ? "neq" : null, random, cast)];
  const query = { ...question.query, metrics, conditions, groupBy: [], orderBy: metrics[0] };
  return { ...question, query };
}
