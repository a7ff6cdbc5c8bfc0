CREATE TABLE `goal` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`event` text,
	`page` text,
	`filters` text NOT NULL,
	`value` text,
	`once_per` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `goal_name` ON `goal` (`project_id`,`name_key`);--> statement-breakpoint
CREATE INDEX `goal_project` ON `goal` (`project_id`,`created_at`);--> statement-breakpoint
ALTER TABLE `experiment` ADD `goal` text;
--> statement-breakpoint
-- What a goal counts is part of the answers that name it.
create trigger goal_inserted after insert on goal begin
  insert into data_changes (id, changes) select id, 1 from project where id = new.project_id
  on conflict do update set changes = changes + excluded.changes;
end;
--> statement-breakpoint
create trigger goal_updated after update on goal begin
  insert into data_changes (id, changes) select id, 1 from project where id = new.project_id
  on conflict do update set changes = changes + excluded.changes;
end;
--> statement-breakpoint
create trigger goal_deleted after delete on goal begin
  insert into data_changes (id, changes) select id, 1 from project where id = old.project_id
  on conflict do update set changes = changes + excluded.changes;
end;
