import { averageDuration, bounceRate } from "../domain/session";
import { roundTo } from "../lib/round";
import type { Snapshot, View } from "../store/questions";

/** The sessions that started in a window, as several reads show them; zeros where there are none. */
export interface SessionTotals {
  /** Their distinct users. */
  readonly visitors: number;
  readonly total_sessions: number;
  readonly bounce_rate: number;
  readonly avg_duration: number;
  /** Page views, not all events, per session. */
  readonly pages_per_session: number;
  readonly sessions_per_user: number;
}

export async function sessionTotals(snapshot: Snapshot, view: View): Promise<SessionTotals> {
  const [sums] = await snapshot.sessionGroups(view, "all");
  const { sessions, bounces, duration, page_views, users } = sums ?? none;
  return {
    visitors: users,
    total_sessions: sessions,
    bounce_rate: bounceRate(bounces, sessions),
    avg_duration: averageDuration(duration, sessions),
    pages_per_session: sessions === 0 ? 0 : roundTo(page_views / sessions, 1),
    sessions_per_user: roundTo(sessions / Math.max(1, users), 1),
  };
}

const none = { sessions: 0, bounces: 0, duration: 0, page_views: 0, users: 0 };
