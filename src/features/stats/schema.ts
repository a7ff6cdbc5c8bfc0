import Type, { type Static } from "typebox";
import { ofProject } from "../../domain/context-fields";
import {
  BounceRate,
  Count,
  DatePeriod,
  ofRead,
  Sessions,
  Since,
  StoredName,
  Until,
  Visitors,
  Warnings,
} from "../../domain/fields";
import { FiltersText } from "../../domain/filter-fields";
import { ofServer, schema } from "../../lib/schema";

export const statsTopEventsMax = 20;

const GroupBy = Type.Enum(["hour", "day", "week", "month"], {
  default: "day",
  description: "Width of the buckets of the time series. Weeks start on Monday.",
});
export type GroupBy = Static<typeof GroupBy>;

export const StatsQuery = schema(
  Type.Object(
    {
      ...ofRead,
      since: Type.Optional(Since),
      until: Type.Optional(Until),
      groupBy: Type.Optional(GroupBy),
      filters: Type.Optional(FiltersText),
    },
    { $id: "StatsQuery" },
  ),
);

export const StatsBucket = Type.Object({
  bucket: Type.String({
    ...ofServer,
    maxLength: 16,
    description:
      "`YYYY-MM-DDTHH:00` for hours, the first date for days and weeks, `YYYY-MM` for months.",
  }),
  unique_users: Count,
  total_events: Count,
});
const TopEvent = Type.Object({ event: StoredName, count: Count, unique_users: Count });
const SessionTotals = Type.Object({
  total_sessions: Sessions,
  bounce_rate: BounceRate,
  avg_duration: Type.Integer({ description: "Milliseconds." }),
  pages_per_session: Type.Number(),
  sessions_per_user: Type.Number(),
});
const SessionVisitors = Type.Integer({
  minimum: 0,
  description: "Different users of the sessions that began in the period.",
});
const hoursMax = 24 * 3_660;

export const Stats = Type.Object({
  period: Type.Object({ ...DatePeriod.properties, groupBy: GroupBy }),
  totals: Type.Object({ unique_users: Visitors, total_events: Count, visitors: SessionVisitors }),
  timeSeries: Type.Array(StatsBucket, {
    maxItems: hoursMax,
    description: "Only buckets with events.",
  }),
  events: Type.Array(TopEvent, { maxItems: statsTopEventsMax }),
  sessions: SessionTotals,
  warnings: Warnings,
});
export type Stats = Static<typeof Stats>;

export const StatsResponse = schema(
  Type.Object({ ...ofProject, ...Stats.properties }, { $id: "StatsResponse" }),
);
