CREATE TABLE `category` (
	`id` integer PRIMARY KEY NOT NULL,
	`text` text NOT NULL,
	`folded` text NOT NULL,
	`public` integer DEFAULT 0 NOT NULL,
	`common` integer DEFAULT 0 NOT NULL,
	`private` integer DEFAULT 0 NOT NULL,
	`hidden` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `category_text_unique` ON `category` (`text`);--> statement-breakpoint
CREATE INDEX `category_folded` ON `category` (`folded`);--> statement-breakpoint
CREATE TABLE `event_series` (
	`id` integer PRIMARY KEY NOT NULL,
	`uuid` text NOT NULL,
	`name` text NOT NULL,
	`name_folded` text NOT NULL,
	`description` text NOT NULL,
	`observation_type_id` integer NOT NULL,
	`statistic` text NOT NULL,
	`color` text NOT NULL,
	`access_modifier` integer NOT NULL,
	`created` integer NOT NULL,
	`last_modified` integer,
	`event_count` integer DEFAULT 0 NOT NULL,
	`start` integer,
	`end` integer,
	`west` real,
	`east` real,
	`south` real,
	`north` real,
	FOREIGN KEY (`observation_type_id`) REFERENCES `observation_type`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `event_series_uuid_unique` ON `event_series` (`uuid`);--> statement-breakpoint
CREATE INDEX `event_series_name` ON `event_series` (`name`);--> statement-breakpoint
CREATE INDEX `event_series_name_folded` ON `event_series` (`name_folded`);--> statement-breakpoint
CREATE TABLE `event_tally` (
	`tree` text NOT NULL,
	`shift` integer NOT NULL,
	`node` integer NOT NULL,
	`public` integer DEFAULT 0 NOT NULL,
	`common` integer DEFAULT 0 NOT NULL,
	`private` integer DEFAULT 0 NOT NULL,
	`hidden` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`tree`, `shift`, `node`)
);
--> statement-breakpoint
CREATE TABLE `event` (
	`id` integer PRIMARY KEY NOT NULL,
	`event_series_id` integer NOT NULL,
	`category_id` integer NOT NULL,
	`value` text NOT NULL,
	`start` integer NOT NULL,
	`end` integer NOT NULL,
	`duration` integer GENERATED ALWAYS AS ("end" - "start") VIRTUAL,
	`x` real,
	`y` real,
	`z` real,
	`cell` integer,
	`object_model_id` integer,
	`object_id` integer,
	FOREIGN KEY (`event_series_id`) REFERENCES `event_series`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`category_id`) REFERENCES `category`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`object_model_id`) REFERENCES `object_model`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `event_by_series` ON `event` (`event_series_id`);--> statement-breakpoint
CREATE INDEX `event_by_series_start` ON `event` (`event_series_id`,`start`);--> statement-breakpoint
CREATE INDEX `event_by_category` ON `event` (`category_id`);--> statement-breakpoint
CREATE INDEX `event_by_start` ON `event` (`start`);--> statement-breakpoint
CREATE INDEX `event_by_end` ON `event` (`end`);--> statement-breakpoint
CREATE INDEX `event_by_duration` ON `event` (`duration`);--> statement-breakpoint
CREATE INDEX `event_by_object` ON `event` (`object_id`,`object_model_id`);--> statement-breakpoint
CREATE INDEX `event_by_object_model` ON `event` (`object_model_id`);--> statement-breakpoint
CREATE INDEX `event_by_cell` ON `event` (`cell`,`x`,`y`);--> statement-breakpoint
CREATE TABLE `object_model` (
	`id` integer PRIMARY KEY NOT NULL,
	`text` text NOT NULL,
	`folded` text NOT NULL,
	`public` integer DEFAULT 0 NOT NULL,
	`common` integer DEFAULT 0 NOT NULL,
	`private` integer DEFAULT 0 NOT NULL,
	`hidden` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `object_model_text_unique` ON `object_model` (`text`);--> statement-breakpoint
CREATE INDEX `object_model_folded` ON `object_model` (`folded`);--> statement-breakpoint
CREATE TABLE `observation_type` (
	`id` integer PRIMARY KEY NOT NULL,
	`code` text NOT NULL,
	`name` text NOT NULL,
	`unit` text
);
--> statement-breakpoint
CREATE TABLE `revision` (
	`id` integer PRIMARY KEY NOT NULL,
	`revision` integer NOT NULL
);
