DROP INDEX `event_by_external_id`;--> statement-breakpoint
CREATE UNIQUE INDEX `event_by_external_id` ON `event` (`external_id`,`event_series_id`) WHERE "external_id" IS NOT NULL;