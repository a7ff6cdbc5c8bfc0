import type { Snapshot } from "./port";
import { PROJECT, SCOPE, type Sets } from "./segment-sets";

/** What several reads say of a window as a whole. */

/** Visitors and events of the window. */
export const TOTALS = `
  with ${SCOPE}
  select unique_users(segments, :from, :to, '[]') as unique_users,
    event_count(segments, :from, :to, '[]') as total_events
  from scope`;

/** Sums over the sessions that started in the window; no row when there are none. */
export const SESSION_TOTALS = `
  with ${PROJECT}
  select value ->> 'sessions' as total_sessions,
    rounded((value ->> 'bounces') * 1.0 / (value ->> 'sessions'), 3) as bounce_rate,
    rounded((value ->> 'duration') * 1.0 / (value ->> 'sessions'), 0) as avg_duration,
    rounded((value ->> 'page_views') * 1.0 / (value ->> 'sessions'), 1) as pages_per_session,
    rounded((value ->> 'sessions') * 1.0 / max(1, value ->> 'users'), 1) as sessions_per_user
  from project, json_each(session_groups(segments, :from, :to, 'all'))`;

export interface Totals {
  readonly unique_users: number;
  readonly total_events: number;
}
export interface SessionTotals {
  readonly total_sessions: number;
  readonly bounce_rate: number;
  readonly avg_duration: number;
  readonly pages_per_session: number;
  readonly sessions_per_user: number;
}

export const totals = (snapshot: Snapshot, sets: Sets): Totals =>
  snapshot.row<Totals>(TOTALS, sets) ?? { unique_users: 0, total_events: 0 };

export const sessionTotals = (snapshot: Snapshot, sets: Sets): SessionTotals =>
  snapshot.row<SessionTotals>(SESSION_TOTALS, sets) ?? {
    total_sessions: 0,
    bounce_rate: 0,
    avg_duration: 0,
    pages_per_session: 0,
    sessions_per_user: 0,
  };
