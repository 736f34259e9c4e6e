DROP INDEX IF EXISTS `event_by_series_start`;
--> statement-breakpoint
CREATE INDEX `event_of_series` ON `event` (`event_series_id`,`start`,`end`,`category_id`,`object_model_id`,`object_id`,`x`,`y`);
