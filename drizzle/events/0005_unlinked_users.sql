-- What /identify told can be taken back, so a link keeps the number that it was told with. Where walks over several
-- links end is noted beside it, and holds while the project's count of unlinked ids is what it was then. A row with
-- canonical = 0 is a number that was taken back and stands for itself again.
alter table user_alias add column shortcut integer not null default 0;
--> statement-breakpoint
alter table user_alias add column shortcut_at integer not null default 0;
--> statement-breakpoint
alter table project add column unlinked integer not null default 0;
--> statement-breakpoint
-- Numbers that an id had before it was linked to yet another: their events stayed with the one that it was linked to
-- then, and come back with the id.
create table former_user (
  project_id integer not null,
  name       text    not null,
  number     integer not null,
  primary key (project_id, name, number)
) strict, without rowid;
