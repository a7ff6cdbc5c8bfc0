CREATE TABLE `report` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`every` text NOT NULL,
	`hour` integer NOT NULL,
	`filters` text,
	`created_at` integer NOT NULL,
	`stopped_at` integer,
	FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `report_project` ON `report` (`project_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `report_period` (
	`report_id` text NOT NULL,
	`from_date` text NOT NULL,
	`to_date` text NOT NULL,
	`sent_at` integer NOT NULL,
	`messages` text NOT NULL,
	PRIMARY KEY(`report_id`, `from_date`),
	FOREIGN KEY (`report_id`) REFERENCES `report`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `subscription` (
	`subject` text NOT NULL,
	`project_id` text NOT NULL,
	`target` text NOT NULL,
	`position` integer NOT NULL,
	`token_hash` text NOT NULL,
	`stopped_at` integer,
	`asked_at` integer,
	`confirm_hash` text,
	`confirmed_at` integer,
	PRIMARY KEY(`subject`, `target`),
	FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `subscription_project` ON `subscription` (`project_id`);--> statement-breakpoint
CREATE INDEX `subscription_token` ON `subscription` (`token_hash`);--> statement-breakpoint
CREATE INDEX `subscription_confirm` ON `subscription` (`confirm_hash`);--> statement-breakpoint
CREATE INDEX `subscription_target` ON `subscription` (`target`);--> statement-breakpoint
-- Alerts had targets of their own before reports had the same.
INSERT INTO `subscription` (`subject`, `project_id`, `target`, `position`, `token_hash`, `stopped_at`)
SELECT `alert_id`, `alert`.`project_id`, `target`, `position`, `token_hash`, `stopped_at`
FROM `alert_target` INNER JOIN `alert` ON `alert`.`id` = `alert_id`;
