CREATE TABLE `feedback` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`message` text NOT NULL,
	`project` text,
	`command` text,
	`context` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `account`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `feedback_time` ON `feedback` (`created_at`);--> statement-breakpoint
CREATE INDEX `feedback_account` ON `feedback` (`account_id`);--> statement-breakpoint
CREATE TABLE `portfolio_context` (
	`account_id` text PRIMARY KEY NOT NULL,
	`context` text NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `account`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `project_context` (
	`project_id` text PRIMARY KEY NOT NULL,
	`context` text NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
DROP INDEX `account_email`;--> statement-breakpoint
ALTER TABLE `account` ADD `lost_pro_at` integer;--> statement-breakpoint
ALTER TABLE `account` ADD `deleted_at` integer;--> statement-breakpoint
CREATE INDEX `account_deleted` ON `account` (`deleted_at`) WHERE deleted_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `account_email` ON `account` (`email`) WHERE deleted_at is null;--> statement-breakpoint
ALTER TABLE `cookie_session` ADD `label` text;