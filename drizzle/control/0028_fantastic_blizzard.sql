CREATE TABLE `exclusion` (
	`project_id` text PRIMARY KEY NOT NULL,
	`rules` text NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON UPDATE no action ON DELETE cascade
);
