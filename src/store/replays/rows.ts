import { sessionReplaysMax } from "../../domain/replay/limits";
import {
  isPlayable,
  type ReplayStatus,
  type ReplaySummary,
  type StopReason,
} from "../../domain/replay/summary";
import type { SessionReplays } from "../replay-port";

export interface SummaryRow {
  readonly number: number;
  readonly id: string;
  readonly account_id: string;
  readonly project_id: string;
  readonly session_id: string;
  readonly status: ReplayStatus;
  readonly stop_reason: StopReason | null;
  readonly started_at: number;
  readonly last_at: number;
  readonly ended_at: number | null;
  readonly stored_bytes: number;
  readonly event_count: number;
  readonly has_snapshot: number;
  readonly is_sealed: number;
  readonly rage_clicks: number | null;
  readonly dead_clicks: number | null;
  readonly quick_backs: number | null;
}

/** A replay as everybody sees it. */
export const summaryOf = (row: SummaryRow): ReplaySummary => ({
  id: row.id,
  project_id: row.project_id,
  analytics_session_id: row.session_id,
  status: row.status,
  started_at: row.started_at,
  ended_at: row.status === "recording" ? null : (row.ended_at ?? row.last_at),
  last_event_at: row.ended_at ?? row.last_at,
  committed_bytes: row.stored_bytes,
  event_count: row.event_count,
  has_full_snapshot: row.has_snapshot === 1,
  stop_reason: row.stop_reason,
  rage_clicks: row.rage_clicks,
  dead_clicks: row.dead_clicks,
  quick_backs: row.quick_backs,
});

/** Newest first, of each session not more than are shown. */
export function bySession(replays: readonly ReplaySummary[]): ReadonlyMap<string, SessionReplays> {
  const found = new Map<string, { playable: number; newest: ReplaySummary[] }>();
  for (const replay of replays) {
    const key = replay.analytics_session_id;
    const own = found.get(key) ?? { playable: 0, newest: [] };
    if (isPlayable(replay)) own.playable++;
    if (own.newest.length < sessionReplaysMax) own.newest.push(replay);
    found.set(key, own);
  }
  return found;
}
