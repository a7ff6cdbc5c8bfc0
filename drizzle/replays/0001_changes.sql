-- Of each project the number of the last change of its recordings, so that an answer can say of which data it is. Numbers
-- go up over all projects: by the largest that is known, those that were changed since are found.
create table recording_change (
  project_id text    primary key,
  number     integer not null unique
) strict;
--> statement-breakpoint
insert into recording_change (project_id, number)
select project_id, row_number() over (order by project_id) from replay group by project_id;
--> statement-breakpoint
create trigger replay_inserted after insert on replay begin
  insert into recording_change (project_id, number)
  select new.project_id, coalesce(max(number), 0) + 1 from recording_change where true
  on conflict (project_id) do update set number = excluded.number;
end;
--> statement-breakpoint
create trigger replay_updated after update on replay begin
  insert into recording_change (project_id, number)
  select new.project_id, coalesce(max(number), 0) + 1 from recording_change where true
  on conflict (project_id) do update set number = excluded.number;
end;
--> statement-breakpoint
create trigger replay_deleted after delete on replay begin
  insert into recording_change (project_id, number)
  select old.project_id, coalesce(max(number), 0) + 1 from recording_change where true
  on conflict (project_id) do update set number = excluded.number;
end;
