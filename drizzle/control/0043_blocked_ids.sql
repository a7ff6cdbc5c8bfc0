CREATE TABLE `blocked_id` (
	`project_id` text NOT NULL,
	`digest` text NOT NULL,
	`erasure_id` text NOT NULL,
	PRIMARY KEY(`project_id`, `digest`),
	FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `blocked_id_erasure` ON `blocked_id` (`erasure_id`);--> statement-breakpoint
ALTER TABLE `erasure` ADD `blocks` integer DEFAULT false NOT NULL;