ALTER TABLE `event` ADD `last_modified` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
INSERT INTO `sequence` (`name`, `last`) SELECT 'event_modified', 1000 * `changed` FROM `revision` WHERE `changed` > 0;
--> statement-breakpoint
UPDATE `event` SET `last_modified` = coalesce((SELECT `last` FROM `sequence` WHERE `name` = 'event_modified'), 0);
--> statement-breakpoint
CREATE INDEX `event_by_last_modified` ON `event` (`last_modified`);
