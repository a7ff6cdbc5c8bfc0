import { eventsOfGoal, type ModelGoal } from "./goals";
import { inTime, type Model, type ModelEvent, own } from "./model";
import { grouped, rounded } from "./values";

export interface ExperimentQuestion {
  readonly name: string;
  readonly variants: readonly string[];
  readonly goal: ModelGoal;
  /** ms, both inclusive. */
  readonly fromMs: number;
  readonly toMs: number;
}

const isExposure = ({ name }: ModelEvent): boolean => name === "$experiment_exposure";

/** What definitions.md, Experiments, counts of each variant. */
export function experiment(
  model: Model,
  { name, variants, goal, fromMs, toMs }: ExperimentQuestion,
) {
  const reached = eventsOfGoal(model, goal, () => []);
  const events = model
    .all()
    .filter(({ timeMs }) => timeMs >= fromMs && timeMs <= toMs)
    .filter((event) => !(isExposure(event) && own(event, "forced") === true))
    .toSorted(inTime);
  const exposures = events.filter(
    (event) => isExposure(event) && own(event, "experiment") === name && variantOf(event) !== null,
  );
  function variantOf(event: ModelEvent): string | null {
    return variants.find((key) => key === own(event, "variant")) ?? null;
  }
  const firsts = grouped(
    exposures.filter(({ user }) => user !== null),
    ({ user }) => user,
  ).map(([user, [first]]) => ({ user, first }));
  return variants.map((key) => {
    const users = firsts.filter(({ first }) => variantOf(first) === key);
    const converted = users.filter(({ user, first }) =>
      events.some(
        (event) => event.user === user && reached.has(event) && event.timeMs >= first.timeMs,
      ),
    );
    return {
      key,
      exposures: exposures.filter((event) => variantOf(event) === key).length,
      unique_users: users.length,
      conversions: converted.length,
      conversion_rate: users.length === 0 ? 0 : rounded(converted.length / users.length, 4),
    };
  });
}
