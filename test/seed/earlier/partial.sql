CREATE TABLE d1_migrations(
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    name       TEXT UNIQUE,
    applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
);
INSERT INTO d1_migrations ("id", "name", "applied_at") VALUES (1, '0000_events.sql', '2026-11-22 12:00:00');
INSERT INTO d1_migrations ("id", "name", "applied_at") VALUES (2, '0001_changed.sql', '2026-11-22 12:00:00');
INSERT INTO d1_migrations ("id", "name", "applied_at") VALUES (3, '0002_writing.sql', '2026-11-22 12:00:00');
INSERT INTO d1_migrations ("id", "name", "applied_at") VALUES (4, '0003_loads.sql', '2026-11-22 12:00:00');
CREATE TABLE `category` (
  `id` integer PRIMARY KEY NOT NULL,
  `text` text NOT NULL,
  `folded` text NOT NULL,
  `public` integer DEFAULT 0 NOT NULL,
  `common` integer DEFAULT 0 NOT NULL,
  `private` integer DEFAULT 0 NOT NULL,
  `hidden` integer DEFAULT 0 NOT NULL
);
INSERT INTO category ("id", "text", "folded", "public", "common", "private", "hidden") VALUES (1, 'STRAẞE', 'STRAẞE', 1, 0, 0, 0);
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
INSERT INTO event_series ("id", "uuid", "name", "name_folded", "description", "observation_type_id", "statistic", "color", "access_modifier", "created", "last_modified", "event_count", "start", "end", "west", "east", "south", "north") VALUES (1, '1f3fd2e4-e4f6-564f-b861-9051626e9eb4', 'Große Wellen', 'GROßE WELLEN', 'At sea', 1, 'max', '#102030', 0, 1517968154000001, NULL, 1, 1000, 2000, 5.1, 5.1, 52.2, 52.2);
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
INSERT INTO event ("id", "event_series_id", "category_id", "value", "start", "end", "x", "y", "z", "cell", "object_model_id", "object_id") VALUES (9, 1, 1, '4.5', 1000, 2000, 5.1, 52.2, 3.3, 3950360228259096, 1, 6);
CREATE TABLE `object_model` (
  `id` integer PRIMARY KEY NOT NULL,
  `text` text NOT NULL,
  `folded` text NOT NULL,
  `public` integer DEFAULT 0 NOT NULL,
  `common` integer DEFAULT 0 NOT NULL,
  `private` integer DEFAULT 0 NOT NULL,
  `hidden` integer DEFAULT 0 NOT NULL
);
INSERT INTO object_model ("id", "text", "folded", "public", "common", "private", "hidden") VALUES (1, 'Buoy', 'BUOY', 1, 0, 0, 0);
CREATE TABLE `observation_type` (
  `id` integer PRIMARY KEY NOT NULL,
  `code` text NOT NULL,
  `name` text NOT NULL,
  `unit` text
);
INSERT INTO observation_type ("id", "code", "name", "unit") VALUES (1, 'wave', 'Wave height', 'm');
CREATE TABLE `revision` (
  `id` integer PRIMARY KEY NOT NULL,
  `revision` integer NOT NULL
, `changed` integer DEFAULT 0 NOT NULL);
INSERT INTO revision ("id", "revision", "changed") VALUES (1, 7, 1700000000000);
CREATE TABLE `idempotency_key` (
  `id` text PRIMARY KEY NOT NULL,
  `request` text NOT NULL,
  `location` text,
  `body` text NOT NULL,
  `created` integer NOT NULL
);
CREATE TABLE `sequence` (
  `name` text PRIMARY KEY NOT NULL,
  `last` integer NOT NULL
);
INSERT INTO sequence ("name", "last") VALUES ('event', 12);
CREATE TABLE `load_progress` (
  `digest` text PRIMARY KEY NOT NULL,
  `passed` integer NOT NULL
);
INSERT INTO load_progress ("digest", "passed") VALUES ('a-file', 3);
CREATE TABLE `suspended_index` (
  `name` text PRIMARY KEY NOT NULL,
  `definition` text NOT NULL
);
CREATE UNIQUE INDEX `category_text_unique` ON `category` (`text`);
CREATE INDEX `category_folded` ON `category` (`folded`);
CREATE UNIQUE INDEX `event_series_uuid_unique` ON `event_series` (`uuid`);
CREATE INDEX `event_series_name` ON `event_series` (`name`);
CREATE INDEX `event_series_name_folded` ON `event_series` (`name_folded`);
CREATE INDEX `event_by_series` ON `event` (`event_series_id`);
CREATE INDEX `event_by_series_start` ON `event` (`event_series_id`,`start`);
CREATE INDEX `event_by_category` ON `event` (`category_id`);
CREATE INDEX `event_by_start` ON `event` (`start`);
CREATE INDEX `event_by_end` ON `event` (`end`);
CREATE INDEX `event_by_duration` ON `event` (`duration`);
CREATE INDEX `event_by_object` ON `event` (`object_id`,`object_model_id`);
CREATE INDEX `event_by_object_model` ON `event` (`object_model_id`);
CREATE INDEX `event_by_cell` ON `event` (`cell`,`x`,`y`);
CREATE UNIQUE INDEX `object_model_text_unique` ON `object_model` (`text`);
CREATE INDEX `object_model_folded` ON `object_model` (`folded`);
CREATE INDEX `idempotency_key_by_created` ON `idempotency_key` (`created`);
