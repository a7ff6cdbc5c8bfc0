import Type, { type Static, type TSchema } from "typebox";
import { comparedWords } from "../../domain/comparison";
import { ofProject } from "../../domain/context-fields";
import {
  Count,
  countedWords,
  DatePeriod,
  Email,
  IsoTime,
  ofCut,
  ofRead,
  Rate,
  Since,
  storedTextCharsMax,
  Until,
  UserId,
  Warnings,
} from "../../domain/fields";
import { FilterList } from "../../domain/filter-fields";
import { goalsPerProjectMax } from "../../domain/goals/definition";
import { GoalCurrency, GoalNamed, NamedInAnswer } from "../../domain/goals/fields";
import { pageLimitDefault, pageLimitMax, queryGroupingsMax } from "../../domain/limits";
import {
  countModes,
  lastDate,
  metricNames,
  namedGroups,
  orderDirections,
  propertyMeasures,
  serverGroups,
} from "../../domain/metric";
import { ofOwner, ofServer, ofVisitors, orNull, pageSize, schema } from "../../lib/schema";
import { Goal } from "./goal-schema";

/** The questions of one request. */
const queriesMax = 20;

const limit = { min: 1, max: pageLimitMax, default: pageLimitDefault };
const wordCharsMax = 200;
/** Repeats are removed, so that a list may be longer than its vocabulary. */
const wordsMax = 50;

/** Unknown words are refused by name in domain/, with the list of those that are allowed. */
const Word = (description: string) => Type.String({ maxLength: wordCharsMax, description });
const OtherDate = Type.String({
  maxLength: wordCharsMax,
  description: "A date, in the same forms as date_from.",
});
const Compare = Type.Union(
  [
    Word(`One of ${comparedWords.join(", ")}.`),
    Type.Object({ date_from: Type.Optional(OtherDate), date_to: Type.Optional(OtherDate) }),
  ],
  {
    description:
      "Compares each row with another period: previous (the same number of dates just before), week or year " +
      "(the same dates 7 or 364 days earlier), or {date_from, date_to}. Dates, hours, weeks and months are " +
      "matched by their position in the period. Rows of both periods appear; order and limit use the values " +
      "of the main period. If the last date is today, both periods end at the same time of day.",
    examples: ["previous", { date_from: "2026-01-01", date_to: "2026-01-07" }],
  },
);

/** The fields of one question. */
const asked = {
  metrics: Type.Optional(
    Type.Array(
      Word(
        `One of ${metricNames.join(", ")}, or ${propertyMeasures.join(", ")} with ":properties.<key>".`,
      ),
      {
        maxItems: wordsMax,
        description:
          `Default: event_count. ${countedWords} For properties, only JSON numbers count; distinct: counts all ` +
          'distinct values, 2 and "2" as one. Percentiles are nearest-rank. null if there is no number.',
        examples: [["event_count", "sum:properties.amount", "p95:properties.amount"]],
      },
    ),
  ),
  group_by: Type.Optional(
    Type.Array(Word(`One of ${namedGroups.join(", ")} or properties.<key>.`), {
      maxItems: wordsMax,
      description:
        `At most ${queryGroupingsMax}; without groups there is exactly one row. Property values with the same ` +
        'text, such as 2 and "2", are one group. hour is date and hour; weekday (0 to 6, Sunday is 0) and ' +
        "hour_of_day (0 to 23) combine all dates.",
    }),
  ),
  filters: Type.Optional(FilterList),
  goal: Type.Optional(Goal),
  goals: Type.Optional(
    Type.Literal(true, {
      description: "One row per goal of the project, in place of groups and metrics.",
    }),
  ),
  once_per: Type.Optional(
    Word(
      "properties.<key>: of the events with the same value only the earliest in the period counts.",
    ),
  ),
  date_from: Type.Optional(Since),
  date_to: Type.Optional(Until),
  compare: Type.Optional(Compare),
  tz: ofRead.tz,
  count_mode: Type.Optional(
    Word(
      `One of ${countModes.join(", ")}. session_then_user (default) counts each session once, and each ` +
        "user without a session once; raw counts every event. Only for event_count.",
    ),
  ),
  user_id: Type.Optional({
    ...UserId,
    description: "Only events of this user, under any of their ids.",
  }),
  email: Type.Optional(Email),
  order_by: Type.Optional(
    Word("A metric or group of this query. Default: date if it is a group, else the first metric."),
  ),
  order: Type.Optional(Word(`One of ${orderDirections.join(", ")}. Default: desc.`)),
  limit: Type.Optional(pageSize(limit, "Maximum number of rows.")),
};
export const QueryAsked = schema(Type.Object(asked, { $id: "Query" }));
export type QueryAsked = Static<typeof QueryAsked>;

