import type { Condition } from "../../../src/domain/filter";
import { groupNames, lastDate, metricNames, propertyMeasures } from "../../../src/domain/metric";
import { sessionFields } from "../../../src/domain/session-field";
import { timeZoneOf } from "../../../src/domain/time-zone";
import { visitorFields } from "../../../src/domain/visitor-field";
import type { QueryQuestion } from "../../model/answers";
import type { ModelDays } from "../../model/model";
import type { Random } from "../random/random";
import { randomCondition } from "../random/random-conditions";
import { randomItem } from "../random/random-filters";
import { type RandomGoal, randomGoal } from "../random/random-goals";
import { type Cast, dayMs } from "./cast";

export type ConditionQuery = Omit<QueryQuestion, "conditions" | "goal"> & {
  readonly goal: RandomGoal;
  readonly conditions: readonly Condition[];
  /** Counts only what this person did. */
  readonly userId: string | null;
};

export interface ComparedQuestion {
  readonly ask: "compared";
  readonly days: ModelDays;
  readonly previous: ModelDays;
  readonly query: ConditionQuery;
}

/** The one before, weeks ago, or any other; sometimes both are cut within their last date. */
export function randomCompared(random: Random, cast: Cast, days: ModelDays): ComparedQuestion {
  const { below, chance, pick } = random;
  const { from, to, zone } = days;
  const back = pick([to - from + 1, 7, 364, 1 + below(30)]);
  const other = { from: from - back, to: to - back + pick([0, 0, 0, 3, 20]) };
  const cut = (day: number) => timeZoneOf(zone).timeOn(day, timeOfDayMs);
  const timeOfDayMs = below(dayMs);
  const isCut = chance(0.5);
  return {
    ask: "compared",
    days: { ...days, ...(isCut && { untilMs: cut(to) }) },
    previous: { ...days, ...other, ...(isCut && { untilMs: cut(other.to) }) },
    // Dates are not compared.
    query: randomQuery(
      random,
      cast,
      metricNames.filter((name) => name !== lastDate),
    ),
  };
}

const propertyMetrics = ["n", "plan", "path", "10"].flatMap((key) =>
  propertyMeasures.map((measure) => `${measure}:properties.${key}` as const),
);
const propertyGroups = ["properties.plan", "properties.n", "properties.__proto__"];

export function randomQuery(
  random: Random,
  cast: Cast,
  named: readonly string[] = metricNames,
): ConditionQuery {
  const { below, between, chance, pick } = random;
  const isUnordered = chance(0.3);
  const groupBy = isUnordered
    ? [pick(["user_id", "session_id"])]
    : shuffled(random, [
        ...(chance(0.3) ? [pick([...sessionFields, ...visitorFields])] : []),
        ...[...groupNames, ...propertyGroups].filter(() => chance(0.25)).slice(0, 3),
      ]);
  const some = [...named.filter(() => chance(0.5)), ...propertyMetrics.filter(() => chance(0.1))];
  const metrics = some.length === 0 ? ["event_count"] : shuffled(random, some);
  const orders = [...metrics, ...groupBy];
  const conditions = Array.from({ length: chance(0.5) ? 0 : between(1, 3) }, () =>
    randomCondition(random, cast),
  );
  const byDefault = groupBy.includes("date") ? "date" : metrics[0];
  return {
    metrics,
    groupBy,
    conditions,
    goal: randomGoal(random, cast, () => randomItem(random, cast)),
    ...(chance(0.25) && { oncePer: pick(["n", "plan", "path", "absent", "10"]) }),
    userId: chance(0.2) ? pick([...cast.users, "nobody"]) : null,
    countMode: pick(["raw", "session_then_user"]),
    orderBy: chance(0.7) ? orders[below(orders.length)] : byDefault,
    order: pick(["asc", "desc"]),
    limit: pick([1, 3, 20, 1_000]),
  };
}

function shuffled<T>({ below }: Random, items: readonly T[]): T[] {
  const left = [...items];
  return items.map(() => left.splice(below(left.length), 1)[0]);
}
