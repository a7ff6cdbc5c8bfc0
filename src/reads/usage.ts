import { allTime } from "../domain/period";
import type { Read } from "../store/port";

export interface UsageInput {
  readonly projectIds: readonly string[];
  /** The first and the last date of receipt, as `YYYY-MM-DD`. */
  readonly fromDate: string;
  readonly toDate: string;
}

interface ProjectUsage {
  /** Events that are stored and not hidden by retention. */
  readonly total_events: number;
  /** Events received, by date; dates without events are left out. */
  readonly days: Readonly<Record<string, number>>;
  /** The time of the first stored event. */
  readonly first_event_at: number | null;
  readonly last_event_at: number | null;
  /** The time of the first stored event that clients sent, and no import stored. */
  readonly first_own_at: number | null;
  /** Events before this time are hidden; it is 0 until some were. */
  readonly retained_from_ms: number;
}
export type Usage = Readonly<Record<string, ProjectUsage>>;

/** Events of projects, for lists of projects and for plans: keyed by project id, in the order asked for. */
export const usageRead: Read<UsageInput, Usage> = {
  name: "usage",
  // Only counters are looked at.
  scope: () => ({ projectIds: [], ...allTime }),
  async run(snapshot, { projectIds, fromDate, toDate }) {
    const usage: Record<string, ProjectUsage> = {};
    for (const projectId of projectIds) {
      const received = await snapshot.receivedDays(projectId, fromDate, toDate);
      usage[projectId] = {
        ...(await snapshot.storedEvents(projectId)),
        days: Object.fromEntries(received.map(({ date, event_count }) => [date, event_count])),
      };
    }
    return usage;
  },
};
