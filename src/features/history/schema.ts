import Type, { type Static } from "typebox";
import { ofProject } from "../../domain/context-fields";
import { dayDimensions, dayValueCharsMax } from "../../domain/day-row";
import {
  Count,
  DatePeriod,
  IsoDate,
  listItemsMax,
  ofCut,
  ofUtcRead,
  timeCharsMax,
} from "../../domain/fields";
import { ofServer, ofVisitors, pageSize, schema } from "../../lib/schema";

const limit = { min: 1, max: 1_000, default: 20 };
export const historyLimitDefault = limit.default;
const importsMax = 10_000;
const kindCharsMax = 32;

const Dimension = Type.Enum([...dayDimensions], {
  default: "total",
  description: "Dimension of `values`. `totals` and `series` are always of everything.",
});
const GroupBy = Type.Enum(["day", "week", "month"], {
  default: "day",
  description: "Length of the buckets of `series`. Weeks start on Monday.",
});
const day = (description: string) => Type.String({ maxLength: timeCharsMax, description });

export const HistoryQuery = schema(
  Type.Object(
    {
      ...ofUtcRead,
      since: Type.Optional(day("First date. Default: the first date with days.")),
      until: Type.Optional(
        day("Last date, inclusive. Default: the last date with days, or today."),
      ),
      dimension: Type.Optional(Dimension),
      groupBy: Type.Optional(GroupBy),
      limit: Type.Optional(pageSize(limit, "Maximum number of values.")),
    },
    { $id: "HistoryQuery" },
  ),
);

const Sum = Type.Union([Count, Type.Null()]);
const sums = {
  visitor_days: {
    ...Sum,
    description: "Daily visitors added up: a visitor of two days counts twice.",
  },
  visits: Sum,
  page_views: Sum,
  events: Sum,
  bounces: Sum,
  seconds: Sum,
};
const dated = { ...sums, days: { ...Count, description: "Dates that have sums." } };
export const HistoryBucket = Type.Object({
  bucket: Type.String({
    ...ofServer,
    maxLength: 16,
    description: "The first date for days and weeks, `YYYY-MM` for months.",
  }),
  ...dated,
});
export const HistoryValue = Type.Object({
  value: Type.String({ ...ofVisitors, maxLength: dayValueCharsMax }),
  ...sums,
});
const HistoryImport = Type.Object({
  id: Type.String({
    ...ofServer,
    maxLength: kindCharsMax,
    description: "The import, or `retention`: days counted from events before they were deleted.",
  }),
  kind: Type.String({ ...ofServer, maxLength: kindCharsMax }),
  from: IsoDate,
  to: IsoDate,
});

export const History = Type.Object({
  period: DatePeriod,
  dimension: Dimension,
  seam: {
    ...Type.Union([IsoDate, Type.Null()]),
    description: "The first date of which the project has stored events itself.",
  },
  totals: Type.Object(dated),
  series: Type.Array(HistoryBucket, {
    maxItems: listItemsMax,
    description: "Only buckets with days.",
  }),
  values: Type.Optional(Type.Array(HistoryValue, { maxItems: limit.max })),
  ...ofCut,
  imports: Type.Array(HistoryImport, { maxItems: importsMax }),
});
export type History = Static<typeof History>;
export type HistoryBucket = Static<typeof HistoryBucket>;
export type HistoryValue = Static<typeof HistoryValue>;

/** The sums of an answer. */
export type FoundHistory = Pick<History, "totals" | "series" | "imports"> & {
  /** Null where no dimension was asked for. */
  readonly values: { readonly rows: readonly HistoryValue[]; readonly total: number } | null;
};

export const HistoryResponse = schema(
  Type.Object({ ...ofProject, ...History.properties }, { $id: "HistoryResponse" }),
);
