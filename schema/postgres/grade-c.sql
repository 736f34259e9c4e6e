-- The state and the counts of grade C: event_revision, event_count and event_cell. Triggers keep them exact.
-- `npm run indexes -- ADDRESS --grade c` puts the tables of the views in place of its variables. Run the script as their
-- owner. It needs PostgreSQL 14. Then run reader.sql again.
--
-- Writers append rows, and do not wait for each other. Only a change of an access modifier waits for writers of events.
-- A writer in REPEATABLE READ gets the error 40001 if an access modifier has changed meanwhile, and must try again.

BEGIN;
SET LOCAL client_min_messages = warning;
-- No writer comes between the triggers and the first counts.
LOCK TABLE :tables IN SHARE ROW EXCLUSIVE MODE;
-- The functions below keep this search_path: the schema of the views, and PostGIS. pg_temp is last. Otherwise a temporary
-- table could replace a table of this script.
SELECT set_config('search_path', format('%s, %I, pg_temp', :'schema', n.nspname), true)
FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'postgis';

-- A write that callers of a level see has a row for the lowest such level. Its mark is random.
CREATE TABLE IF NOT EXISTS event_revision_delta (
  id bigint GENERATED ALWAYS AS IDENTITY,
  level integer NOT NULL,
  mark bigint NOT NULL DEFAULT hashtextextended(gen_random_uuid()::text, 0)
);

-- The writes that were folded: for each access level their number, and their marks together.
CREATE TABLE IF NOT EXISTS event_revision_base (level integer PRIMARY KEY, revision bigint NOT NULL, mark bigint NOT NULL);

-- Snapshots that see the same writes have the same revision and mark, in any order of the commits.
CREATE OR REPLACE VIEW event_revision AS
SELECT b.level, b.revision + count(d.id) AS revision, b.mark # coalesce(bit_xor(d.mark), 0) AS mark
FROM event_revision_base b LEFT JOIN event_revision_delta d ON d.level <= b.level GROUP BY b.level;

-- A statement adds so many events to a series and a category in a month of UTC. Below zero, it removes them.
CREATE TABLE IF NOT EXISTS event_count_delta (
  event_series_id bigint,
  category text,
  month timestamptz,
  count bigint NOT NULL
);

-- The numbers that were folded. It has no zeros.
CREATE TABLE IF NOT EXISTS event_count_base (LIKE event_count_delta, PRIMARY KEY (event_series_id, category, month));

-- The sum of the rows of a group is its number of events.
CREATE OR REPLACE VIEW event_count AS TABLE event_count_base UNION ALL TABLE event_count_delta;

-- The events with a place of a series, in a cell of 22.5 by 11.25 degrees. Columns count from the west, rows from the south.
CREATE TABLE IF NOT EXISTS event_cell_delta (event_series_id bigint, cell integer, count bigint NOT NULL);

CREATE TABLE IF NOT EXISTS event_cell_base (LIKE event_cell_delta, PRIMARY KEY (event_series_id, cell));

CREATE OR REPLACE VIEW event_cell AS TABLE event_cell_base UNION ALL TABLE event_cell_delta;

-- The cell of a place is 16 times its column and its row. It is null without a place.
CREATE OR REPLACE FUNCTION event_cell_of(x double precision, y double precision) RETURNS integer
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN x > '-Infinity' AND x < 'Infinity' AND y > '-Infinity' AND y < 'Infinity' THEN
    (16 * least(floor(greatest((x + 180) / 360, 0) * 16), 15)
      + least(floor(greatest((y + 90) / 180, 0) * 16), 15))::integer END
$$;

-- A row for each event, series and type that a transaction writes. The kind is 0 for a type, 1 for a series and 2 for an
-- event. It is -1 for a write that changes more than its rows. A row tells about the time before the transaction: the series
-- of the event, and the level of that series. A new series has the level -1. Rows stay 90 days.
CREATE TABLE IF NOT EXISTS event_change (
  transaction bigint NOT NULL DEFAULT pg_current_xact_id()::text::bigint,
  kind smallint NOT NULL,
  id bigint NOT NULL,
  event_series_id bigint,
  level integer,
  uuid text,
  external_id text,
  written timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (transaction, kind, id)
);

