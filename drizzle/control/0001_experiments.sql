CREATE TABLE `experiment` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`name` text NOT NULL,
	`variants` text NOT NULL,
	`goal_event` text NOT NULL,
	`status` text NOT NULL,
	`winner` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`completed_at` integer,
	FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "experiment_status" CHECK("experiment"."status" in ('active', 'paused', 'completed'))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `experiment_name` ON `experiment` (`project_id`,`name`);