ALTER TABLE `event` ADD `external_id` text;
--> statement-breakpoint
CREATE UNIQUE INDEX `event_by_external_id` ON `event` (`event_series_id`,`external_id`) WHERE "external_id" IS NOT NULL;
--> statement-breakpoint
ALTER TABLE `idempotency_key` ADD `status` integer DEFAULT 201 NOT NULL;
