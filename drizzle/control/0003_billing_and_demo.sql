CREATE TABLE `billing` (
	`account_id` text PRIMARY KEY NOT NULL,
	`customer_id` text,
	`subscription_id` text,
	`former_subscription_id` text,
	`status` text NOT NULL,
	`period_ends_at` integer,
	`event_at` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `account`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "billing_status" CHECK("billing"."status" in ('none', 'active', 'past_due', 'canceled'))
);
--> statement-breakpoint
CREATE INDEX `billing_customer` ON `billing` (`customer_id`);--> statement-breakpoint
CREATE TABLE `billing_event` (
	`id` text PRIMARY KEY NOT NULL,
	`received_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `billing_event_received` ON `billing_event` (`received_at`);--> statement-breakpoint
CREATE TABLE `demo` (
	`account_id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`seeded_date` text,
	`wanted_at` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `account`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `account` ADD `is_demo` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `account_demo` ON `account` (`is_demo`) WHERE is_demo;