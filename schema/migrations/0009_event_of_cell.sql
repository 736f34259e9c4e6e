DROP INDEX IF EXISTS `event_by_cell`;
--> statement-breakpoint
CREATE INDEX `event_of_cell` ON `event` (`cell`,`x`,`y`,`start`,`end`,`event_series_id`,`category_id`,`object_model_id`,`object_id`);
