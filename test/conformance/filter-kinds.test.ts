import { expect, test } from "bun:test";
import { type Condition, filterOps } from "../../src/domain/filter";
import { engineMsMax, isRefused, onEach, openEngine } from "../support/engine/opened-engine";
import { cases } from "../support/random/cases";
import { type Random, randomFrom } from "../support/random/random";
import { conditionFields, conditionOn, randomCondition } from "../support/random/random-conditions";
import { ofGoal, type SentItem } from "../support/random/random-filters";
import { randomGoal } from "../support/random/random-goals";
import { usualToday } from "../support/world/cast";
import { type History, randomHistory, type Step } from "../support/world/history";
import { play } from "../support/world/play";
import { randomQuestions } from "../support/world/questions";

/**
 * Random histories choose filters at random too; here each kind of filter is asked of the reads that answer no rows of
 * events or groups: every operator on every field, what users did and did not, and groups of both.
 */
const eventsMax = 40;
/** Some questions are in UTC even so. */
const zone = "America/St_Johns";
const questionRounds = 12;
/**
 * The shares of the filters, each asked about in a history of its own. Their number has no factor in common with the
 * number of operators, so that each share has all of these.
 */
const sharesOfAll = onEach(23, 17);
const shares = Array.from({ length: sharesOfAll }, (_, share) => share);
const reads = ["retention", "paths", "insights"] as const;

const asked = reads.flatMap((read, at) =>
  onEach(cases([at], shares), [at]).map((share) => [read, share] as const),
);

test.each(asked)(
  "/%s with every kind of filter agrees with the model (share %d)",
  async (read, share) => {
    const random = randomFrom(1);
    const { sizes, steps } = randomHistory(random, eventsMax);
    const changes = steps.filter(({ kind }) => kind !== "ask" && kind !== "interrupted");
    const cast = { ...castOf(changes), today: usualToday, zone };
    const { nowMs } = steps[steps.length - 1];
    const questions = Array.from({ length: questionRounds }, () =>
      randomQuestions(random, cast, 1).filter((one) => one.ask === read && !isRefused(one)),
    ).flat();
    const asked = itemsOf(random, cast)
      .filter((_, at) => at % sharesOfAll === share)
      .map((item): Step => {
        const filters = [item, ...(random.chance(0.1) ? [randomCondition(random, cast)] : [])];
        return { kind: "ask", nowMs, question: { ...random.pick(questions), filters } };
      });
    const history: History = { sizes, steps: [...changes, ...asked] };
    expect(await play(history, openEngine)).toBe(asked.length);
  },
  engineMsMax,
);

type HistoryCast = Parameters<typeof randomCondition>[1];

/** Returns the users and names that occur in a history. */
function castOf(steps: readonly Step[]): Omit<HistoryCast, "today"> {
  const events = steps.flatMap((step) => (step.kind === "commit" ? step.events : []));
  const of = (values: readonly (string | null)[]): string[] => [
    ...new Set(values.filter((value) => value !== null)),
  ];
  return {
    users: of(events.map(({ userId }) => userId)),
    sessions: of(events.map(({ sessionId }) => sessionId)),
    names: of(events.map(({ name }) => name)),
    keys: [],
  };
}

function itemsOf(random: Random, cast: HistoryCast): SentItem[] {
  const conditions = conditionFields.flatMap((field) =>
    filterOps.map((op): Condition => conditionOn(field, op, random, cast)),
  );
  const did = cast.names.flatMap((name) =>
    [false, true].flatMap((isNegated) =>
      [[], [random.pick(conditions)]].map((filters) => ({
        ...{ did: name, isNegated, filters, window: null },
      })),
    ),
  );
  const goals = Array.from({ length: 20 }, (_, at) =>
    ofGoal(
      { did: "", isNegated: at % 2 === 0, of: "session", filters: [], window: null },
      randomGoal(random, cast),
    ),
  );
  const simple = [...conditions, ...did, ...goals];
  const groups = Array.from({ length: 40 }, () => ({
    any: Array.from({ length: random.between(2, 10) }, () => random.pick(simple)),
  }));
  return [...simple, ...groups];
}
