CREATE TABLE `erasure` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`project_id` text NOT NULL,
	`reference` text,
	`requested_by` text,
	`counts` text NOT NULL,
	`sealed_work` text,
	`requested_at` integer NOT NULL,
	`hidden_at` integer,
	`erased_at` integer,
	`backups_until` integer,
	FOREIGN KEY (`account_id`) REFERENCES `account`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `erasure_account` ON `erasure` (`account_id`,`requested_at`);--> statement-breakpoint
CREATE INDEX `erasure_running` ON `erasure` (`requested_at`) WHERE erased_at is null;