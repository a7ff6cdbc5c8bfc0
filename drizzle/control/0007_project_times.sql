ALTER TABLE `project` ADD `timezone` text DEFAULT 'UTC' NOT NULL;--> statement-breakpoint
ALTER TABLE `project_context` ADD `updated_at` integer;--> statement-breakpoint
-- Annotations are named one by one from now on.
UPDATE `project_context` SET `context` = json_set(`context`, '$.annotations', json((
	SELECT json_group_array(json_insert(value, '$.id', 'ann_' || lower(hex(randomblob(8)))))
	FROM json_each(`context`, '$.annotations')
)));
