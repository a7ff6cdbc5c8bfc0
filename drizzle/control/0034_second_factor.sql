CREATE TABLE `recovery_code` (
	`person_id` text NOT NULL,
	`hash` text NOT NULL,
	PRIMARY KEY(`person_id`, `hash`),
	FOREIGN KEY (`person_id`) REFERENCES `person`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `second_factor` (
	`person_id` text PRIMARY KEY NOT NULL,
	`sealed_secret` text NOT NULL,
	`set_up_at` integer NOT NULL,
	`enabled_at` integer,
	`last_step` integer DEFAULT -1 NOT NULL,
	`failure_day` integer DEFAULT 0 NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`person_id`) REFERENCES `person`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `account` ADD `require_two_factor` integer DEFAULT false NOT NULL;