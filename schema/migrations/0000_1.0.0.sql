CREATE TABLE `category` (
	`id` integer PRIMARY KEY NOT NULL,
	`text` text NOT NULL,
	`folded` text NOT NULL,
	`case_folded` text DEFAULT '' NOT NULL,
	`public` integer DEFAULT 0 NOT NULL,
	`common` integer DEFAULT 0 NOT NULL,
	`private` integer DEFAULT 0 NOT NULL,
	`hidden` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `category_text_unique` ON `category` (`text`);
--> statement-breakpoint
CREATE INDEX `category_folded` ON `category` (`folded`);
--> statement-breakpoint
CREATE INDEX `category_case_folded` ON `category` (`case_folded`);
--> statement-breakpoint
CREATE TABLE `change` (
	`stamp` integer NOT NULL,
	`kind` integer NOT NULL,
	`id` integer NOT NULL,
	`series` text,
	`level` integer,
	`moved_to` integer,
	`external_id` text,
	PRIMARY KEY(`stamp`, `kind`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `event_count` (
	`tree` text NOT NULL,
	`shift` integer NOT NULL,
	`node` integer NOT NULL,
	`public` integer DEFAULT 0 NOT NULL,
	`common` integer DEFAULT 0 NOT NULL,
	`private` integer DEFAULT 0 NOT NULL,
	`hidden` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`tree`, `shift`, `node`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `followed` (
	`id` integer PRIMARY KEY NOT NULL,
	`source` text NOT NULL,
	`mark` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `idempotency_key` (
	`id` text PRIMARY KEY NOT NULL,
	`request` text NOT NULL,
	`status` integer DEFAULT 201 NOT NULL,
	`location` text,
	`body` text NOT NULL,
	`created` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `idempotency_key_by_created` ON `idempotency_key` (`created`);
--> statement-breakpoint
CREATE TABLE `load_progress` (
	`digest` text PRIMARY KEY NOT NULL,
	`passed` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `mark_rule` (
	`id` integer PRIMARY KEY NOT NULL,
	`key` text NOT NULL,
	`complete` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE `object_model` (
	`id` integer PRIMARY KEY NOT NULL,
	`text` text NOT NULL,
	`folded` text NOT NULL,
	`case_folded` text DEFAULT '' NOT NULL,
	`public` integer DEFAULT 0 NOT NULL,
	`common` integer DEFAULT 0 NOT NULL,
	`private` integer DEFAULT 0 NOT NULL,
	`hidden` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `object_model_text_unique` ON `object_model` (`text`);
--> statement-breakpoint
CREATE INDEX `object_model_folded` ON `object_model` (`folded`);
--> statement-breakpoint
CREATE INDEX `object_model_case_folded` ON `object_model` (`case_folded`);
--> statement-breakpoint
CREATE TABLE `observation_type` (
	`id` integer PRIMARY KEY NOT NULL,
	`code` text NOT NULL,
	`name` text NOT NULL,
	`unit` text
);
--> statement-breakpoint
CREATE TABLE `revision` (
	`id` integer PRIMARY KEY NOT NULL,
	`public_revision` integer DEFAULT 0 NOT NULL,
	`public_changed` integer DEFAULT 0 NOT NULL,
	`common_revision` integer DEFAULT 0 NOT NULL,
	`common_changed` integer DEFAULT 0 NOT NULL,
	`private_revision` integer DEFAULT 0 NOT NULL,
	`private_changed` integer DEFAULT 0 NOT NULL,
	`revision` integer NOT NULL,
	`changed` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE `sequence` (
	`name` text PRIMARY KEY NOT NULL,
	`last` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `suspended_index` (
	`name` text PRIMARY KEY NOT NULL,
	`definition` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `event_series` (
	`id` integer PRIMARY KEY NOT NULL,
	`uuid` text NOT NULL,
	`name` text NOT NULL,
	`name_folded` text NOT NULL,
	`name_case_folded` text DEFAULT '' NOT NULL,
	`description` text NOT NULL,
	`observation_type_id` integer NOT NULL,
	`statistic` text NOT NULL,
	`color` text NOT NULL,
	`access_modifier` integer NOT NULL,
	`created` integer NOT NULL,
	`last_modified` integer,
	`revision` integer DEFAULT 0 NOT NULL,
	`changed` integer DEFAULT 0 NOT NULL,
	`event_count` integer DEFAULT 0 NOT NULL,
	`start` integer,
	`end` integer,
	`west` real,
	`east` real,
	`south` real,
	`north` real,
	`metadata` text,
	FOREIGN KEY (`observation_type_id`) REFERENCES `observation_type`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `event_series_uuid_unique` ON `event_series` (`uuid`);
--> statement-breakpoint
CREATE INDEX `event_series_name` ON `event_series` (`name`);
--> statement-breakpoint
CREATE INDEX `event_series_name_folded` ON `event_series` (`name_folded`);
--> statement-breakpoint
CREATE INDEX `event_series_name_case_folded` ON `event_series` (`name_case_folded`);
--> statement-breakpoint
CREATE TABLE `event` (
	`id` integer PRIMARY KEY NOT NULL,
	`event_series_id` integer NOT NULL,
	`category_id` integer NOT NULL,
	`value` text NOT NULL,
	`value_number` real,
	`start` integer NOT NULL,
	`end` integer NOT NULL,
	`duration` integer GENERATED ALWAYS AS ("end" - "start") VIRTUAL,
	`x` real,
	`y` real,
	`z` real,
	`cell` integer DEFAULT -1 NOT NULL,
	`object_model_id` integer,
	`object_id` integer,
	`last_modified` integer DEFAULT 0 NOT NULL,
	`external_id` text,
	`attributes` text,
	FOREIGN KEY (`event_series_id`) REFERENCES `event_series`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`category_id`) REFERENCES `category`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`object_model_id`) REFERENCES `object_model`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `event_by_series` ON `event` (`event_series_id`);
--> statement-breakpoint
CREATE INDEX `event_by_category` ON `event` (`category_id`);
--> statement-breakpoint
CREATE INDEX `event_by_object_model` ON `event` (`object_model_id`) WHERE "object_model_id" IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `event_by_start` ON `event` (`start`);
--> statement-breakpoint
CREATE INDEX `event_by_end` ON `event` (`end`);
--> statement-breakpoint
CREATE INDEX `event_by_duration` ON `event` (`duration`);
--> statement-breakpoint
CREATE INDEX `event_by_last_modified` ON `event` (`last_modified`);
--> statement-breakpoint
CREATE INDEX `event_by_value_number` ON `event` (`value_number`,`id`,`event_series_id`) WHERE "value_number" IS NOT NULL;
--> statement-breakpoint
CREATE UNIQUE INDEX `event_by_external_id` ON `event` (`external_id`,`event_series_id`) WHERE "external_id" IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `event_of_series` ON `event` (`event_series_id`,`start`,`end`,`category_id`,`object_model_id`,`object_id`,`x`,`y`);
--> statement-breakpoint
CREATE INDEX `event_of_category` ON `event` (`category_id`,`start`,`end`,`event_series_id`,`object_model_id`,`object_id`,`x`,`y`);
--> statement-breakpoint
CREATE INDEX `event_of_object` ON `event` (`object_model_id`,`object_id`,`start`,`end`,`event_series_id`,`category_id`,`x`,`y`) WHERE "object_model_id" IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `event_of_class` ON `event` ((CASE WHEN "end" - "start" < 268435456 THEN (CASE WHEN "end" - "start" < 4194304 THEN (CASE WHEN "end" - "start" < 262144 THEN (CASE WHEN "end" - "start" < 65536 THEN 16 ELSE 18 END) ELSE (CASE WHEN "end" - "start" < 1048576 THEN 20 ELSE 22 END) END) ELSE (CASE WHEN "end" - "start" < 67108864 THEN (CASE WHEN "end" - "start" < 16777216 THEN 24 ELSE 26 END) ELSE 28 END) END) ELSE (CASE WHEN "end" - "start" < 68719476736 THEN (CASE WHEN "end" - "start" < 4294967296 THEN (CASE WHEN "end" - "start" < 1073741824 THEN 30 ELSE 32 END) ELSE (CASE WHEN "end" - "start" < 17179869184 THEN 34 ELSE 36 END) END) ELSE (CASE WHEN "end" - "start" < 1099511627776 THEN (CASE WHEN "end" - "start" < 274877906944 THEN 38 ELSE 40 END) ELSE 54 END) END) END),`start`,`end`,`event_series_id`,`category_id`,`object_model_id`,`object_id`,`x`,`y`);
--> statement-breakpoint
CREATE INDEX `event_of_cell` ON `event` (`cell`,`x`,`y`,`start`,`end`,`event_series_id`,`category_id`,`object_model_id`,`object_id`);
--> statement-breakpoint
INSERT INTO "mark_rule" ("id", "key") VALUES (1, lower(hex(randomblob(32))));
