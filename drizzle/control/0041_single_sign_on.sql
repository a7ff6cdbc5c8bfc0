CREATE TABLE `oidc_identity` (
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`person_id` text NOT NULL,
	`linked_at` integer NOT NULL,
	PRIMARY KEY(`issuer`, `subject`),
	FOREIGN KEY (`person_id`) REFERENCES `person`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `oidc_identity_person` ON `oidc_identity` (`person_id`);--> statement-breakpoint
ALTER TABLE `cookie_session` ADD `via` text DEFAULT 'password' NOT NULL;--> statement-breakpoint
ALTER TABLE `person` ADD `is_proven` integer DEFAULT false NOT NULL;