CREATE TABLE `daily_visitor_project` (
	`project_id` text PRIMARY KEY NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `source` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`kind` text NOT NULL,
	`key` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `source_key` ON `source` (`kind`,`key`);--> statement-breakpoint
CREATE INDEX `source_project` ON `source` (`project_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `visitor_day_key` (
	`day` integer PRIMARY KEY NOT NULL,
	`sealed_key` text NOT NULL
);
