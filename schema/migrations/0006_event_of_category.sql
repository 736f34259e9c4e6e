CREATE INDEX `event_of_category` ON `event` (`category_id`,`start`,`end`,`event_series_id`,`object_model_id`,`object_id`,`x`,`y`);
