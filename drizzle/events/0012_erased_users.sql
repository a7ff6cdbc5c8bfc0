-- The numbers of users who were erased. Their ids are gone already; the row goes when no segment has one of their events.
create table erased_user (
  project_id integer not null,
  number     integer not null,
  primary key (project_id, number)
) strict, without rowid;
