import { type Delta, deltaOf } from "../../domain/delta";
import { allTime, type Days, datesOf, windowOf } from "../../domain/period";
import { sessionTotals } from "../../reads/session-totals";
import type { Read } from "../../store/port";
import type { Snapshot } from "../../store/questions";
import type { Insights } from "./schema";

interface InsightsInput {
  readonly projectId: string;
  readonly current: Days;
  readonly previous: Days;
}

/** Beyond so many percent more or fewer events, a project grows or declines. */
const stablePercentMax = 10;

/** GET /insights of the contract. */
export const insightsRead: Read<InsightsInput, Insights> = {
  name: "insights",
  scope: ({ projectId }) => ({ projectIds: [projectId], ...allTime }),
  async run(snapshot, { projectId, current, previous }) {
    const now = await measure(snapshot, projectId, current);
    const before = await measure(snapshot, projectId, previous);
    const metrics = {
      total_events: deltaOf(now.total_events, before.total_events),
      unique_users: deltaOf(now.unique_users, before.unique_users),
      total_sessions: deltaOf(now.total_sessions, before.total_sessions),
      bounce_rate: deltaOf(now.bounce_rate, before.bounce_rate, 3),
      avg_duration: deltaOf(now.avg_duration, before.avg_duration),
    };
    return {
      current_period: datesOf(current),
      previous_period: datesOf(previous),
      metrics,
      trend: trendOf(metrics.total_events),
    };
  },
};

async function measure(snapshot: Snapshot, projectId: string, days: Days) {
  const view = { projectId, ...windowOf(days) };
  return { ...(await snapshot.totals(view)), ...(await sessionTotals(snapshot, view)) };
}

function trendOf({ change_pct: percent }: Delta): Insights["trend"] {
  if (percent === null || percent > stablePercentMax) return "growing";
  return percent < -stablePercentMax ? "declining" : "stable";
}
