import Type, { type Static, type TSchema } from "typebox";
import { comparedWords } from "../../domain/comparison";
import { ofProject } from "../../domain/context-fields";
import {
  Count,
  countedWords,
  DatePeriod,
  Email,
  EventName,
  IsoTime,
  ofCut,
  ofRead,
  Since,
  storedTextCharsMax,
  Until,
  UserId,
  Warnings,
} from "../../domain/fields";
import { FilterList } from "../../domain/filter-fields";
import { pageLimitDefault, pageLimitMax, queryGroupingsMax } from "../../domain/limits";
import {
  countModes,
  metricNames,
  namedGroups,
  orderDirections,
  propertyMeasures,
  serverGroups,
} from "../../domain/metric";
import { ofOwner, ofServer, ofVisitors, pageSize, schema } from "../../lib/schema";

/** The questions of one request. */
const queriesMax = 20;

const limit = { min: 1, max: pageLimitMax, default: pageLimitDefault };
const wordCharsMax = 200;
/** Repeats are removed, so that a list may be longer than its vocabulary. */
const wordsMax = 50;

/** Unknown words are refused by name in domain/, with the list of those that are allowed. */
const Word = (description: string) => Type.String({ maxLength: wordCharsMax, description });
const Goal = Type.Object(
  {
    event: EventName,
    filters: Type.Optional(FilterList),
  },
  {
    description:
      "What conversions and conversion_rate are of, which need it: the sessions of a group with such an event " +
      "anywhere in them, also outside of the dates and of the filters.",
    examples: [{ event: "signup" }],
  },
);

const OtherDate = Type.String({
  maxLength: wordCharsMax,
  description: "A date, in one of the forms of date_from.",
});
const Compare = Type.Union(
  [
    Word(`One of ${comparedWords.join(", ")}.`),
    Type.Object({ date_from: Type.Optional(OtherDate), date_to: Type.Optional(OtherDate) }),
  ],
  {
    description:
      "Sets each row beside that of another period: previous (as many dates, just before), week or year (the " +
      "same dates 7 or 364 days earlier), or {date_from, date_to}. Dates, hours, weeks and months are paired by " +
      "their place in the period. Rows of either period appear; order and limit go by the values of the period " +
      "itself. While the last date is today, both end at the same time of day.",
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
          `What is counted. Default: event_count. ${countedWords} Of a property, JSON numbers alone ` +
          'count; distinct: counts all different values, 2 and "2" as one. Percentiles are nearest-rank. null ' +
          "where no number was.",
        examples: [["event_count", "sum:properties.amount", "p95:properties.amount"]],
      },
    ),
  ),
  group_by: Type.Optional(
    Type.Array(Word(`One of ${namedGroups.join(", ")} or properties.<key>.`), {
      maxItems: wordsMax,
      description:
        `At most ${queryGroupingsMax}; without it there is exactly one row. Values of a property that are the ` +
        'same as text, such as 2 and "2", are one group. hour is date and hour; weekday (0 to 6, Sunday is 0) and ' +
        "hour_of_day (0 to 23) are numbers of all dates.",
    }),
  ),
  filters: Type.Optional(FilterList),
  goal: Type.Optional(Goal),
  date_from: Type.Optional(Since),
  date_to: Type.Optional(Until),
  compare: Type.Optional(Compare),
  tz: ofRead.tz,
  count_mode: Type.Optional(
    Word(
      `One of ${countModes.join(", ")}. session_then_user, the default, counts a session once, and a user ` +
        "without session once; raw counts every event. Used by event_count only.",
    ),
  ),
  user_id: Type.Optional({
    ...UserId,
    description: "Counts only what this person did, under whichever id.",
  }),
  email: Type.Optional(Email),
  order_by: Type.Optional(
    Word("A selected metric or group. Default: date if grouped by it, else the first metric."),
  ),
  order: Type.Optional(Word(`One of ${orderDirections.join(", ")}. Default: desc.`)),
  limit: Type.Optional(pageSize(limit, "Rows at most.")),
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
            "Several questions in place of one, answered from the same moment of the data. Each counts as a read.",
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
  [`^(${serverGroups.join("|").replaceAll(".", "\\.")})$`]: Type.Union([
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
  metrics: Type.Array(Asked, { maxItems: wordsMax }),
  group_by: Type.Array(Asked, { maxItems: queryGroupingsMax }),
};
const counted = {
  count: Count,
  ...ofCut,
  count_mode: Type.Enum([...countModes], { description: "The one that event_count used." }),
  warnings: Warnings,
};
const resultFields = {
  period: DatePeriod,
  ...answered,
  rows: Type.Array(Row, {
    maxItems: pageLimitMax,
    description: "One per group: first the groups, then the metrics.",
  }),
  ...counted,
};
export const QueryResult = schema(Type.Object(resultFields, { $id: "QueryResult" }));
export type QueryResult = Static<typeof QueryResult>;

const ByMetric = (description: string) =>
  Type.Record(Type.String(), Type.Union([Type.Number(), Type.Null()]), { description });
const comparedFields = {
  period: DatePeriod,
  previous_period: { ...DatePeriod, description: "The dates that it is compared with." },
  compared_until: Type.Optional({
    ...IsoTime,
    description: "While the last date is today: both periods end at this time of day.",
  }),
  ...answered,
  rows: Type.Array(
    rowOf(
      Type.Union([
        Cell,
        ByMetric(
          "previous: what the metrics were. change_pct: by how many percent they changed; null where there was " +
            "nothing before and is something now, or where there is no number.",
        ),
      ]),
    ),
    {
      maxItems: pageLimitMax,
      description:
        "One per group of either period: the groups, the metrics, previous and change_pct.",
    },
  ),
  ...counted,
};
export const ComparedResult = schema(Type.Object(comparedFields, { $id: "ComparedResult" }));
export type ComparedResult = Static<typeof ComparedResult>;

export const QueryBatch = Type.Object({
  results: Type.Array(Type.Union([QueryResult, ComparedResult]), {
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
    ],
    {
      $id: "QueryResponse",
      description: "The second where `compare` was sent, the third where `queries` was.",
    },
  ),
);
export type QueryResponse = Static<typeof QueryResponse>;
