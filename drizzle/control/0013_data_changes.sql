CREATE TABLE `data_changes` (
	`id` text PRIMARY KEY NOT NULL,
	`changes` integer NOT NULL
);
--> statement-breakpoint
-- A change of a project is one of its account and of the portfolio that shows it. Where a project comes or goes, the step
-- is 2^36 (setChangeStep): the events of those that are left may have a smaller version than those of all had.
create trigger project_added after insert on project begin
  insert into data_changes (id, changes)
  select id, 1 from (select new.id as id union select new.account_id) where true
  on conflict do update set changes = changes + excluded.changes;
end;
--> statement-breakpoint
create trigger project_changed
after update of name, timezone, allowed_origins, primary_domain, deleted_at on project
when (old.name, old.timezone, old.allowed_origins, old.primary_domain, old.deleted_at)
  is not (new.name, new.timezone, new.allowed_origins, new.primary_domain, new.deleted_at)
begin
  insert into data_changes (id, changes)
  select id, iif(new.deleted_at is old.deleted_at, 1, 68719476736)
  from (
    select new.id as id
    union select new.account_id
    union select other.project_id from portfolio_member as own
      join portfolio_member as other on other.portfolio_id = own.portfolio_id
      where own.project_id = new.id
  )
  where true
  on conflict do update set changes = changes + excluded.changes;
end;
--> statement-breakpoint
create trigger member_inserted after insert on portfolio_member begin
  insert into data_changes (id, changes)
  select id, 68719476736
  from (
    select id from project where id = new.project_id
    union select project_id from portfolio_member where portfolio_id = new.portfolio_id
  )
  where true
  on conflict do update set changes = changes + excluded.changes;
end;
--> statement-breakpoint
create trigger member_deleted after delete on portfolio_member begin
  insert into data_changes (id, changes)
  select id, 68719476736
  from (
    select id from project where id = old.project_id
    union select project_id from portfolio_member where portfolio_id = old.portfolio_id
  )
  where true
  on conflict do update set changes = changes + excluded.changes;
end;
--> statement-breakpoint
create trigger project_context_inserted after insert on project_context begin
  insert into data_changes (id, changes) select id, 1 from project where id = new.project_id
  on conflict do update set changes = changes + excluded.changes;
end;
--> statement-breakpoint
create trigger project_context_updated after update on project_context begin
  insert into data_changes (id, changes) select id, 1 from project where id = new.project_id
  on conflict do update set changes = changes + excluded.changes;
end;
--> statement-breakpoint
create trigger project_context_deleted after delete on project_context begin
  insert into data_changes (id, changes) select id, 1 from project where id = old.project_id
  on conflict do update set changes = changes + excluded.changes;
end;
--> statement-breakpoint
create trigger experiment_inserted after insert on experiment begin
  insert into data_changes (id, changes) select id, 1 from project where id = new.project_id
  on conflict do update set changes = changes + excluded.changes;
end;
--> statement-breakpoint
create trigger experiment_updated after update on experiment begin
  insert into data_changes (id, changes) select id, 1 from project where id = new.project_id
  on conflict do update set changes = changes + excluded.changes;
end;
--> statement-breakpoint
create trigger experiment_deleted after delete on experiment begin
  insert into data_changes (id, changes) select id, 1 from project where id = old.project_id
  on conflict do update set changes = changes + excluded.changes;
end;
--> statement-breakpoint
-- What is removed for good leaves no counter behind.
create trigger project_removed after delete on project begin
  delete from data_changes where id = old.id;
end;
--> statement-breakpoint
create trigger account_removed after delete on account begin
  delete from data_changes where id = old.id;
end;
