import Type, { type Static } from "typebox";
import { ofProject } from "../../domain/context-fields";
import {
  Count,
  DatePeriod,
  Email,
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
} from "../../domain/metric";
import { pageSize, schema } from "../../lib/schema";

/** Of one request. */
const queriesMax = 20;

const limit = { min: 1, max: pageLimitMax, default: pageLimitDefault };
const wordCharsMax = 200;
/** Repeats are removed, so that a list may be longer than its vocabulary. */
const wordsMax = 50;

/** Unknown words are refused by name in domain/, with the list of those that are allowed. */
const Word = (description: string) => Type.String({ maxLength: wordCharsMax, description });
/** What one question may say. */
const asked = {
  metrics: Type.Optional(
    Type.Array(
      Word(
        `One of ${metricNames.join(", ")}, or ${propertyMeasures.join(", ")} with ":properties.<key>".`,
      ),
      {
        maxItems: wordsMax,
        description:
          "What is counted. Default: event_count. Of a property, JSON numbers alone count; distinct: counts all " +
          'different values, 2 and "2" as one. Percentiles are nearest-rank. null where no number was.',
        examples: [["event_count", "sum:properties.amount", "p95:properties.amount"]],
      },
    ),
  ),
  group_by: Type.Optional(
    Type.Array(Word(`One of ${namedGroups.join(", ")} or properties.<key>.`), {
      maxItems: wordsMax,
      description:
        `At most ${queryGroupingsMax}; without it there is exactly one row. Values of a property that are the ` +
        'same as text, such as 2 and "2", are one group.',
    }),
  ),
  filters: Type.Optional(FilterList),
  date_from: Type.Optional(Since),
  date_to: Type.Optional(Until),
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
  Type.String({ maxLength: storedTextCharsMax }),
  Type.Number(),
  Type.Null(),
]);
const resultFields = {
  period: DatePeriod,
  metrics: Type.Array(Word("As requested."), { maxItems: wordsMax }),
  group_by: Type.Array(Word("As requested."), { maxItems: queryGroupingsMax }),
  rows: Type.Array(Type.Record(Type.String(), Cell), {
    maxItems: pageLimitMax,
    description: "One per group: first the groups, then the metrics.",
  }),
  count: Count,
  truncated: Type.Optional(
    Type.Literal(true, { description: "`limit` left out some of the groups." }),
  ),
  groups_total: Type.Optional({ ...Count, description: "With `truncated`: how many there are." }),
  count_mode: Type.Enum([...countModes], { description: "The one that event_count used." }),
  warnings: Warnings,
};
export const QueryResult = schema(Type.Object(resultFields, { $id: "QueryResult" }));
export type QueryResult = Static<typeof QueryResult>;

export const QueryBatch = Type.Object({
  results: Type.Array(QueryResult, {
    maxItems: queriesMax,
    description: "In the order of queries.",
  }),
});
export type QueryBatch = Static<typeof QueryBatch>;

export const QueryResponse = schema(
  Type.Union(
    [
      Type.Object({ ...ofProject, ...resultFields }),
      Type.Object({ ...ofProject, ...QueryBatch.properties }),
    ],
    { $id: "QueryResponse", description: "The second where `queries` was sent." },
  ),
);
