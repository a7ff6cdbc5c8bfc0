import { type Delta, deltaOf } from "../../domain/delta";
import { allTime, type Days, datesOf, windowOf } from "../../domain/period";
import type { Read, Snapshot } from "../../store/port";
import { setsOf } from "../../store/segment-sets";
import { sessionTotals, totals } from "../../store/totals";
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
  run(snapshot, { projectId, current, previous }) {
    const project = snapshot.project(projectId);
    const now = measure(snapshot, project, current);
    const before = measure(snapshot, project, previous);
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

function measure(snapshot: Snapshot, project: ReturnType<Snapshot["project"]>, days: Days) {
  const sets = setsOf(project, windowOf(days));
  return { ...totals(snapshot, sets), ...sessionTotals(snapshot, sets) };
}

function trendOf({ change_pct: percent }: Delta): Insights["trend"] {
  if (percent === null || percent > stablePercentMax) return "growing";
  return percent < -stablePercentMax ? "declining" : "stable";
}
