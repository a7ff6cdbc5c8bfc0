import type { AppearanceField, BreakdownField } from "../../../src/domain/counting";
import type { Condition } from "../../../src/domain/filter";
import { type FilterItem, within } from "../../../src/domain/filter-items";
import { allTime, periodsUntil } from "../../../src/domain/period";
import { visitorFields } from "../../../src/domain/visitor-field";
import type { EventsQuestion } from "../../model/answers";
import type { ChangesQuestion } from "../../model/changes";
import type { FunnelQuestion } from "../../model/journeys";
import type { ModelDays } from "../../model/model";
import type { RetentionQuestion } from "../../model/retention-answers";
import type { SessionsQuestion } from "../../model/session-answers";
import type { Random } from "../random/random";
import { randomCondition } from "../random/random-conditions";
import { isSent, randomItem, type SentItem } from "../random/random-filters";
import { type RandomGoal, randomGoal } from "../random/random-goals";
import type { Cast } from "./cast";
import {
  type AskedExperiment,
  type AskedPaths,
  randomExperiment,
  randomPaths,
} from "./goal-questions";
import {
  type ComparedQuestion,
  type ConditionQuery,
  randomCompared,
  randomQuery,
} from "./query-questions";

/** What can be asked of a store and of the model alike. */
export type Question = Asked & {
  readonly filters?: readonly SentItem[];
  /** The filters of the share by which it is asked. */
  readonly narrowedBy?: readonly SentItem[];
};
type Asked =
  | { readonly ask: "stats"; readonly days: ModelDays; readonly groupBy: Grain }
  | {
      readonly ask: "events";
      readonly days: ModelDays;
      readonly filter: EventsQuestion;
      readonly limit: number;
    }
  | ComparedQuestion
  | {
      readonly ask: "changes";
      readonly days: ModelDays;
      readonly changes: Omit<ChangesQuestion, "current" | "filters" | "goal"> & {
        readonly goal: RandomGoal | null;
      };
    }
  | { readonly ask: "query"; readonly days: ModelDays; readonly query: ConditionQuery }
  | {
      readonly ask: "properties";
      readonly days: ModelDays;
      readonly eventsMax: number;
      readonly keysMax: number;
    }
  | {
      readonly ask: "received";
      readonly days: ModelDays;
      readonly sample: number;
      readonly pairsMax: number;
    }
  | {
      readonly ask: "sessions";
      readonly days: ModelDays;
      readonly filter: SessionsQuestion;
      readonly limit: number;
    }
  | { readonly ask: "distribution" | "heatmap"; readonly days: ModelDays }
  | { readonly ask: "insights"; readonly days: ModelDays; readonly previous: ModelDays }
  | {
      readonly ask: "pages";
      readonly days: ModelDays;
      readonly type: "entry" | "exit" | "both";
      readonly limit: number;
    }
  | { readonly ask: "retention"; readonly days: ModelDays; readonly retention: AskedRetention }
  | { readonly ask: "funnel"; readonly days: ModelDays; readonly funnel: ConditionFunnel }
  | {
      readonly ask: "journey";
      readonly days: ModelDays;
      readonly userId: string;
      readonly limit: number;
    }
  | { readonly ask: "sites"; readonly days: ModelDays; readonly previous: ModelDays }
  | {
      readonly ask: "experiment";
      readonly days: ModelDays;
      readonly experiment: AskedExperiment;
    }
  | { readonly ask: "paths"; readonly days: ModelDays; readonly paths: AskedPaths }
  | {
      readonly ask: "breakdown";
      readonly days: ModelDays;
      readonly property: string;
      readonly event: string | null;
      readonly limit: number;
    };
export type AskedRetention = Omit<RetentionQuestion, "breakdown"> & {
  readonly breakdown: { readonly field: AppearanceField; readonly limit: number } | null;
};
type Grain = "hour" | "day" | "week" | "month";
const breakdowns: readonly BreakdownField[] = [
  ...(["country", "properties.plan", "properties.n"] as const),
  ...visitorFields,
];
type ConditionFunnel = Omit<FunnelQuestion, "steps" | "breakdown"> & {
  readonly steps: readonly RandomGoal[];
  readonly breakdown: BreakdownField | null;
};

