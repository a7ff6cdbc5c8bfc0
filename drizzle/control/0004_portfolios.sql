CREATE TABLE `ended_membership` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `portfolio` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`slug` text NOT NULL,
	`name` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `account`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `portfolio_slug` ON `portfolio` (`account_id`,`slug`);--> statement-breakpoint
CREATE TABLE `portfolio_member` (
	`id` text PRIMARY KEY NOT NULL,
	`portfolio_id` text NOT NULL,
	`project_id` text NOT NULL,
	`added_at` integer NOT NULL,
	FOREIGN KEY (`portfolio_id`) REFERENCES `portfolio`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `portfolio_member_project` ON `portfolio_member` (`project_id`);--> statement-breakpoint
CREATE INDEX `portfolio_member_portfolio` ON `portfolio_member` (`portfolio_id`);