CREATE TABLE `server_condition` (
	`kind` text PRIMARY KEY NOT NULL,
	`severity` integer NOT NULL,
	`told_severity` integer NOT NULL,
	`title` text NOT NULL,
	`sentence` text NOT NULL,
	`since` integer NOT NULL,
	`eased_at` integer
);
