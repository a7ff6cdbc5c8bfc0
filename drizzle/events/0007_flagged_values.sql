-- What visitors wrote is looked through once for orders to programs that read it. A segment never changes, so it is
-- looked through once; what replaces segments that were, has nothing new. Later rules set this back to 0.
alter table segment add column is_inspected integer not null default 0;
--> statement-breakpoint
create index segment_uninspected on segment (id) where is_inspected = 0 and retired_at is null;
--> statement-breakpoint
-- Up to this number the ids of users were looked through; flag_changes grows with every change of flagged_value.
alter table project add column inspected_users integer not null default 0;
--> statement-breakpoint
alter table project add column flag_changes integer not null default 0;
--> statement-breakpoint
alter table profile add column is_inspected integer not null default 0;
--> statement-breakpoint
create index profile_uninspected on profile (project_id, user) where is_inspected = 0;
--> statement-breakpoint
create table flagged_value (
  project_id integer not null,
  digest     text    not null,                          -- first 12 hexadecimal digits of its SHA-256
  field      text    not null,
  key        text    not null,                          -- of a property or trait; '' of all else
  categories integer not null,                          -- a bit each, in the order of the rules
  length     integer not null,                          -- in code points
  text       text,                                      -- null beyond a number of values: then only its digest is known
  last_time  integer,                                   -- ms, of the newest segment that had it; null of what no event has
  primary key (project_id, digest, field, key)
) strict, without rowid;
