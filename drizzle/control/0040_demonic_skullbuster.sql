CREATE TABLE `budget` (
	`project_id` text PRIMARY KEY NOT NULL,
	`events_per_month` integer,
	`bytes` integer,
	`when_over` text NOT NULL,
	`told_month` text,
	`told_events_percent` integer DEFAULT 0 NOT NULL,
	`told_bytes_percent` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON UPDATE no action ON DELETE cascade
);
