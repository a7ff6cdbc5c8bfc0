-- The projects that have sent something. A number is never used twice: readers cache by it.
create table project (
  id               integer primary key autoincrement,
  name             text    not null unique,             -- public id, proj_…
  retained_from_ms integer not null default 0           -- what is older is hidden at once and freed later
) strict;
--> statement-breakpoint
-- A segment is an immutable set of events of one project: a fresh one holds one commit as rows, compaction turns small
-- ones into larger ones whose events are stored column by column. Reads treat both alike.
create table segment (
  id          integer primary key autoincrement,        -- never reused: caches are keyed by it
  project_id  integer not null,
  first_time  integer not null,                         -- ms; earliest and latest event
  last_time   integer not null,
  event_count integer not null,
  byte_count  integer not null,                         -- of its columns before compression
  encoding    text    not null check (encoding in ('rows', 'columns')),
  retired_at  integer                                   -- replaced or deleted; swept when no read can still need it
) strict;
--> statement-breakpoint
create index segment_by_project on segment (project_id, last_time, first_time) where retired_at is null;
--> statement-breakpoint
create index segment_retired on segment (retired_at) where retired_at is not null;
--> statement-breakpoint
create view current_segment as select * from segment where retired_at is null;
--> statement-breakpoint
create table segment_column (
  segment_id    integer not null,
  name          text    not null,                       -- 'visit.user', 'event.name', 'property.path', … or 'rows'
  dictionary    blob,                                   -- distinct values in order of first use
  codes         blob,                                   -- one integer per visit or event
  same_codes_as text,                                   -- url and title repeat the codes of path: stored once
  unique (segment_id, name)
) strict;
--> statement-breakpoint
-- Every user id a project has seen, numbered 1, 2, 3, …
create table user (
  project_id integer not null,
  name       text    not null,
  number     integer not null,
  primary key (project_id, name)
) strict, without rowid;
--> statement-breakpoint
create unique index user_by_number on user (project_id, number);
--> statement-breakpoint
-- /identify: from now on, events of "user" are events of "canonical". An append-only log; a reader applies what it has
-- not seen yet. A number is linked at most once, to one that may be linked later: follow links to their end.
create table user_alias (
  version    integer primary key autoincrement,
  project_id integer not null,
  user       integer not null,
  canonical  integer not null,
  unique (project_id, user)
) strict;
--> statement-breakpoint
create index user_alias_by_project on user_alias (project_id, version);
--> statement-breakpoint
-- Traits of users that stand for themselves; a linked user's went to the one it is linked to.
create table profile (
  project_id integer not null,
  user       integer not null,
  traits     text    not null,                          -- JSON object
  primary key (project_id, user)
) strict, without rowid;
--> statement-breakpoint
-- Events by UTC date of receipt, without automated requests and repeats.
create table received_day (
  project_id  integer not null,
  date        text    not null,
  event_count integer not null,
  primary key (project_id, date)
) strict, without rowid;
--> statement-breakpoint
create table automated_day (
  project_id     integer not null,
  date           text    not null,
  category       text    not null,
  actor          text    not null,
  requests       integer not null,
  dropped_events integer not null,
  last_seen_at   integer not null,
  primary key (project_id, date, category, actor)
) strict, without rowid;
--> statement-breakpoint
create table setting (
  name  text primary key,
  value text not null
) strict, without rowid;
--> statement-breakpoint
-- What is left of deleted projects, removed bit by bit.
create table purged_project (
  id integer primary key
) strict;
--> statement-breakpoint
-- Idempotency: a log with the hashes of the event ids of each commit, until they are in a run.
create table accepted_key (
  id          integer primary key autoincrement,
  accepted_at integer not null,
  hashes      blob    not null
) strict;
--> statement-breakpoint
-- A run is an immutable, sorted set of older hashes (writer/keys). Merging replaces runs by larger ones.
create table key_run (
  id           integer primary key autoincrement,
  first_at     integer not null,
  last_at      integer not null,
  key_count    integer not null,
  block_bits   integer not null,                        -- it has 2^block_bits blocks, by the first bits of the hash
  filter_bytes integer not null,                        -- per block
  state        text    not null check (state in ('building', 'live', 'retired'))
) strict;
--> statement-breakpoint
create table key_block (
  id      integer primary key,                          -- run × 2^20 + number: a run lies together
  records blob not null                                 -- hash and time of acceptance, in order of the hash
) strict;
--> statement-breakpoint
create table key_filter (
  id   integer primary key,                             -- run × 2^20 + number of a stretch of 64 blocks
  bits blob not null
) strict;
