import type { ReplaySort } from "../../domain/replay/summary";

/** What the keeper of recordings asks, one statement each. */

const columns = `
  number, id, account_id, project_id, session_id, status, stop_reason, started_at, last_at, ended_at,
  stored_bytes, event_count, has_snapshot, is_sealed, rage_clicks, dead_clicks, quick_backs`;

export const BY_ID = `select ${columns} from replay where id = :id`;
/** No row: nothing was ever recorded of it. */
export const LAST_CHANGE = `select number from recording_change where project_id = :project`;
export const BY_NUMBER = `select ${columns} from replay where number = :number`;

/** What a list may be sorted by: a replay that has no such number yet comes last. */
const ranks: Readonly<Record<ReplaySort, string>> = {
  started_at: "started_at",
  duration: "coalesce(ended_at, started_at) - started_at",
  rage_clicks: "coalesce(rage_clicks, -1)",
  dead_clicks: "coalesce(dead_clicks, -1)",
  quick_backs: "coalesce(quick_backs, -1)",
};

/** Replays of a project from below a place, highest rank first, then newest. */
const listBy = (rank: string): string => `
  select ${columns}, ${rank} as rank
  from replay
  where project_id = :project and started_at >= :from and started_at < :before
    and (:session is null or session_id = :session)
    and iif(:status is null, status not in ('deleting', 'deleted'), status = :status)
    and coalesce(rage_clicks, 0) >= :rage_clicks
    and coalesce(dead_clicks, 0) >= :dead_clicks
    and coalesce(quick_backs, 0) >= :quick_backs
    and (:rank is null or (${rank}, started_at, id) < (:rank, :started, :id))
  order by ${rank} desc, started_at desc, id desc
  limit :limit`;

export const LISTS: Readonly<Record<ReplaySort, string>> = {
  started_at: listBy(ranks.started_at),
  duration: listBy(ranks.duration),
  rage_clicks: listBy(ranks.rage_clicks),
  dead_clicks: listBy(ranks.dead_clicks),
  quick_backs: listBy(ranks.quick_backs),
};

/** Selects the replays of the sessions in a JSON list, newest first. */
export const OF_SESSIONS = `
  select ${columns} from replay
  where project_id = :project and session_id in (select value from json_each(:sessions))
    and status not in ('deleting', 'deleted')
  order by started_at desc, id desc`;

export const USAGE = `
  select
    coalesce(sum(replays) filter (where project_id = :project), 0) as project, coalesce(sum(replays), 0) as account
  from started where account_id = :account and month = :month`;

export const BYTES = `
  select
    coalesce(sum(stored_bytes) filter (where project_id = :project), 0) as project,
    coalesce(sum(stored_bytes), 0) as account
  from replay where account_id = :account and status <> 'deleted'`;

export const PROJECTS = `
  select project_id as id, max(status = 'recording') as isRecording
  from replay where status not in ('deleting', 'deleted')
  group by project_id`;

export const SEGMENTS = `
  select seq, bytes, hash, place, frame from segment where replay = :number and seq > :after order by seq limit :limit`;

export const TIMELINE = `select frame from timeline where replay = :number`;
