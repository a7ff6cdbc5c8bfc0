CREATE TABLE `mail_message` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`recipient` text NOT NULL,
	`sealed_letter` text,
	`state` text NOT NULL,
	`is_urgent` integer NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`error` text,
	`created_at` integer NOT NULL,
	`due_at` integer NOT NULL,
	`ended_at` integer,
	CONSTRAINT "mail_message_state" CHECK("mail_message"."state" in ('queued', 'sent', 'failed'))
);
--> statement-breakpoint
CREATE INDEX `mail_message_due` ON `mail_message` (`is_urgent`,`due_at`) WHERE state = 'queued';--> statement-breakpoint
CREATE INDEX `mail_message_ended` ON `mail_message` (`state`,`ended_at`);--> statement-breakpoint
CREATE INDEX `mail_message_created` ON `mail_message` (`created_at`);