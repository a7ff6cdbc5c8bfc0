CREATE TABLE `retention` (
	`project_id` text PRIMARY KEY NOT NULL,
	`days` integer,
	`former_days` integer,
	`changed_at` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON UPDATE no action ON DELETE cascade
);
