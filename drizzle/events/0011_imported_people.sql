-- The links between ids that an import stores. One that is stored is noted here for as long as no client tells the same:
-- a removal takes it back.
create table import_link (
  import_id  integer not null,
  project_id integer not null,
  user       integer not null,
  canonical  integer not null,
  primary key (import_id, user)
) strict, without rowid;
--> statement-breakpoint
create index import_link_by_user on import_link (project_id, user);
--> statement-breakpoint
-- The traits that an import stores, and those of them that no client has set since.
create table import_profile (
  import_id  integer not null,
  project_id integer not null,
  user       integer not null,
  traits     text    not null,                          -- JSON object
  is_set     integer not null default 0,                -- profiles have them
  primary key (import_id, user)
) strict, without rowid;
--> statement-breakpoint
create index import_profile_by_user on import_profile (project_id, user);
--> statement-breakpoint
-- Automated requests that another server counted.
create table import_automated_day (
  import_id      integer not null,
  project_id     integer not null,
  date           text    not null,
  category       text    not null,
  actor          text    not null,
  requests       integer not null,
  dropped_events integer not null,
  last_seen_at   integer not null,
  primary key (import_id, date, category, actor)
) strict, without rowid;
--> statement-breakpoint
create index import_automated_day_by_project on import_automated_day (project_id, date);
--> statement-breakpoint
-- All automated requests that reads count: a date, category and actor may have several rows.
create view counted_automated_day as
  select project_id, date, category, actor, requests, dropped_events, last_seen_at from automated_day
  union all
  select counted.project_id, date, category, actor, requests, dropped_events, last_seen_at
  from import_automated_day as counted join import on import.id = counted.import_id
  where import.is_stored = 1;
--> statement-breakpoint
-- A removal looks for the id that had a number before.
create index former_user_by_number on former_user (project_id, number);
