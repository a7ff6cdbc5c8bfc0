CREATE TABLE `audit_entry` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text,
	`at` integer NOT NULL,
	`actor_kind` text NOT NULL,
	`actor_id` text,
	`actor_email` text,
	`action` text NOT NULL,
	`target_type` text NOT NULL,
	`target_id` text NOT NULL,
	`target_name` text,
	`details` text NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `account`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `audit_entry_account` ON `audit_entry` (`account_id`,`at`);--> statement-breakpoint
CREATE INDEX `audit_entry_time` ON `audit_entry` (`at`);--> statement-breakpoint
CREATE TABLE `invitation` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`email` text NOT NULL,
	`role` text NOT NULL,
	`projects` text,
	`people` integer NOT NULL,
	`token_hash` text NOT NULL,
	`invited_by` text NOT NULL,
	`mail_id` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `account`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `invitation_token` ON `invitation` (`token_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `invitation_address` ON `invitation` (`account_id`,`email`);
--> statement-breakpoint
-- What a member may see decides which data account-wide reads and journeys are made from. A version that a member has
-- seen is not seen again with other projects: the step is that of a change of the set of projects (setChangeStep).
create trigger member_reach_changed after update of projects on member
when old.projects is not new.projects
begin
  insert into data_changes (id, changes)
  select id, 68719476736
  from (
    select new.account_id as id
    union select portfolio_member.project_id from portfolio_member
      join portfolio on portfolio.id = portfolio_member.portfolio_id
      where portfolio.account_id = new.account_id
  )
  where true
  on conflict do update set changes = changes + excluded.changes;
end;
