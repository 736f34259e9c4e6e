DROP INDEX IF EXISTS `event_by_object`;
--> statement-breakpoint
DROP INDEX IF EXISTS `event_by_object_model`;
--> statement-breakpoint
CREATE INDEX `event_by_object_model` ON `event` (`object_model_id`) WHERE "object_model_id" IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `event_of_object` ON `event` (`object_model_id`,`object_id`,`start`,`end`,`event_series_id`,`category_id`,`x`,`y`) WHERE "object_model_id" IS NOT NULL;
