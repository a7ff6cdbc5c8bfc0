ALTER TABLE `data_import` ADD `first_event_at` integer;--> statement-breakpoint
ALTER TABLE `data_import` ADD `context_at` integer;