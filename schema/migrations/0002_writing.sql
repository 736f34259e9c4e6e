CREATE TABLE `idempotency_key` (
	`id` text PRIMARY KEY NOT NULL,
	`request` text NOT NULL,
	`location` text,
	`body` text NOT NULL,
	`created` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `idempotency_key_by_created` ON `idempotency_key` (`created`);--> statement-breakpoint
CREATE TABLE `sequence` (
	`name` text PRIMARY KEY NOT NULL,
	`last` integer NOT NULL
);
