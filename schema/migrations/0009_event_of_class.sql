CREATE INDEX `event_of_class` ON `event` (`duration_class`,`start`,`end`,`event_series_id`,`category_id`,`object_model_id`,`object_id`,`x`,`y`);
