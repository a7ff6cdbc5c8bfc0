CREATE TABLE `oauth_client` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text,
	`redirect_uris` text NOT NULL,
	`created_at` integer NOT NULL,
	`approved_at` integer,
	`last_used_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `oauth_client_used` ON `oauth_client` (`last_used_at`);--> statement-breakpoint
CREATE INDEX `oauth_client_approved` ON `oauth_client` (`approved_at`,`created_at`);--> statement-breakpoint
CREATE TABLE `spent_refresh_token` (
	`hash` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`spent_at` integer NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `agent_session`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `spent_refresh_token_session` ON `spent_refresh_token` (`session_id`);--> statement-breakpoint
ALTER TABLE `agent_session` ADD `oauth_client_id` text;--> statement-breakpoint
ALTER TABLE `agent_session` ADD `resource` text;--> statement-breakpoint
ALTER TABLE `auth_request` ADD `oauth_client_id` text;--> statement-breakpoint
ALTER TABLE `auth_request` ADD `resource` text;--> statement-breakpoint
ALTER TABLE `auth_request` ADD `oauth_state` text;--> statement-breakpoint
ALTER TABLE `auth_request` ADD `offered_scopes` text;--> statement-breakpoint
ALTER TABLE `auth_request` ADD `session_id` text;--> statement-breakpoint
CREATE UNIQUE INDEX `auth_request_code` ON `auth_request` (`exchange_code_hash`) WHERE exchange_code_hash is not null;