export const QueryRequest = schema(
  Type.Object(
    {
      ...ofRead,
      ...asked,
      queries: Type.Optional(
        Type.Array(QueryAsked, {
          minItems: 1,
          maxItems: queriesMax,
          description:
            "Several queries instead of one, on the same state of the data. Each counts as a read.",
        }),
      ),
    },
    {
      $id: "QueryRequest",
      examples: [
        {
          project: "my-shop",
          metrics: ["event_count", "unique_users"],
          group_by: ["event"],
          filters: [{ field: "country", op: "eq", value: "DE" }],
        },
        {
          project: "my-shop",
          metrics: ["session_count", "bounce_rate"],
          group_by: ["session.channel", "session.source"],
          filters: [{ field: "session.country", op: "eq", value: "DE" }],
        },
        {
          project: "my-shop",
          context: false,
          queries: [
            { metrics: ["unique_users"], group_by: ["date"] },
            { metrics: ["session_count"], group_by: ["properties.utm_source"], limit: 10 },
          ],
        },
      ],
    },
  ),
);
export type QueryRequest = Static<typeof QueryRequest>;

const Cell = Type.Union([
  Type.String({ ...ofVisitors, maxLength: storedTextCharsMax }),
  Type.Number(),
  Type.Null(),
]);
/** Columns of groups that no visitor writes. */
const ServerCells = {
  [`^(${[...serverGroups, lastDate].join("|").replaceAll(".", "\\.")})$`]: Type.Union([
    Type.String(ofServer),
    Type.Null(),
  ]),
};
const rowOf = <Cells extends TSchema>(others: Cells) =>
  Type.Unsafe<Record<string, Static<Cells>>>({
    type: "object",
    patternProperties: ServerCells,
    additionalProperties: others,
  });
const Row = rowOf(Cell);
const Asked = Type.String({ ...ofOwner, maxLength: wordCharsMax, description: "As requested." });
const answered = {
  goal: NamedInAnswer,
  currency: Type.Optional(GoalCurrency),
  metrics: Type.Array(Asked, { maxItems: wordsMax }),
  group_by: Type.Array(Asked, { maxItems: queryGroupingsMax }),
};
const counted = {
  count: Count,
  ...ofCut,
  count_mode: Type.Enum([...countModes], { description: "The count mode of event_count." }),
  warnings: Warnings,
};
const resultFields = {
  period: DatePeriod,
  ...answered,
  rows: Type.Array(Row, {
    maxItems: pageLimitMax,
    description: "One row per group: first the groups, then the metrics.",
  }),
  ...counted,
};
export const QueryResult = schema(Type.Object(resultFields, { $id: "QueryResult" }));
export type QueryResult = Static<typeof QueryResult>;

const ByMetric = (description: string) =>
  Type.Record(Type.String(), Type.Union([Type.Number(), Type.Null()]), { description });
const comparedFields = {
  period: DatePeriod,
  previous_period: { ...DatePeriod, description: "Dates of the comparison period." },
  compared_until: Type.Optional({
    ...IsoTime,
    description: "If the last date is today: both periods end at this time of day.",
  }),
  ...answered,
  rows: Type.Array(
    rowOf(
      Type.Union([
        Cell,
        ByMetric(
          "previous: the earlier values. change_pct: the change in percent; null if the earlier value was 0 and " +
            "this one is not, or if a value is missing.",
        ),
      ]),
    ),
    {
      maxItems: pageLimitMax,
      description: "One row per group of either period: groups, metrics, previous and change_pct.",
    },
  ),
  ...counted,
};
export const ComparedResult = schema(Type.Object(comparedFields, { $id: "ComparedResult" }));
export type ComparedResult = Static<typeof ComparedResult>;

const GoalRow = Type.Object({
  goal: GoalNamed,
  conversions: Count,
  conversion_rate: Rate,
  ...{ goal_events: Count, goal_users: Count },
  revenue: orNull(Type.Number()),
  currency: GoalCurrency,
  previous: Type.Optional(ByMetric("With compare.")),
  change_pct: Type.Optional(ByMetric("With compare.")),
});
export type GoalRow = Static<typeof GoalRow>;
const ofGoals = {
  period: DatePeriod,
  previous_period: Type.Optional(comparedFields.previous_period),
  compared_until: comparedFields.compared_until,
  rows: Type.Array(GoalRow, {
    maxItems: goalsPerProjectMax,
    description: "Oldest goal first.",
  }),
  count: Count,
  ...ofCut,
  warnings: Warnings,
};
export const GoalsResult = schema(Type.Object(ofGoals, { $id: "GoalsResult" }));
export type GoalsResult = Static<typeof GoalsResult>;

export const QueryBatch = Type.Object({
  results: Type.Array(Type.Union([QueryResult, ComparedResult, GoalsResult]), {
    maxItems: queriesMax,
    description: "In the order of queries.",
  }),
});
export type QueryBatch = Static<typeof QueryBatch>;

export const QueryResponse = schema(
  Type.Union(
    [
      Type.Object({ ...ofProject, ...resultFields }),
      Type.Object({ ...ofProject, ...comparedFields }),
      Type.Object({ ...ofProject, ...QueryBatch.properties }),
      Type.Object({ ...ofProject, ...ofGoals }),
    ],
    {
      $id: "QueryResponse",
      description:
        "The second form with `compare`, the third with `queries`, the fourth with `goals`.",
    },
  ),
);
export type QueryResponse = Static<typeof QueryResponse>;
