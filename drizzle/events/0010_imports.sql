-- The files that were imported. Nothing of one is seen until all of it is stored.
create table import (
  id           integer primary key autoincrement,       -- never reused: segments name it
  project_id   integer not null,
  name         text    not null unique,                 -- public id, imp_…
  content      text    not null,                        -- of which check: another one begins again
  is_stored    integer not null default 0,
  first_ticket integer not null,                        -- its events have consecutive ones
  staged       integer not null default 0               -- how far the checked segments have come
) strict;
--> statement-breakpoint
create index import_by_project on import (project_id);
--> statement-breakpoint
-- What tells a row from one that was imported before: 64 bits of its foreign id, or of all of it.
create table import_key (
  id        integer primary key autoincrement,
  import_id integer not null,
  part      integer not null,                           -- by the first bits of the hash
  hashes    blob    not null
) strict;
--> statement-breakpoint
create index import_key_by_part on import_key (import_id, part);
--> statement-breakpoint
-- What is left of removed imports, deleted bit by bit.
create table removed_import (
  id integer primary key
) strict;
--> statement-breakpoint
-- The import that stored the segment; 0 where clients sent the events. Merges keep them apart.
alter table segment add column import_id integer not null default 0;
--> statement-breakpoint
-- Of an import that is not stored yet.
alter table segment add column is_staged integer not null default 0;
--> statement-breakpoint
create index segment_by_import on segment (import_id) where import_id > 0;
--> statement-breakpoint
drop view current_segment;
--> statement-breakpoint
create view current_segment as select * from segment where retired_at is null and is_staged = 0;
--> statement-breakpoint
-- The earliest event that a client sent; null where the segments that are there tell it.
alter table project add column first_own_time integer;
--> statement-breakpoint
update project set first_own_time = (
  select min(first_time) from segment where project_id = project.id and retired_at is null
);
