CREATE TABLE `access_token` (
	`hash` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `agent_session`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `access_token_session` ON `access_token` (`session_id`);--> statement-breakpoint
CREATE INDEX `access_token_expiry` ON `access_token` (`expires_at`);--> statement-breakpoint
CREATE TABLE `agent_session` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`client_type` text NOT NULL,
	`client_name` text,
	`client_instance_id` text,
	`label` text,
	`scopes` text NOT NULL,
	`refresh_hash` text,
	`created_at` integer NOT NULL,
	`last_used_at` integer NOT NULL,
	`access_expires_at` integer NOT NULL,
	`refresh_expires_at` integer NOT NULL,
	`revoked_at` integer,
	FOREIGN KEY (`account_id`) REFERENCES `account`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `agent_session_refresh` ON `agent_session` (`refresh_hash`);--> statement-breakpoint
CREATE INDEX `agent_session_account` ON `agent_session` (`account_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `agent_session_expiry` ON `agent_session` (`refresh_expires_at`);--> statement-breakpoint
CREATE TABLE `auth_request` (
	`id` text PRIMARY KEY NOT NULL,
	`mode` text NOT NULL,
	`state` text NOT NULL,
	`client_type` text NOT NULL,
	`client_name` text,
	`client_instance_id` text,
	`label` text,
	`scopes` text NOT NULL,
	`callback_url` text,
	`code_challenge` text,
	`metadata` text,
	`approval_code` text NOT NULL,
	`poll_token_hash` text NOT NULL,
	`account_id` text,
	`exchange_code_hash` text,
	`exchange_code_sealed` text,
	`wrong_codes` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `account`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "auth_request_state" CHECK("auth_request"."state" in ('pending', 'approved', 'exchanged', 'revoked'))
);
--> statement-breakpoint
CREATE INDEX `auth_request_account` ON `auth_request` (`account_id`) WHERE account_id is not null;--> statement-breakpoint
CREATE INDEX `auth_request_expiry` ON `auth_request` (`expires_at`);