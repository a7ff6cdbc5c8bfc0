CREATE TABLE `archive_erasure` (
	`erasure_id` text NOT NULL,
	`project_id` text NOT NULL,
	`digests` text NOT NULL,
	`at` integer NOT NULL,
	`files` text,
	PRIMARY KEY(`erasure_id`, `project_id`)
);
