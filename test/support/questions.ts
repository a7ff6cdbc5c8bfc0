import { type Condition, filterOps } from "../../src/domain/filter";
import { groupNames, metricNames } from "../../src/domain/metric";
import type { EventsQuestion, QueryQuestion } from "../model/answers";
import type { ModelDays } from "../model/model";
import { type Cast, dayMs, today } from "./cast";
import type { Random } from "./random";

/** What can be asked of a store and of the model alike. */
export type Question =
  | { readonly ask: "stats"; readonly days: ModelDays; readonly groupBy: Grain }
  | {
      readonly ask: "events";
      readonly days: ModelDays;
      readonly filter: EventsQuestion;
      readonly limit: number;
    }
  | { readonly ask: "query"; readonly days: ModelDays; readonly query: ConditionQuery }
  | { readonly ask: "properties"; readonly days: ModelDays }
  | { readonly ask: "received"; readonly days: ModelDays; readonly sample: number }
  | {
      readonly ask: "breakdown";
      readonly days: ModelDays;
      readonly property: string;
      readonly event: string | null;
      readonly limit: number;
    };
type Grain = "hour" | "day" | "week" | "month";
export type ConditionQuery = Omit<QueryQuestion, "conditions"> & {
  readonly conditions: readonly Condition[];
};

/** One round of questions about everything; `share` of them. */
export function randomQuestions(random: Random, cast: Cast, share: number): Question[] {
  const { chance } = random;
  const days = randomDays(random);
  const times = (count: number, make: () => Question): Question[] =>
    Array.from({ length: count }, make).filter(() => chance(share));
  return [
    ...times(1, () => ({ ask: "stats", days, groupBy: "hour" })),
    ...times(1, () => ({ ask: "stats", days, groupBy: "day" })),
    ...times(1, () => ({ ask: "stats", days, groupBy: "week" })),
    ...times(1, () => ({ ask: "stats", days, groupBy: "month" })),
    ...times(1, () => ({ ask: "properties", days })),
    ...times(2, () => ({ ask: "received", days, sample: random.pick([1, 7, 100, 10_000]) })),
    ...times(4, () => randomEvents(random, cast, days)),
    ...times(14, () => ({ ask: "query", days, query: randomQuery(random, cast) })),
    ...times(5, () => randomBreakdown(random, cast, days)),
  ];
}

function randomDays({ chance, pick }: Random): ModelDays {
  const span = pick([0, 2, 7, 30, 45, 100_000]);
  const to = chance(0.8) ? today : today - 20;
  return { from: to - span, to };
}

function randomEvents({ chance, pick }: Random, cast: Cast, days: ModelDays): Question {
  const filter: EventsQuestion = {
    ...(chance(0.4) && { event: pick(cast.names) }),
    ...(chance(0.3) && { user_id: pick(cast.users) }),
    ...(chance(0.2) && { session_id: pick(cast.sessions) }),
  };
  return { ask: "events", days, filter, limit: pick([1, 5, 100, 1_000]) };
}

function randomBreakdown({ chance, pick }: Random, cast: Cast, days: ModelDays): Question {
  const property = pick(["country", "plan", "n", "deep", "path", "10", "__proto__", "constructor"]);
  const event = chance(0.4) ? pick(cast.names) : null;
  return { ask: "breakdown", days, property, event, limit: pick([1, 3, 50]) };
}

function randomQuery(random: Random, cast: Cast): ConditionQuery {
  const { below, between, chance, pick } = random;
  const isUnordered = chance(0.3);
  const groupBy = isUnordered
    ? [pick(["user_id", "session_id"])]
    : shuffled(
        random,
        groupNames.filter(() => chance(0.3)),
      );
  const some = metricNames.filter(() => chance(0.5));
  const metrics = some.length === 0 ? ["event_count"] : shuffled(random, some);
  const orders = [
    ...metrics.filter((name) => !["bounce_rate", "avg_duration"].includes(name)),
    ...groupBy.filter((name) => name === "date" || name === "event"),
  ];
  const conditions = Array.from({ length: chance(0.5) ? 0 : between(1, 3) }, () =>
    randomCondition(random, cast),
  );
  if (chance(0.2)) conditions.push(randomIdentity(random, cast));
  const byDefault = groupBy.includes("date") ? "date" : metrics[0];
  return {
    metrics,
    groupBy,
    conditions,
    countMode: pick(["raw", "session_then_user"]),
    orderBy: orders.length > 0 && chance(0.7) ? orders[below(orders.length)] : byDefault,
    order: pick(["asc", "desc"]),
    limit: pick([1, 3, 20, 1_000]),
  };
}

const randomIdentity = ({ below, pick }: Random, { users }: Cast): Condition => ({
  field: "identity",
  op: "in",
  value: Array.from({ length: below(3) }, () => pick([...users, "nobody"])),
});

const propertyFields = ["plan", "n", "path", "deep", "absent", "__proto__", "10"].map(
  (key) => `properties.${key}` as const,
);
const propertyTexts = [
  ...["v1", "7", "12.5", "true", "/", "ü", "[1", "ab", "", "1e300", "1e999", "nul\0", "\ud800"],
  '{"b":1,"a":[1,{"ü":"😀\\n"}],"\\u0000":null,"\\ud800":"\\udfff"}',
];

function randomCondition({ below, pick }: Random, cast: Cast): Condition {
  const field = pick<Condition["field"]>([
    ...(["event", "user_id", "date", "country", "session_id", "timestamp"] as const),
    ...propertyFields,
    ...propertyFields,
  ]);
  const texts: Partial<Record<Condition["field"], readonly string[]>> = {
    event: cast.names,
    user_id: cast.users,
    session_id: cast.sessions,
    date: [new Date((today - below(40)) * dayMs).toISOString().slice(0, 10), "2026-09"],
    country: ["DE", "us", "F"],
    timestamp: [String(today * dayMs - below(30 * dayMs))],
  };
  return { field, op: pick(filterOps), value: pick(texts[field] ?? propertyTexts) };
}

function shuffled<T>({ below }: Random, items: readonly T[]): T[] {
  const left = [...items];
  return items.map(() => left.splice(below(left.length), 1)[0]);
}
