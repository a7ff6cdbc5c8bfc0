import { allTime, type Days, datesOf } from "../../domain/period";
import { sessionTotals } from "../../reads/session-totals";
import { viewOf } from "../../reads/view";
import { type Filtered, warningsOf } from "../../reads/warnings";
import type { Read } from "../../store/port";
import type { GroupBy, Stats } from "./schema";
import { statsTopEventsMax } from "./schema";

interface StatsInput extends Filtered {
  readonly days: Days;
  readonly groupBy: GroupBy;
}

/** GET /stats. Sessions are judged on all of the project's events. */
export const statsRead: Read<StatsInput, Stats> = {
  name: "stats",
  scope: ({ projectId }) => ({ projectIds: [projectId], ...allTime }),
  async run(snapshot, input) {
    const { projectId, days, groupBy, filters } = input;
    const view = viewOf(projectId, days, filters);
    const { totals, series, events } = await snapshot.overview(view, {
      ...{ days, unit: groupBy, events_max: statsTopEventsMax },
    });
    const { visitors, ...sessions } = await sessionTotals(snapshot, view);
    return {
      period: { ...datesOf(days), groupBy },
      totals: { ...totals, visitors },
      timeSeries: [...series],
      events: events.map(({ event, event_count: count, unique_users }) => ({
        event,
        count,
        unique_users,
      })),
      sessions,
      ...(await warningsOf(snapshot, input, { days })),
    };
  },
};
