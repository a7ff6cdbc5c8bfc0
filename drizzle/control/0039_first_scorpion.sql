CREATE TABLE `archived_file` (
	`project_id` text NOT NULL,
	`day` integer NOT NULL,
	`number` integer NOT NULL,
	`events` integer NOT NULL,
	`bytes` integer NOT NULL,
	`sha256` text NOT NULL,
	`is_forgotten` integer NOT NULL,
	PRIMARY KEY(`project_id`, `day`, `number`),
	FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `retention` ADD `is_archiving` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `retention` ADD `is_failing` integer DEFAULT false NOT NULL;