/** One round of questions about everything; `share` of them. */
export function randomQuestions(random: Random, cast: Cast, share: number): Question[] {
  const { chance } = random;
  const days = randomDays(random, cast);
  const times = (count: number, make: () => Question): Question[] =>
    Array.from({ length: count }, () =>
      maybeNarrowed(random, cast, maybeFiltered(random, cast, make())),
    ).filter(() => chance(share));
  return [
    ...times(1, () => ({ ask: "stats", days, groupBy: "hour" })),
    ...times(1, () => ({ ask: "stats", days, groupBy: "day" })),
    ...times(1, () => ({ ask: "stats", days, groupBy: "week" })),
    ...times(1, () => ({ ask: "stats", days, groupBy: "month" })),
    ...times(2, () => ({
      ...{ ask: "properties", days },
      ...{ eventsMax: random.pick([0, 1, 3, 1_000]), keysMax: random.pick([0, 1, 3, 2_000]) },
    })),
    ...times(2, () => ({
      ...{ ask: "received", days, sample: random.pick([1, 7, 100, 10_000]) },
      pairsMax: random.pick([0, 1, 5, 20, 20_000]),
    })),
    ...times(4, () => randomEvents(random, cast, days)),
    ...times(14, () => ({ ask: "query", days, query: randomQuery(random, cast) })),
    ...times(8, () => randomCompared(random, cast, days)),
    ...times(4, () => randomChanges(random, cast)),
    ...times(5, () => randomBreakdown(random, cast, days)),
    ...times(4, () => randomSessions(random, cast, days)),
    ...times(1, () => ({ ask: "distribution", days })),
    ...times(1, () => ({ ask: "heatmap", days })),
    ...times(2, () => randomPages(random, days)),
    ...times(1, () => randomInsights(random, days)),
    ...times(3, () => ({ ask: "retention", days, retention: randomRetention(random, cast, days) })),
    ...times(4, () => ({ ask: "funnel", days, funnel: randomFunnel(random, cast) })),
    ...times(3, () => randomJourney(random, cast, days)),
    ...times(1, () => ({ ...randomInsights(random, days), ask: "sites" })),
    ...times(4, () => ({
      ask: "experiment",
      days,
      experiment: randomExperiment(random, cast, days),
    })),
    ...times(3, () => ({ ask: "paths", days, paths: randomPaths(random, cast) })),
  ];
}

/** Reads that take filters. */
const filtered: readonly Question["ask"][] = [
  ...(["stats", "events", "query", "properties", "sessions", "distribution", "heatmap"] as const),
  ...(["compared", "insights", "pages", "retention", "funnel", "paths", "breakdown"] as const),
  "changes",
];

function maybeFiltered(random: Random, cast: Cast, question: Question): Question {
  if (!filtered.includes(question.ask) || random.chance(0.6)) return question;
  const { between } = random;
  const items = Array.from({ length: between(1, 2) }, () => randomItem(random, cast));
  return { ...question, filters: items };
}

/** Reads that are made of events alone. */
const narrowed: readonly Question["ask"][] = [...filtered, "received", "experiment"];

/** Days before today are days before the day of the request, which the model does not know. */
const hasDates = (item: FilterItem): boolean => !/"since":"\d+d"/.test(JSON.stringify(item));

function maybeNarrowed(random: Random, cast: Cast, question: Question): Question {
  const { between, chance } = random;
  if (!narrowed.includes(question.ask) || chance(0.7)) return question;
  const items = Array.from({ length: between(1, 2) }, () => randomItem(random, cast));
  return { ...question, narrowedBy: within(items.filter(hasDates), allTime).filter(isSent) };
}

