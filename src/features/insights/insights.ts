import Type, { type Static } from "typebox";
import { ofProject } from "../../domain/context-fields";
import { type Delta as Change, deltaOf } from "../../domain/delta";
import { DatePeriod, Delta, LastDate, ofRead, Warnings } from "../../domain/fields";
import { FiltersText } from "../../domain/filter-fields";
import {
  allTime,
  comparedDays,
  comparedPeriods,
  datesOf,
  lastMoment,
  windowOf,
} from "../../domain/period";
import { pro } from "../../http/operation/facts";
import { projectRead } from "../../http/operation/project-read";
import { schema } from "../../lib/schema";
import { sessionTotals } from "../../reads/session-totals";
import { viewOf } from "../../reads/view";
import type { Snapshot, View } from "../../store/questions";

const InsightsQuery = schema(
  Type.Object(
    {
      ...ofRead,
      until: Type.Optional(LastDate),
      period: Type.Optional(
        Type.Enum([...comparedPeriods], {
          default: "7d",
          description:
            "Number of dates up to today, compared with the same number of dates before.",
        }),
      ),
      filters: Type.Optional(FiltersText),
    },
    { $id: "InsightsQuery" },
  ),
);

const Trend = Type.Enum(["growing", "stable", "declining"]);

const InsightsResponse = schema(
  Type.Object(
    {
      ...ofProject,
      current_period: DatePeriod,
      previous_period: DatePeriod,
      metrics: Type.Object({
        total_events: Delta,
        unique_users: Delta,
        total_sessions: Delta,
        bounce_rate: Delta,
        avg_duration: Delta,
        visitors: Delta,
      }),
      trend: Trend,
      warnings: Warnings,
    },
    { $id: "InsightsResponse" },
  ),
);

/** A project whose events grew or fell by more than this percentage grows or declines. */
const stablePercentMax = 10;

export const insightsRead = projectRead("GET /insights", {
  access: pro("analytics:read", "RD"),
  shares: {},
  doc: {
    id: "getInsights",
    summary: "Compare with the previous period",
    description:
      "Events, visitors and sessions of a period that ends today, compared with the previous period of the " +
      "same length, and whether the project grows.",
  },
  example: { project: "shop", period: "7d" },
  takes: InsightsQuery,
  returns: InsightsResponse,
  question: ({ period = "7d", until }, { nowMs, zone }) => {
    const { current, previous } = comparedDays(period, lastMoment(until, nowMs, zone), zone);
    return { days: current, previous };
  },
  scope: () => allTime,
  ask: async (snapshot, { projectId, view, previous, filters }) => ({
    now: await measure(snapshot, view),
    before: await measure(snapshot, viewOf(projectId, previous, filters)),
  }),
  shape: ({ now, before }, { days, previous }) => {
    const metrics = {
      total_events: deltaOf(now.total_events, before.total_events),
      unique_users: deltaOf(now.unique_users, before.unique_users),
      total_sessions: deltaOf(now.total_sessions, before.total_sessions),
      bounce_rate: deltaOf(now.bounce_rate, before.bounce_rate, 3),
      avg_duration: deltaOf(now.avg_duration, before.avg_duration),
      visitors: deltaOf(now.visitors, before.visitors),
    };
    return {
      current_period: datesOf(days),
      previous_period: datesOf(previous),
      metrics,
      trend: trendOf(metrics.total_events),
    };
  },
  doubts: ({ days, previous }) => ({
    within: { fromMs: windowOf(previous).fromMs, toMs: windowOf(days).toMs },
  }),
});

async function measure(snapshot: Snapshot, view: View) {
  return { ...(await snapshot.totals(view)), ...(await sessionTotals(snapshot, view)) };
}

function trendOf({ change_pct: percent }: Change): Static<typeof Trend> {
  if (percent === null || percent > stablePercentMax) return "growing";
  return percent < -stablePercentMax ? "declining" : "stable";
}
