CREATE TABLE `data_import` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`kind` text,
	`name` text,
	`state` text NOT NULL,
	`size` integer NOT NULL,
	`received` integer DEFAULT 0 NOT NULL,
	`sha256` text NOT NULL,
	`timezone` text NOT NULL,
	`overlap` text NOT NULL,
	`older` text NOT NULL,
	`report` text,
	`error` text,
	`created_at` integer NOT NULL,
	`changed_at` integer NOT NULL,
	`committed_at` integer,
	FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `data_import_project` ON `data_import` (`project_id`,`created_at`);