/** What the writer of recordings does, one statement each. */

export const OPEN_OF_SESSION = `
  select number, id, account_id, status, started_at, last_at, stored_bytes, json_bytes, segment_count, last_seq
  from replay
  where project_id = :project and session_id = :session and status = 'recording'`;

export const REPLAY_BY_ID = `
  select number, id, account_id, status, started_at, last_at, stored_bytes, json_bytes, segment_count, last_seq
  from replay
  where id = :id`;

export const INSERT_REPLAY = `
  insert into replay (id, account_id, project_id, session_id, status, started_at, last_at)
  values (:id, :account, :project, :session, 'recording', :now, :now)`;

export const COUNT_START = `
  insert into started (account_id, project_id, month, replays) values (:account, :project, :month, 1)
  on conflict do update set replays = replays + 1`;

/** Counts the replays of an account in a month, with those that were deleted since. */
export const STARTED_IN_MONTH = `
  select coalesce(sum(replays), 0) as started from started where account_id = :account and month = :month`;

export const STORED_BYTES_OF = `
  select coalesce(sum(stored_bytes), 0) as bytes from replay where account_id = :account and status <> 'deleted'`;

/** Sums the bytes of replays that no job has marked yet. */
export const STORED_BYTES = `
  select coalesce(sum(stored_bytes), 0) as bytes from replay where status not in ('deleting', 'deleted')`;

export const SEGMENT_HASH = `
  select hash from segment where replay = :number and seq = :seq`;

export const INSERT_SEGMENT = `
  insert into segment (replay, seq, bytes, hash, frame) values (:number, :seq, :bytes, :hash, :frame)`;

export const COUNT_SEGMENT = `
  update replay set
    stored_bytes = stored_bytes + :bytes,
    json_bytes = json_bytes + :json,
    event_count = event_count + :events,
    segment_count = segment_count + 1,
    last_seq = max(last_seq, :seq),
    last_at = max(last_at, :now),
    ended_at = iif(:last is null, ended_at, max(coalesce(ended_at, 0), :last)),
    has_snapshot = max(has_snapshot, :snapshot)
  where number = :number`;

/**
 * Ends a recording. One without segments is deleted; one that ended by inactivity is incomplete, as its last segment
 * may be missing.
 */
const closing = (reason: string): string => `
  update replay set
    status = case
      when segment_count = 0 then 'deleting'
      when ${reason} is 'inactivity' or segment_count <> last_seq + 1 then 'incomplete'
      else 'complete' end,
    stop_reason = iif(segment_count = 0, 'empty', ${reason})
  where status = 'recording'`;

export const CLOSE = `${closing(":reason")} and number = :number returning status`;
export const CLOSE_PROJECT = `${closing("'disabled'")} and project_id = :project`;
export const CLOSE_IDLE = `${closing("'inactivity'")} and last_at <= :before`;
export const CLOSE_LONG = `${closing("'max_duration'")} and started_at <= :before`;

/** When all that is stored is still being recorded. */
export const CLOSE_LARGEST = `${closing("'quota'")} and number = (
  select number from replay where status = 'recording' order by stored_bytes desc limit 1)`;

/** Marks replays of a project: one by its id, those of a session, or all. */
export const REMOVE = `
  update replay set status = 'deleting'
  where project_id = :project and status in ('recording', 'complete', 'incomplete')
    and (:id is null or id = :id) and (:session is null or session_id = :session)`;

export const FORGET_OLD = `
  update replay set status = 'deleting'
  where project_id = :project and started_at < :before and status in ('recording', 'complete', 'incomplete')`;

/** Makes room: what was started first goes first. */
export const EVICT_OLDEST = `
  update replay set status = 'deleting'
  where number = (
    select number from replay where status in ('complete', 'incomplete') order by started_at, number limit 1)
  returning stored_bytes as bytes`;

export const TO_SEAL = `
  select number from replay where status in ('complete', 'incomplete') and is_sealed = 0 order by number limit :limit`;

export const TO_ERASE = `
  select number from replay where status = 'deleting' order by number limit :limit`;

export const SEALED_NUMBERS = `
  select number from replay where is_sealed = 1 order by number limit :limit`;

export const MARK_SEALED = `
  update replay set
    is_sealed = 1, rage_clicks = :rage_clicks, dead_clicks = :dead_clicks, quick_backs = :quick_backs
  where number = :number and is_sealed = 0 and status in ('complete', 'incomplete')`;

export const IS_SEALED = `
  select is_sealed from replay where number = :number`;

export const PLACE_SEGMENT = `
  update segment set frame = null, place = :at where replay = :number and seq = :seq`;

export const INSERT_TIMELINE = `
  insert or replace into timeline (replay, frame) values (:number, :timeline)`;

export const MARK_ERASED = `
  update replay set status = 'deleted', deleted_at = :now, is_sealed = 0
  where number = :number and status = 'deleting'`;

/** Its file is gone: what is left of it is erased as if somebody had deleted it. */
export const MARK_LOST = `
  update replay set status = 'deleting' where number = :number and status in ('complete', 'incomplete')`;

export const ERASE_SEGMENTS = `
  delete from segment where replay = :number`;

export const ERASE_TIMELINE = `
  delete from timeline where replay = :number`;

export const FORGET_SUMMARIES = `
  delete from replay where status = 'deleted' and deleted_at < :before`;

/** Projects whose recordings were changed since a change, in the order of their last one. */
export const CHANGED_SINCE = `
  select project_id, number from recording_change where number > :number order by number`;

/** Tries whether a disk that was full takes writes again. */
export const INSERT_PROBE = `
  insert or replace into setting (name, value) values ('probe', :value)`;

export const DELETE_PROBE = `
  delete from setting where name = 'probe'`;

export const FREE_PAGES = `
  select freelist_count as pages from pragma_freelist_count`;
