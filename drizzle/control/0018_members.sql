CREATE TABLE `member` (
	`account_id` text NOT NULL,
	`person_id` text NOT NULL,
	`role` text NOT NULL,
	`projects` text,
	`people` integer NOT NULL,
	`joined_at` integer NOT NULL,
	PRIMARY KEY(`account_id`, `person_id`),
	FOREIGN KEY (`account_id`) REFERENCES `account`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`person_id`) REFERENCES `person`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "member_role" CHECK("member"."role" in ('viewer', 'editor', 'admin', 'owner'))
);
--> statement-breakpoint
CREATE INDEX `member_person` ON `member` (`person_id`,`joined_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `member_owner` ON `member` (`account_id`) WHERE role = 'owner';--> statement-breakpoint
CREATE TABLE `person` (
	`id` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`password_hash` text NOT NULL,
	`is_admin` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `person_email` ON `person` (`email`);--> statement-breakpoint
-- Every account so far is one person, its owner, whose id is made of that of the account. Deleted accounts, and that of
-- the demo, have nobody.
INSERT INTO `person` (`id`, `email`, `password_hash`, `is_admin`, `created_at`)
SELECT 'usr_' || substr(`id`, 5), `email`, `password_hash`, `is_admin`, `created_at`
FROM `account` WHERE `deleted_at` IS NULL AND NOT `is_demo`;--> statement-breakpoint
INSERT INTO `member` (`account_id`, `person_id`, `role`, `projects`, `people`, `joined_at`)
SELECT `id`, 'usr_' || substr(`id`, 5), 'owner', NULL, 1, `created_at`
FROM `account` WHERE `deleted_at` IS NULL AND NOT `is_demo`;--> statement-breakpoint
CREATE TABLE `__new_api_key` (
	`account_id` text NOT NULL,
	`person_id` text NOT NULL,
	`hash` text NOT NULL,
	`prefix` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	PRIMARY KEY(`account_id`, `person_id`),
	FOREIGN KEY (`account_id`,`person_id`) REFERENCES `member`(`account_id`,`person_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `__new_api_key`("account_id", "person_id", "hash", "prefix", "created_at", "last_used_at") SELECT "account_id", "person_id", "hash", "prefix", "created_at", "last_used_at" FROM `api_key` JOIN `member` USING ("account_id");--> statement-breakpoint
DROP TABLE `api_key`;--> statement-breakpoint
ALTER TABLE `__new_api_key` RENAME TO `api_key`;--> statement-breakpoint
CREATE UNIQUE INDEX `api_key_hash` ON `api_key` (`hash`);--> statement-breakpoint
CREATE TABLE `__new_cookie_session` (
	`hash` text PRIMARY KEY NOT NULL,
	`person_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`label` text,
	`network` text,
	FOREIGN KEY (`person_id`) REFERENCES `person`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `__new_cookie_session`("hash", "person_id", "created_at", "expires_at", "label", "network") SELECT "hash", "person_id", "created_at", "expires_at", "label", "network" FROM `cookie_session` JOIN `member` USING ("account_id");--> statement-breakpoint
DROP TABLE `cookie_session`;--> statement-breakpoint
ALTER TABLE `__new_cookie_session` RENAME TO `cookie_session`;--> statement-breakpoint
CREATE INDEX `cookie_session_person` ON `cookie_session` (`person_id`);--> statement-breakpoint
CREATE INDEX `cookie_session_expiry` ON `cookie_session` (`expires_at`);--> statement-breakpoint
DROP INDEX `account_email`;--> statement-breakpoint
ALTER TABLE `account` ADD `name` text;--> statement-breakpoint
ALTER TABLE `account` DROP COLUMN `email`;--> statement-breakpoint
ALTER TABLE `account` DROP COLUMN `password_hash`;--> statement-breakpoint
ALTER TABLE `account` DROP COLUMN `is_admin`;--> statement-breakpoint
CREATE TABLE `__new_agent_session` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`person_id` text,
	`client_type` text NOT NULL,
	`client_name` text,
	`client_instance_id` text,
	`label` text,
	`scopes` text NOT NULL,
	`oauth_client_id` text,
	`resource` text,
	`refresh_hash` text,
	`created_at` integer NOT NULL,
	`last_used_at` integer NOT NULL,
	`access_expires_at` integer NOT NULL,
	`refresh_expires_at` integer NOT NULL,
	`revoked_at` integer,
	FOREIGN KEY (`account_id`) REFERENCES `account`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`account_id`,`person_id`) REFERENCES `member`(`account_id`,`person_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `__new_agent_session`("id", "account_id", "person_id", "client_type", "client_name", "client_instance_id", "label", "scopes", "oauth_client_id", "resource", "refresh_hash", "created_at", "last_used_at", "access_expires_at", "refresh_expires_at", "revoked_at") SELECT "id", "account_id", "person_id", "client_type", "client_name", "client_instance_id", "label", "scopes", "oauth_client_id", "resource", "refresh_hash", "created_at", "last_used_at", "access_expires_at", "refresh_expires_at", "revoked_at" FROM `agent_session` LEFT JOIN `member` USING ("account_id");--> statement-breakpoint
DROP TABLE `agent_session`;--> statement-breakpoint
ALTER TABLE `__new_agent_session` RENAME TO `agent_session`;--> statement-breakpoint
CREATE UNIQUE INDEX `agent_session_refresh` ON `agent_session` (`refresh_hash`);--> statement-breakpoint
CREATE INDEX `agent_session_account` ON `agent_session` (`account_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `agent_session_expiry` ON `agent_session` (`refresh_expires_at`);--> statement-breakpoint
CREATE TABLE `__new_auth_request` (
	`id` text PRIMARY KEY NOT NULL,
	`mode` text NOT NULL,
	`state` text NOT NULL,
	`client_type` text NOT NULL,
	`client_name` text,
	`client_instance_id` text,
	`label` text,
	`scopes` text NOT NULL,
	`oauth_client_id` text,
	`resource` text,
	`callback_url` text,
	`code_challenge` text,
	`metadata` text,
	`oauth_state` text,
	`offered_scopes` text,
	`approval_code` text NOT NULL,
	`poll_token_hash` text NOT NULL,
	`account_id` text,
	`person_id` text,
	`exchange_code_hash` text,
	`exchange_code_sealed` text,
	`wrong_codes` integer DEFAULT 0 NOT NULL,
	`session_id` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `account`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`account_id`,`person_id`) REFERENCES `member`(`account_id`,`person_id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "auth_request_state" CHECK("__new_auth_request"."state" in ('pending', 'approved', 'exchanged', 'revoked'))
);
--> statement-breakpoint
INSERT INTO `__new_auth_request`("id", "mode", "state", "client_type", "client_name", "client_instance_id", "label", "scopes", "oauth_client_id", "resource", "callback_url", "code_challenge", "metadata", "oauth_state", "offered_scopes", "approval_code", "poll_token_hash", "account_id", "person_id", "exchange_code_hash", "exchange_code_sealed", "wrong_codes", "session_id", "created_at", "expires_at") SELECT "id", "mode", "state", "client_type", "client_name", "client_instance_id", "label", "scopes", "oauth_client_id", "resource", "callback_url", "code_challenge", "metadata", "oauth_state", "offered_scopes", "approval_code", "poll_token_hash", "account_id", "person_id", "exchange_code_hash", "exchange_code_sealed", "wrong_codes", "session_id", "created_at", "expires_at" FROM `auth_request` LEFT JOIN `member` USING ("account_id");--> statement-breakpoint
DROP TABLE `auth_request`;--> statement-breakpoint
ALTER TABLE `__new_auth_request` RENAME TO `auth_request`;--> statement-breakpoint
CREATE INDEX `auth_request_account` ON `auth_request` (`account_id`) WHERE account_id is not null;--> statement-breakpoint
CREATE INDEX `auth_request_expiry` ON `auth_request` (`expires_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `auth_request_code` ON `auth_request` (`exchange_code_hash`) WHERE exchange_code_hash is not null;