-- One row. The key seals the marks of copies. Rows up to the transaction `complete` may be deleted. Another run of this script
-- makes a new key, because writes may have had no triggers.
CREATE TABLE IF NOT EXISTS event_mark (key text NOT NULL, complete bigint NOT NULL);

-- One row. Writers of events share its lock, and a change of an access modifier writes it.
CREATE TABLE IF NOT EXISTS event_access (changes bigint NOT NULL);

-- The lowest level that sees each series.
DROP VIEW IF EXISTS event_series_level;
CREATE VIEW event_series_level AS :levels;

-- Adds the deltas to the bases. If another writer does so at the moment, or did so after the snapshot of a transaction in
-- REPEATABLE READ, it leaves this to the next one.
CREATE OR REPLACE FUNCTION event_fold() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM event_revision_base WHERE level = 300 FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  -- Groups without a series, a category or a start stay: the key of the base has none.
  WITH folded AS (DELETE FROM event_count_delta RETURNING *), sums AS (
    SELECT event_series_id, category, month, sum(count) AS count FROM folded GROUP BY 1, 2, 3 HAVING sum(count) <> 0
  ), kept AS (
    INSERT INTO event_count_delta SELECT * FROM sums WHERE num_nulls(event_series_id, category, month) > 0
  )
  INSERT INTO event_count_base AS c (event_series_id, category, month, count)
  SELECT * FROM sums WHERE num_nulls(event_series_id, category, month) = 0
  ON CONFLICT (event_series_id, category, month) DO UPDATE SET count = c.count + EXCLUDED.count;
  DELETE FROM event_count_base WHERE count = 0;
  WITH folded AS (DELETE FROM event_cell_delta RETURNING *), sums AS (
    SELECT event_series_id, cell, sum(count) AS count FROM folded GROUP BY 1, 2 HAVING sum(count) <> 0
  ), kept AS (
    INSERT INTO event_cell_delta SELECT * FROM sums WHERE event_series_id IS NULL
  )
  INSERT INTO event_cell_base AS c (event_series_id, cell, count)
  SELECT * FROM sums WHERE event_series_id IS NOT NULL
  ON CONFLICT (event_series_id, cell) DO UPDATE SET count = c.count + EXCLUDED.count;
  DELETE FROM event_cell_base WHERE count = 0;
  WITH folded AS (DELETE FROM event_revision_delta RETURNING *), sums AS (
    SELECT b.level, count(*) AS writes, bit_xor(d.mark) AS mark
    FROM event_revision_base b JOIN folded d ON d.level <= b.level GROUP BY b.level
  )
  UPDATE event_revision_base b SET revision = b.revision + s.writes, mark = b.mark # s.mark
  FROM sums s WHERE s.level = b.level;
  -- Whole transactions are forgotten, so a table that is written at night does not grow.
  WITH oldest AS (SELECT transaction, written FROM event_change ORDER BY transaction LIMIT 1000)
  UPDATE event_mark SET complete = o.last FROM (
    SELECT max(transaction) AS last FROM oldest WHERE written < now() - interval '90 days') o WHERE o.last > complete;
  IF FOUND THEN
    DELETE FROM event_change c USING event_mark m WHERE c.transaction <= m.complete;
  END IF;
EXCEPTION WHEN serialization_failure THEN NULL;
END $$;

-- Raises the revision of each level that sees a level. Null: there was no write. After each hundredth write, and after
-- one with many groups, it folds: a reader sums few deltas.
CREATE OR REPLACE FUNCTION event_raise(lowest integer, groups bigint DEFAULT 0) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  write bigint;
BEGIN
  INSERT INTO event_revision_delta (level) SELECT lowest WHERE lowest IS NOT NULL RETURNING id INTO write;
  IF write % 100 = 0 OR groups > 100 THEN
    PERFORM event_fold();
  END IF;
END $$;

