-- One recording of one session of the analytics. Times are Unix ms.
create table replay (
  number        integer primary key autoincrement, -- names its file; no word of a client's ever becomes a path
  id            text    not null unique,
  account_id    text    not null,
  project_id    text    not null,
  session_id    text    not null,
  status        text    not null check (status in ('recording', 'complete', 'incomplete', 'deleting', 'deleted')),
  stop_reason   text,
  started_at    integer not null,                  -- the start call
  last_at       integer not null,                  -- receipt of the newest segment
  ended_at      integer,                           -- the largest time that an event names
  stored_bytes  integer not null default 0,
  json_bytes    integer not null default 0,        -- what the stored bytes are when they are read
  event_count   integer not null default 0,
  segment_count integer not null default 0,
  last_seq      integer not null default -1,       -- gapless when segment_count = last_seq + 1
  has_snapshot  integer not null default 0,
  is_sealed     integer not null default 0,        -- its frames are in its file
  rage_clicks   integer,
  dead_clicks   integer,
  quick_backs   integer,
  deleted_at    integer
) strict;
--> statement-breakpoint
create unique index replay_open on replay (project_id, session_id) where status = 'recording';
--> statement-breakpoint
create index replay_by_project on replay (project_id, started_at desc, id);
--> statement-breakpoint
create index replay_by_session on replay (project_id, session_id);
--> statement-breakpoint
create index replay_by_age on replay (started_at) where status in ('complete', 'incomplete');
--> statement-breakpoint
create index replay_idle on replay (last_at) where status = 'recording';
--> statement-breakpoint
create index replay_unsealed on replay (number) where status in ('complete', 'incomplete') and is_sealed = 0;
--> statement-breakpoint
create index replay_to_erase on replay (number) where status = 'deleting';
--> statement-breakpoint
create index replay_erased on replay (deleted_at) where status = 'deleted';
--> statement-breakpoint
-- With a rowid: a BLOB in a table without one is rewritten when its neighbours move.
create table segment (
  replay integer not null,                         -- replay.number
  seq    integer not null,
  bytes  integer not null,
  hash   integer not null,                         -- of what is stored: the same again is a retry, another a second tab
  place  integer,                                  -- offset in the sealed file
  frame  blob,                                     -- zstd of the cleaned events, until it is sealed
  primary key (replay, seq)
) strict;
--> statement-breakpoint
-- What happened in a sealed replay, as zstd of JSON.
create table timeline (
  replay integer primary key,
  frame  blob    not null
) strict;
--> statement-breakpoint
-- Replays that were started, which a month's limit looks at. Deleting one gives nothing back.
create table started (
  account_id text    not null,
  project_id text    not null,
  month      text    not null,
  replays    integer not null,
  primary key (account_id, project_id, month)
) strict, without rowid;
--> statement-breakpoint
-- What this file knows of itself: the installation it belongs to.
create table setting (
  name  text primary key,
  value text not null
) strict;
