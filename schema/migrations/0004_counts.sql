DROP TABLE `event_tally`;
--> statement-breakpoint
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
--> statement-breakpoint
CREATE INDEX `event_count_by_first` ON `event_count` (`tree`,`first`);
