import Type from "typebox";
import { ofProject } from "../../domain/context-fields";
import {
  BounceRate,
  Count,
  DatePeriod,
  ofWindow,
  Sessions,
  StoredName,
  Visitors,
  Warnings,
} from "../../domain/fields";
import { FiltersText } from "../../domain/filter-fields";
import { allTime, datesOf } from "../../domain/period";
import { free } from "../../http/operation/facts";
import { projectRead } from "../../http/operation/project-read";
import { tableOf } from "../../http/operation/table";
import { ofServer, schema } from "../../lib/schema";
import { ImportedBeside } from "../../reads/imported-beside";
import { sessionTotals } from "../../reads/session-totals";

const topEventsMax = 20;

const GroupBy = Type.Enum(["hour", "day", "week", "month"], {
  default: "day",
  description: "Length of the time series' buckets. Weeks start on Monday.",
});
const StatsQuery = schema(
  Type.Object(
    {
      ...ofWindow,
      groupBy: Type.Optional(GroupBy),
      filters: Type.Optional(FiltersText),
    },
    { $id: "StatsQuery" },
  ),
);

const Bucket = Type.Object({
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
  description: "Distinct users of the sessions that started in the period.",
});
const hoursMax = 24 * 3_660;

export const StatsResponse = schema(
  Type.Object(
    {
      ...ofProject,
      period: Type.Object({ ...DatePeriod.properties, groupBy: GroupBy }),
      totals: Type.Object({
        unique_users: Visitors,
        total_events: Count,
        visitors: SessionVisitors,
      }),
      timeSeries: Type.Array(Bucket, {
        maxItems: hoursMax,
        description: "Only buckets with events.",
      }),
      events: Type.Array(TopEvent, { maxItems: topEventsMax }),
      sessions: SessionTotals,
      imported: ImportedBeside,
      warnings: Warnings,
    },
    { $id: "StatsResponse" },
  ),
);

export const statsRead = projectRead("GET /stats", {
  access: free("analytics:read", "RD"),
  shares: {},
  pointsToDays: true,
  doc: {
    id: "getStats",
    summary: "Get the overview of a project",
    description:
      "Visitors, events, sessions and the most frequent events of a window, with a time series. Start here, " +
      "then use POST /query for details. Dates and buckets use the time zone; both ends of the window are " +
      "included.",
  },
  example: { project: "shop", since: "7d" },
  takes: StatsQuery,
  returns: StatsResponse,
  table: { of: ({ timeSeries }) => tableOf(Bucket, timeSeries) },
  question: ({ groupBy = "day" }) => ({ groupBy }),
  scope: () => allTime,
  ask: async (snapshot, { view, days, groupBy }) => ({
    ...(await snapshot.overview(view, { days, unit: groupBy, events_max: topEventsMax })),
    sessions: await sessionTotals(snapshot, view),
  }),
  shape: ({ totals, series, events, sessions: { visitors, ...sessions } }, { days, groupBy }) => ({
    period: { ...datesOf(days), groupBy },
    totals: { ...totals, visitors },
    timeSeries: series,
    events: events.map(({ event, event_count: count, unique_users }) => ({
      event,
      count,
      unique_users,
    })),
    sessions,
  }),
});
