CREATE TABLE d1_migrations(
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    name       TEXT UNIQUE,
    applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
);
INSERT INTO d1_migrations ("id", "name", "applied_at") VALUES (1, '0000_events.sql', '2026-11-22 12:00:00');
INSERT INTO d1_migrations ("id", "name", "applied_at") VALUES (2, '0001_changed.sql', '2026-11-22 12:00:00');
INSERT INTO d1_migrations ("id", "name", "applied_at") VALUES (3, '0002_writing.sql', '2026-11-22 12:00:00');
INSERT INTO d1_migrations ("id", "name", "applied_at") VALUES (4, '0003_loads.sql', '2026-11-22 12:00:00');
INSERT INTO d1_migrations ("id", "name", "applied_at") VALUES (5, '0004_counts.sql', '2026-11-22 12:00:00');
INSERT INTO d1_migrations ("id", "name", "applied_at") VALUES (6, '0005_event_of_series.sql', '2026-11-22 12:00:00');
INSERT INTO d1_migrations ("id", "name", "applied_at") VALUES (7, '0006_event_of_category.sql', '2026-11-22 12:00:00');
INSERT INTO d1_migrations ("id", "name", "applied_at") VALUES (8, '0007_event_of_object.sql', '2026-11-22 12:00:00');
INSERT INTO d1_migrations ("id", "name", "applied_at") VALUES (9, '0008_event_of_class.sql', '2026-11-22 12:00:00');
INSERT INTO d1_migrations ("id", "name", "applied_at") VALUES (10, '0009_event_of_cell.sql', '2026-11-22 12:00:00');
INSERT INTO d1_migrations ("id", "name", "applied_at") VALUES (11, '0010_count_ids.sql', '2026-11-22 12:00:00');
INSERT INTO d1_migrations ("id", "name", "applied_at") VALUES (12, '0011_count_cells.sql', '2026-11-22 12:00:00');
INSERT INTO d1_migrations ("id", "name", "applied_at") VALUES (13, '0012_count_starts.sql', '2026-11-22 12:00:00');
INSERT INTO d1_migrations ("id", "name", "applied_at") VALUES (14, '0013_count_ends.sql', '2026-11-22 12:00:00');
INSERT INTO d1_migrations ("id", "name", "applied_at") VALUES (15, '0014_event_modified.sql', '2026-11-22 12:00:00');
INSERT INTO d1_migrations ("id", "name", "applied_at") VALUES (16, '0015_external_id.sql', '2026-11-22 12:00:00');
INSERT INTO d1_migrations ("id", "name", "applied_at") VALUES (17, '0016_external_id_first.sql', '2026-11-22 12:00:00');
INSERT INTO d1_migrations ("id", "name", "applied_at") VALUES (18, '0017_case_folded.sql', '2026-11-22 12:00:00');
CREATE TABLE `category` (
  `id` integer PRIMARY KEY NOT NULL,
  `text` text NOT NULL,
  `folded` text NOT NULL,
  `public` integer DEFAULT 0 NOT NULL,
  `common` integer DEFAULT 0 NOT NULL,
  `private` integer DEFAULT 0 NOT NULL,
  `hidden` integer DEFAULT 0 NOT NULL
, `case_folded` text DEFAULT '' NOT NULL);
INSERT INTO category ("id", "text", "folded", "public", "common", "private", "hidden", "case_folded") VALUES (1, 'STRAẞE', 'STRAẞE', 1, 0, 0, 0, 'strasse');
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
  `north` real, `name_case_folded` text DEFAULT '' NOT NULL,
  FOREIGN KEY (`observation_type_id`) REFERENCES `observation_type`(`id`) ON UPDATE no action ON DELETE no action
);
INSERT INTO event_series ("id", "uuid", "name", "name_folded", "description", "observation_type_id", "statistic", "color", "access_modifier", "created", "last_modified", "event_count", "start", "end", "west", "east", "south", "north", "name_case_folded") VALUES (1, '1f3fd2e4-e4f6-564f-b861-9051626e9eb4', 'Große Wellen', 'GROßE WELLEN', 'At sea', 1, 'max', '#102030', 0, 1517968154000001, NULL, 1, 1000, 2000, 5.1, 5.1, 52.2, 52.2, 'grosse wellen');
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
  `object_id` integer, `last_modified` integer DEFAULT 0 NOT NULL, `external_id` text,
  FOREIGN KEY (`event_series_id`) REFERENCES `event_series`(`id`) ON UPDATE no action ON DELETE no action,
  FOREIGN KEY (`category_id`) REFERENCES `category`(`id`) ON UPDATE no action ON DELETE no action,
  FOREIGN KEY (`object_model_id`) REFERENCES `object_model`(`id`) ON UPDATE no action ON DELETE no action
);
INSERT INTO event ("id", "event_series_id", "category_id", "value", "start", "end", "x", "y", "z", "cell", "object_model_id", "object_id", "last_modified", "external_id") VALUES (9, 1, 1, '4.5', 1000, 2000, 5.1, 52.2, 3.3, 3950360228259096, 1, 6, 1700000000000000, NULL);
CREATE TABLE `object_model` (
  `id` integer PRIMARY KEY NOT NULL,
  `text` text NOT NULL,
  `folded` text NOT NULL,
  `public` integer DEFAULT 0 NOT NULL,
  `common` integer DEFAULT 0 NOT NULL,
  `private` integer DEFAULT 0 NOT NULL,
  `hidden` integer DEFAULT 0 NOT NULL
, `case_folded` text DEFAULT '' NOT NULL);
INSERT INTO object_model ("id", "text", "folded", "public", "common", "private", "hidden", "case_folded") VALUES (1, 'Buoy', 'BUOY', 1, 0, 0, 0, 'buoy');
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
, `status` integer DEFAULT 201 NOT NULL);
CREATE TABLE `sequence` (
  `name` text PRIMARY KEY NOT NULL,
  `last` integer NOT NULL
);
INSERT INTO sequence ("name", "last") VALUES ('event', 12);
INSERT INTO sequence ("name", "last") VALUES ('event_modified', 1700000000000000);
CREATE TABLE `load_progress` (
  `digest` text PRIMARY KEY NOT NULL,
  `passed` integer NOT NULL
);
INSERT INTO load_progress ("digest", "passed") VALUES ('a-file', 3);
CREATE TABLE `suspended_index` (
  `name` text PRIMARY KEY NOT NULL,
  `definition` text NOT NULL
);
CREATE TABLE `event_count` (
  `tree` text NOT NULL,
  `shift` integer NOT NULL,
  `node` integer NOT NULL,
  `first` integer GENERATED ALWAYS AS (node << shift) VIRTUAL,
  `public` integer DEFAULT 0 NOT NULL,
  `common` integer DEFAULT 0 NOT NULL,
  `private` integer DEFAULT 0 NOT NULL,
  `hidden` integer DEFAULT 0 NOT NULL,
  PRIMARY KEY(`tree`, `shift`, `node`)
);
INSERT INTO event_count ("tree", "shift", "node", "public", "common", "private", "hidden") VALUES ('id', 7, 0, 1, 0, 0, 0);
INSERT INTO event_count ("tree", "shift", "node", "public", "common", "private", "hidden") VALUES ('id', 11, 0, 1, 0, 0, 0);
INSERT INTO event_count ("tree", "shift", "node", "public", "common", "private", "hidden") VALUES ('id', 15, 0, 1, 0, 0, 0);
INSERT INTO event_count ("tree", "shift", "node", "public", "common", "private", "hidden") VALUES ('id', 19, 0, 1, 0, 0, 0);
INSERT INTO event_count ("tree", "shift", "node", "public", "common", "private", "hidden") VALUES ('id', 23, 0, 1, 0, 0, 0);
INSERT INTO event_count ("tree", "shift", "node", "public", "common", "private", "hidden") VALUES ('id', 27, 0, 1, 0, 0, 0);
INSERT INTO event_count ("tree", "shift", "node", "public", "common", "private", "hidden") VALUES ('id', 53, 0, 1, 0, 0, 0);
INSERT INTO event_count ("tree", "shift", "node", "public", "common", "private", "hidden") VALUES ('class', 0, 16, 1, 0, 0, 0);
INSERT INTO event_count ("tree", "shift", "node", "public", "common", "private", "hidden") VALUES ('cell', 36, 57485, 1, 0, 0, 0);
INSERT INTO event_count ("tree", "shift", "node", "public", "common", "private", "hidden") VALUES ('cell', 40, 3592, 1, 0, 0, 0);
INSERT INTO event_count ("tree", "shift", "node", "public", "common", "private", "hidden") VALUES ('cell', 44, 224, 1, 0, 0, 0);
INSERT INTO event_count ("tree", "shift", "node", "public", "common", "private", "hidden") VALUES ('cell', 48, 14, 1, 0, 0, 0);
INSERT INTO event_count ("tree", "shift", "node", "public", "common", "private", "hidden") VALUES ('start', 27, 0, 1, 0, 0, 0);
INSERT INTO event_count ("tree", "shift", "node", "public", "common", "private", "hidden") VALUES ('start', 31, 0, 1, 0, 0, 0);
INSERT INTO event_count ("tree", "shift", "node", "public", "common", "private", "hidden") VALUES ('start', 35, 0, 1, 0, 0, 0);
INSERT INTO event_count ("tree", "shift", "node", "public", "common", "private", "hidden") VALUES ('start', 39, 0, 1, 0, 0, 0);
INSERT INTO event_count ("tree", "shift", "node", "public", "common", "private", "hidden") VALUES ('end', 27, 0, 1, 0, 0, 0);
INSERT INTO event_count ("tree", "shift", "node", "public", "common", "private", "hidden") VALUES ('end', 31, 0, 1, 0, 0, 0);
INSERT INTO event_count ("tree", "shift", "node", "public", "common", "private", "hidden") VALUES ('end', 35, 0, 1, 0, 0, 0);
INSERT INTO event_count ("tree", "shift", "node", "public", "common", "private", "hidden") VALUES ('end', 39, 0, 1, 0, 0, 0);
CREATE UNIQUE INDEX `category_text_unique` ON `category` (`text`);
CREATE INDEX `category_folded` ON `category` (`folded`);
CREATE UNIQUE INDEX `event_series_uuid_unique` ON `event_series` (`uuid`);
CREATE INDEX `event_series_name` ON `event_series` (`name`);
CREATE INDEX `event_series_name_folded` ON `event_series` (`name_folded`);
CREATE INDEX `event_by_series` ON `event` (`event_series_id`);
CREATE INDEX `event_by_category` ON `event` (`category_id`);
CREATE INDEX `event_by_start` ON `event` (`start`);
CREATE INDEX `event_by_end` ON `event` (`end`);
CREATE INDEX `event_by_duration` ON `event` (`duration`);
CREATE UNIQUE INDEX `object_model_text_unique` ON `object_model` (`text`);
CREATE INDEX `object_model_folded` ON `object_model` (`folded`);
CREATE INDEX `idempotency_key_by_created` ON `idempotency_key` (`created`);
CREATE INDEX `event_count_by_first` ON `event_count` (`tree`,`first`);
CREATE INDEX `event_of_series` ON `event` (`event_series_id`,`start`,`end`,`category_id`,`object_model_id`,`object_id`,`x`,`y`);
CREATE INDEX `event_of_category` ON `event` (`category_id`,`start`,`end`,`event_series_id`,`object_model_id`,`object_id`,`x`,`y`);
CREATE INDEX `event_by_object_model` ON `event` (`object_model_id`) WHERE "object_model_id" IS NOT NULL;
CREATE INDEX `event_of_object` ON `event` (`object_model_id`,`object_id`,`start`,`end`,`event_series_id`,`category_id`,`x`,`y`) WHERE "object_model_id" IS NOT NULL;
CREATE INDEX `event_of_class` ON `event` ((CASE WHEN "end" - "start" < 65536 THEN 16 WHEN "end" - "start" < 262144 THEN 18 WHEN "end" - "start" < 1048576 THEN 20 WHEN "end" - "start" < 4194304 THEN 22 WHEN "end" - "start" < 16777216 THEN 24 WHEN "end" - "start" < 67108864 THEN 26 WHEN "end" - "start" < 268435456 THEN 28 WHEN "end" - "start" < 1073741824 THEN 30 WHEN "end" - "start" < 4294967296 THEN 32 WHEN "end" - "start" < 17179869184 THEN 34 WHEN "end" - "start" < 68719476736 THEN 36 WHEN "end" - "start" < 274877906944 THEN 38 WHEN "end" - "start" < 1099511627776 THEN 40 ELSE 54 END),`start`,`end`,`event_series_id`,`category_id`,`object_model_id`,`object_id`,`x`,`y`);
CREATE INDEX `event_of_cell` ON `event` (`cell`,`x`,`y`,`start`,`end`,`event_series_id`,`category_id`,`object_model_id`,`object_id`);
CREATE INDEX `event_by_last_modified` ON `event` (`last_modified`);
CREATE UNIQUE INDEX `event_by_external_id` ON `event` (`external_id`,`event_series_id`) WHERE "external_id" IS NOT NULL;
CREATE INDEX `category_case_folded` ON `category` (`case_folded`);
CREATE INDEX `event_series_name_case_folded` ON `event_series` (`name_case_folded`);
CREATE INDEX `object_model_case_folded` ON `object_model` (`case_folded`);
