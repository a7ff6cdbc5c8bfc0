CREATE TABLE `account` (
	`id` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`password_hash` text NOT NULL,
	`tier` text NOT NULL,
	`complimentary` integer NOT NULL,
	`is_admin` integer NOT NULL,
	`created_at` integer NOT NULL,
	CONSTRAINT "account_tier" CHECK("account"."tier" in ('free', 'pro'))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `account_email` ON `account` (`email`);--> statement-breakpoint
CREATE TABLE `account_reads` (
	`account_id` text NOT NULL,
	`month` text NOT NULL,
	`reads` integer NOT NULL,
	PRIMARY KEY(`account_id`, `month`),
	FOREIGN KEY (`account_id`) REFERENCES `account`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `api_key` (
	`account_id` text PRIMARY KEY NOT NULL,
	`hash` text NOT NULL,
	`prefix` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	FOREIGN KEY (`account_id`) REFERENCES `account`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_key_hash` ON `api_key` (`hash`);--> statement-breakpoint
CREATE TABLE `cookie_session` (
	`hash` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `account`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `cookie_session_account` ON `cookie_session` (`account_id`);--> statement-breakpoint
CREATE INDEX `cookie_session_expiry` ON `cookie_session` (`expires_at`);--> statement-breakpoint
CREATE TABLE `project` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`name` text NOT NULL,
	`token` text NOT NULL,
	`allowed_origins` text NOT NULL,
	`primary_domain` text NOT NULL,
	`source_scan_id` text,
	`replay_enabled` integer DEFAULT false NOT NULL,
	`total_reads` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`deleted_at` integer,
	FOREIGN KEY (`account_id`) REFERENCES `account`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `project_token` ON `project` (`token`);--> statement-breakpoint
CREATE UNIQUE INDEX `project_name` ON `project` (`account_id`,`name`) WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX `project_origin` ON `project` (`account_id`,`primary_domain`) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX `project_deleted` ON `project` (`deleted_at`) WHERE deleted_at is not null;--> statement-breakpoint
CREATE TABLE `project_reads` (
	`project_id` text NOT NULL,
	`date` text NOT NULL,
	`reads` integer NOT NULL,
	PRIMARY KEY(`project_id`, `date`),
	FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `setting` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
