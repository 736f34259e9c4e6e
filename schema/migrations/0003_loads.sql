CREATE TABLE `load_progress` (
	`digest` text PRIMARY KEY NOT NULL,
	`passed` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `suspended_index` (
	`name` text PRIMARY KEY NOT NULL,
	`definition` text NOT NULL
);
