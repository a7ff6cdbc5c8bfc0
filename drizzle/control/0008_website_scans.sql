CREATE TABLE `website_scan` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text,
	`project_id` text,
	`status` text NOT NULL,
	`mode` text NOT NULL,
	`normalized_url` text NOT NULL,
	`hostname` text NOT NULL,
	`resume_hash` text,
	`preview` text,
	`result` text,
	`snippet` text,
	`created_at` integer NOT NULL,
	`full_at` integer,
	FOREIGN KEY (`account_id`) REFERENCES `account`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON UPDATE no action ON DELETE set null,
	CONSTRAINT "website_scan_status" CHECK("website_scan"."status" in ('pending', 'running', 'succeeded', 'failed')),
	CONSTRAINT "website_scan_mode" CHECK("website_scan"."mode" in ('anonymous_preview', 'authenticated_preview', 'full'))
);
--> statement-breakpoint
CREATE INDEX `website_scan_host` ON `website_scan` (`hostname`,`created_at`);--> statement-breakpoint
CREATE INDEX `website_scan_account` ON `website_scan` (`account_id`,`full_at`);--> statement-breakpoint
CREATE INDEX `website_scan_created` ON `website_scan` (`created_at`);--> statement-breakpoint
CREATE INDEX `website_scan_unfinished` ON `website_scan` (`status`) WHERE status in ('pending', 'running');