-- What reads of a project show, reads of its account may show: every change of the one is a change of the other. A first
-- change counts like any other.
create trigger account_of_project_counted after insert on data_changes begin
  insert into data_changes (id, changes) select account_id, 1 from project where id = new.id
  on conflict do update set changes = changes + excluded.changes;
end;
--> statement-breakpoint
create trigger account_of_project_changed after update of changes on data_changes begin
  insert into data_changes (id, changes) select account_id, 1 from project where id = new.id
  on conflict do update set changes = changes + excluded.changes;
end;