-- Returns a query of the rows that a statement added, and of those that it removed. A trigger has only the transition
-- tables of its kind of statement.
CREATE OR REPLACE FUNCTION event_written(operation text, columns text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT string_agg(format('SELECT %s AS sign, %s FROM %s AS r', sign, columns, name), ' UNION ALL ')
  FROM (VALUES (1, 'added', 'DELETE'), (-1, 'removed', 'INSERT')) AS t(sign, name, missing) WHERE missing <> operation
$$;

-- Counts the events that a statement added and removed, and raises the revisions. The argument writes the columns.
CREATE OR REPLACE FUNCTION event_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT AS $$
DECLARE
  written text := event_written(TG_OP, TG_ARGV[0]);
  groups bigint;
  lowest integer;
BEGIN
  EXECUTE format('
    INSERT INTO event_count_delta (event_series_id, category, month, count)
    SELECT event_series_id, category, date_trunc(''month'', timestamp_start, ''UTC''), sum(sign)
    FROM (%s) d GROUP BY 1, 2, 3 HAVING sum(sign) <> 0', written);
  GET DIAGNOSTICS groups = ROW_COUNT;
  EXECUTE format('
    INSERT INTO event_cell_delta (event_series_id, cell, count)
    SELECT event_series_id, cell, sum(sign) FROM (%s) d WHERE cell IS NOT NULL GROUP BY 1, 2 HAVING sum(sign) <> 0', written);
  -- No access modifier changes between this look and the end of the transaction.
  PERFORM FROM event_access FOR SHARE;
  EXECUTE format('
    INSERT INTO event_change (kind, id, event_series_id, level, external_id)
    SELECT 2, d.id, d.series, CASE WHEN c.id IS NULL THEN l.level ELSE c.level END, d.external_id FROM (
      SELECT id, min(event_series_id) FILTER (WHERE sign < 0) AS series, min(external_id) FILTER (WHERE sign < 0) AS external_id
      FROM (%s) w WHERE id IS NOT NULL GROUP BY id) d
    LEFT JOIN event_series_level l ON l.id = d.series
    LEFT JOIN event_change c
      ON c.transaction = pg_current_xact_id()::text::bigint AND c.kind = 1 AND c.id = d.series ON CONFLICT DO NOTHING', written);
  -- Another transaction may be adding a series that is not there, with any level.
  EXECUTE format('
    SELECT min(coalesce(l.level, 0)) FROM (SELECT DISTINCT event_series_id FROM (%s) b) d
    LEFT JOIN event_series_level l ON l.id = d.event_series_id', written) INTO lowest;
  PERFORM event_raise(lowest, groups);
  RETURN NULL;
END $$;

-- Raises the revisions after a write of series, types or other tables. The argument writes the kind, the id, the level and
-- the uuid of a row. A change of the level is seen by the levels that saw the row before, or see it after.
CREATE OR REPLACE FUNCTION event_series_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT AS $$
DECLARE
  written text := event_written(TG_OP, TG_ARGV[0]);
  lowest integer;
BEGIN
  EXECUTE format('SELECT min(level) FROM (%s) d', written) INTO lowest;
  EXECUTE format('
    INSERT INTO event_change (kind, id, level, uuid)
    SELECT kind, id, coalesce(min(level) FILTER (WHERE sign < 0), -1), min(uuid)
    FROM (%s) d WHERE id IS NOT NULL GROUP BY kind, id ON CONFLICT DO NOTHING', written);
  IF TG_OP = 'UPDATE' THEN
    EXECUTE format('UPDATE event_access SET changes = changes + 1 WHERE EXISTS (
      SELECT FROM (%s) d GROUP BY id, level HAVING sum(sign) <> 0)', written);
  END IF;
  PERFORM event_raise(lowest);
  RETURN NULL;
END $$;

-- TRUNCATE raises the revisions of all levels. TRUNCATE of the events removes the counts.
CREATE OR REPLACE FUNCTION event_truncated() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_ARGV[0] = 'event_changed' THEN
    -- The counts of writes that an older snapshot does not see would stay.
    IF current_setting('transaction_isolation') <> 'read committed' THEN
      RAISE EXCEPTION 'At grade C, TRUNCATE needs the isolation level READ COMMITTED.';
    END IF;
    -- In this order: a fold that commits meanwhile moves rows from one to the other.
    DELETE FROM event_count_delta;
    DELETE FROM event_count_base;
    DELETE FROM event_cell_delta;
    DELETE FROM event_cell_base;
  END IF;
  INSERT INTO event_change (kind, id) VALUES (-1, 0) ON CONFLICT DO NOTHING;
  PERFORM event_raise(0);
  RETURN NULL;
END $$;

-- Nobody else may put these functions on a table.
REVOKE EXECUTE ON FUNCTION event_changed(), event_series_changed(), event_truncated() FROM PUBLIC;

-- The triggers also run with session_replication_role = replica, which some loaders set.
DO $made$
DECLARE
  made record;
BEGIN
  FOR made IN
    SELECT * FROM (VALUES :triggers) AS t(counted, function, argument) CROSS JOIN (VALUES
      ('event_inserted', 'INSERT', 'REFERENCING NEW TABLE AS added'),
      ('event_updated', 'UPDATE', 'REFERENCING OLD TABLE AS removed NEW TABLE AS added'),
      ('event_deleted', 'DELETE', 'REFERENCING OLD TABLE AS removed'),
      ('event_truncated', 'TRUNCATE', '')
    ) AS k(name, operation, rows)
  LOOP
    EXECUTE format('CREATE OR REPLACE TRIGGER %I AFTER %s ON %s %s EXECUTE FUNCTION %I(%L)', made.name, made.operation,
      made.counted, made.rows, CASE made.operation WHEN 'TRUNCATE' THEN made.name ELSE made.function END,
      CASE made.operation WHEN 'TRUNCATE' THEN made.function ELSE made.argument END);
    EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', made.counted, made.name);
  END LOOP;
END $made$;

-- The tables of earlier views would still change the counts.
DO $made$
DECLARE
  old record;
BEGIN
  FOR old IN
    SELECT tgname, tgrelid::regclass AS counted FROM pg_trigger WHERE NOT tgisinternal AND tgfoid = ANY (ARRAY[
      'event_changed'::regproc, 'event_series_changed'::regproc, 'event_truncated'::regproc])
      AND tgrelid NOT IN (SELECT counted FROM (VALUES :triggers) AS t(counted, function, argument))
  LOOP
    EXECUTE format('DROP TRIGGER %I ON %s', old.tgname, old.counted);
  END LOOP;
END $made$;

-- The service uses the counts for these definitions of the views only.
COMMENT ON VIEW event_revision IS :'definitions';

DELETE FROM event_count_delta;
DELETE FROM event_count_base;
INSERT INTO event_count_delta (event_series_id, category, month, count)
SELECT event_series_id, category, month, count(*) FROM (
  -- PostgreSQL knows nothing about the columns behind OFFSET, so it does not sort the rows.
  SELECT event_series_id, category, date_trunc('month', timestamp_start, 'UTC') AS month
  FROM (SELECT :columns FROM :event) AS e OFFSET 0
) AS e GROUP BY 1, 2, 3;

DELETE FROM event_cell_delta;
DELETE FROM event_cell_base;
INSERT INTO event_cell_delta (event_series_id, cell, count)
SELECT event_series_id, cell, count(*) FROM (SELECT :columns FROM :event OFFSET 0) AS e WHERE cell IS NOT NULL GROUP BY 1, 2;

-- The places of a view may come from another table, whose writes change no counts.
DO $$
BEGIN
  IF NOT :places THEN
    DROP VIEW event_cell;
  END IF;
END $$;

-- Another run raises them, because the rows may have changed while there were no triggers.
INSERT INTO event_revision_base (level, revision, mark)
SELECT level, 0, 0 FROM unnest(ARRAY[0, 100, 200, 300]) AS level ON CONFLICT (level) DO NOTHING;
DELETE FROM event_change;
DELETE FROM event_mark;
INSERT INTO event_mark (key, complete)
SELECT replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 0;
INSERT INTO event_access (changes) SELECT 0 WHERE NOT EXISTS (SELECT FROM event_access);
SELECT event_raise(0), event_fold();

ANALYZE event_count_base, event_cell_base;
COMMIT;
