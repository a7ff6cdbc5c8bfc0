import { type Delta, deltaOf } from "../../domain/delta";
import { allTime, type Days, datesOf, windowOf } from "../../domain/period";
import { sessionTotals } from "../../reads/session-totals";
import { viewOf } from "../../reads/view";
import { type Filtered, warningsOf } from "../../reads/warnings";
import type { Read } from "../../store/port";
import type { Snapshot, View } from "../../store/questions";
import type { Insights } from "./schema";

interface InsightsInput extends Filtered {
  readonly current: Days;
  readonly previous: Days;
}

/** A project whose events grew or fell by more than this percentage grows or declines. */
const stablePercentMax = 10;

/** GET /insights. */
export const insightsRead: Read<InsightsInput, Insights> = {
  name: "insights",
  scope: ({ projectId }) => ({ projectIds: [projectId], ...allTime }),
  async run(snapshot, input) {
    const { projectId, current, previous, filters } = input;
    const now = await measure(snapshot, viewOf(projectId, current, filters));
    const before = await measure(snapshot, viewOf(projectId, previous, filters));
    const metrics = {
      total_events: deltaOf(now.total_events, before.total_events),
      unique_users: deltaOf(now.unique_users, before.unique_users),
      total_sessions: deltaOf(now.total_sessions, before.total_sessions),
      bounce_rate: deltaOf(now.bounce_rate, before.bounce_rate, 3),
      avg_duration: deltaOf(now.avg_duration, before.avg_duration),
      visitors: deltaOf(now.visitors, before.visitors),
    };
    return {
      current_period: datesOf(current),
      previous_period: datesOf(previous),
      metrics,
      trend: trendOf(metrics.total_events),
      ...(await warningsOf(snapshot, input, {
        days: current,
        within: { fromMs: windowOf(previous).fromMs, toMs: windowOf(current).toMs },
      })),
    };
  },
};

async function measure(snapshot: Snapshot, view: View) {
  return { ...(await snapshot.totals(view)), ...(await sessionTotals(snapshot, view)) };
}

function trendOf({ change_pct: percent }: Delta): Insights["trend"] {
  if (percent === null || percent > stablePercentMax) return "growing";
  return percent < -stablePercentMax ? "declining" : "stable";
}
