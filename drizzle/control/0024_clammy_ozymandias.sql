CREATE TABLE `alert` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`name` text NOT NULL,
	`spec` text NOT NULL,
	`state` text NOT NULL,
	`since` integer NOT NULL,
	`slot` text,
	`last_evaluated_at` integer,
	`last_fired_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "alert_state" CHECK("alert"."state" in ('learning', 'ok', 'firing'))
);
--> statement-breakpoint
CREATE INDEX `alert_project` ON `alert` (`project_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `alert_episode` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`alert_id` text NOT NULL,
	`from_ms` integer NOT NULL,
	`to_ms` integer,
	`observed` real NOT NULL,
	`expected` real NOT NULL,
	FOREIGN KEY (`alert_id`) REFERENCES `alert`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `alert_episode_alert` ON `alert_episode` (`alert_id`,`id`);--> statement-breakpoint
CREATE TABLE `alert_target` (
	`alert_id` text NOT NULL,
	`target` text NOT NULL,
	`position` integer NOT NULL,
	`token_hash` text NOT NULL,
	`stopped_at` integer,
	PRIMARY KEY(`alert_id`, `target`),
	FOREIGN KEY (`alert_id`) REFERENCES `alert`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `alert_target_token` ON `alert_target` (`token_hash`);--> statement-breakpoint
CREATE TABLE `held_alert_mail` (
	`recipient` text PRIMARY KEY NOT NULL,
	`messages` integer NOT NULL
);
