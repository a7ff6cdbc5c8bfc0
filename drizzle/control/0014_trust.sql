ALTER TABLE `project` ADD `trust` text;--> statement-breakpoint
-- Answers about the project, its account and the portfolio that shows it show other texts from then on.
create trigger project_trust_changed after update of trust on project
when old.trust is not new.trust
begin
  insert into data_changes (id, changes)
  select id, 1
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
