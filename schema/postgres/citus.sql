-- Spreads the tables of tables.sql over the servers of Citus. Each server has the database and the extension citus. The
-- coordinator knows the workers:
-- SELECT citus_set_coordinator_host('HOST', 5432), citus_add_node('WORKER', 5432);

-- These commands come first. ADDRESS is such as postgres://owner@HOST/events:
-- psql -v ON_ERROR_STOP=1 -f tables.sql ADDRESS
-- npm run indexes --silent -- ADDRESS | psql ADDRESS
-- psql -v ON_ERROR_STOP=1 -f citus.sql ADDRESS

-- This one copies the rows. Then it stops, because Citus refuses the counts of grade C. The option keeps one connection
-- to each worker, and series.sql needs it too.
-- PGOPTIONS='-c citus.multi_shard_modify_mode=sequential' npm run copy -- events.ndjson.gz ADDRESS

-- These two make the role. Each of its sessions then has at most 2 connections to a worker. With 16, the role has too many
-- at 24 requests at once.
-- psql -v ON_ERROR_STOP=1 -f reader.sql ADDRESS
-- psql -c 'ALTER ROLE events_reader IN DATABASE events SET citus.max_adaptive_executor_pool_size = 2' ADDRESS

BEGIN;
SET LOCAL client_min_messages = warning;
SET LOCAL citus.multi_shard_modify_mode = sequential;
-- The key must contain the column that spreads the rows. Citus does not test that an id is unique over all series.
ALTER TABLE event DROP CONSTRAINT event_pkey, ADD PRIMARY KEY (id, event_series_id);
-- Each server has all rows of these two.
SELECT create_reference_table('observation_type');
SELECT create_reference_table('event_series');
SELECT create_distributed_table('event', 'event_series_id');
COMMIT;
