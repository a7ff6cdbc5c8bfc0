CREATE TABLE `replay_settings` (
	`project_id` text PRIMARY KEY NOT NULL,
	`start_mode` text NOT NULL,
	`sample_rate` real NOT NULL,
	`mask_selectors` text NOT NULL,
	`block_selectors` text NOT NULL,
	`retention_days` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON UPDATE no action ON DELETE cascade
);
