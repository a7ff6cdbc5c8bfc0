DROP INDEX `audit_entry_account`;--> statement-breakpoint
ALTER TABLE `audit_entry` ADD `network` text;--> statement-breakpoint
CREATE INDEX `audit_entry_newest` ON `audit_entry` (`account_id`,`at`,`id`);--> statement-breakpoint
CREATE INDEX `audit_entry_action` ON `audit_entry` (`account_id`,`action`,`at`,`id`);