function randomDays({ chance, pick }: Random, { today, zone }: Cast): ModelDays {
  const span = pick([0, 2, 7, 30, 45, 100_000]);
  const to = chance(0.8) ? today : today - 20;
  const days = { from: to - span, to };
  return zone === undefined || chance(0.2) ? days : { ...days, zone };
}

function randomChanges(random: Random, cast: Cast): Question {
  const { below, chance, pick } = random;
  const { today, zone } = cast;
  const to = today - below(8);
  const days = { from: to - pick([0, 0, 2, 6, 6, 13, 20]), to };
  const metric = pick(["events", "sessions", "users", "conversion"] as const);
  const hasGoal = metric === "conversion" || chance(0.2);
  const some = [
    ...["event", "page", "source", "country", "device", "browser", "os", "language", "version"],
    ...["properties.n", "properties.deep", "properties.10", "properties.path"],
  ].filter(() => chance(0.4));
  return {
    ask: "changes",
    days: zone === undefined || chance(0.2) ? days : { ...days, zone },
    changes: {
      metric,
      goal: hasGoal ? randomGoal(random, cast) : null,
      dimensions: some,
      limit: pick([1, 3, 50]),
    },
  };
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

function randomSessions({ chance, pick }: Random, cast: Cast, days: ModelDays): Question {
  const filter: SessionsQuestion = {
    ...(chance(0.3) && { user_id: pick(cast.users) }),
    ...(chance(0.2) && { session_id: pick(cast.sessions) }),
    ...(chance(0.3) && { is_bounce: pick([0, 1]) }),
  };
  return { ask: "sessions", days, filter, limit: pick([1, 3, 1_000]) };
}

const randomPages = ({ pick }: Random, days: ModelDays): Question => ({
  ask: "pages",
  days,
  type: pick(["entry", "exit", "both"]),
  limit: pick([1, 5, 1_000]),
});

const randomJourney = ({ pick }: Random, cast: Cast, days: ModelDays): Question => ({
  ask: "journey",
  days,
  userId: pick([...cast.users, "nobody"]),
  limit: pick([1, 10, 1_000]),
});

function randomInsights({ pick }: Random, days: ModelDays): Extract<Question, { ask: "insights" }> {
  const { to } = days;
  const length = pick([1, 7, 14, 30]);
  const previous = { ...days, from: to - 2 * length + 1, to: to - length };
  return { ask: "insights", days: { ...days, from: to - length + 1 }, previous };
}

function randomRetention(
  { below, chance, pick }: Random,
  cast: Cast,
  { zone }: ModelDays,
): AskedRetention {
  const today = { from: cast.today, to: cast.today, zone };
  const period = pick(["day", "week", "month"] as const);
  const event = chance(0.5) ? pick(cast.names) : null;
  return {
    period,
    periods: periodsUntil(today, period, 1 + below(period === "day" ? 30 : 8)),
    event,
    returningEvent: chance(0.3) ? pick(cast.names) : null,
    today: cast.today - pick([0, 0, 1, 7, 40]),
    breakdown: chance(0.6)
      ? { field: pick(["country", ...visitorFields]), limit: pick([1, 2, 20]) }
      : null,
  };
}

function randomFunnel(random: Random, cast: Cast): ConditionFunnel {
  const { between, chance, pick } = random;
  const extra: readonly Condition[] = [
    { field: "properties.plan", op: "in", value: ["v1", "7", "true"] },
    { field: "properties.plan", op: "prefix", value: "v" },
    { field: "country", op: "in", value: [] },
  ];
  const plain = (): RandomGoal => ({
    event: pick(cast.names),
    filters: chance(0.3) ? [chance(0.5) ? randomCondition(random, cast) : pick(extra)] : [],
  });
  const steps = Array.from({ length: between(2, 4) }, () =>
    chance(0.2) ? randomGoal(random, cast) : plain(),
  );
  return {
    steps,
    countBy: pick(["user_id", "session_id"]),
    windowMs: pick([1, 1.5, 24, 168, 8_760]) * 3_600_000,
    breakdown: chance(0.5) ? pick(breakdowns) : null,
  };
}
