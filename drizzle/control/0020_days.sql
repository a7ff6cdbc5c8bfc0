CREATE TABLE `day_date` (
	`project_id` text NOT NULL,
	`is_retention` integer NOT NULL,
	`day` integer NOT NULL,
	`day_import_id` integer NOT NULL,
	PRIMARY KEY(`project_id`, `is_retention`, `day`),
	FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`day_import_id`) REFERENCES `day_import`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `day_date_import` ON `day_date` (`day_import_id`);--> statement-breakpoint
CREATE TABLE `day_import` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` text NOT NULL,
	`import_id` text,
	`kind` text NOT NULL,
	`part` text DEFAULT '' NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `day_import_project` ON `day_import` (`project_id`);--> statement-breakpoint
CREATE INDEX `day_import_name` ON `day_import` (`import_id`);--> statement-breakpoint
CREATE TABLE `day_sums` (
	`day_import_id` integer NOT NULL,
	`day` integer NOT NULL,
	`dimension` text NOT NULL,
	`sums` text NOT NULL,
	PRIMARY KEY(`day_import_id`, `dimension`, `day`),
	FOREIGN KEY (`day_import_id`) REFERENCES `day_import`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `folding` (
	`project_id` text PRIMARY KEY NOT NULL,
	`is_on` integer DEFAULT true NOT NULL,
	`first_deleted_at` integer,
	FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
-- What is shown of days changes with their dates.
create trigger day_date_added after insert on day_date begin
  insert into data_changes (id, changes) select id, 1 from project where id = new.project_id
  on conflict do update set changes = changes + excluded.changes;
end;
--> statement-breakpoint
create trigger day_date_removed after delete on day_date begin
  insert into data_changes (id, changes) select id, 1 from project where id = old.project_id
  on conflict do update set changes = changes + excluded.changes;
end;
