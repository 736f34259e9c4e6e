-- The state and the counts of grade C: event_revision and event_count. Triggers keep both exact.
-- psql -v ON_ERROR_STOP=1 -v event=events_event -v series=events_eventseries -v type=events_observationtype \
--   -f grade-c.sql
-- Without variables, the tables are event, event_series and observation_type. Run it as their owner, with their schema
-- first in the search_path. It needs PostgreSQL 14. In :event, the columns event_series_id, category and
-- timestamp_start must be NOT NULL. Then run reader.sql again.
--
-- Writers wait for each other: each takes the lock of one row until its transaction ends. A writer in REPEATABLE READ
-- gets the error 40001 if another was faster, and must try again.
\if :{?event}
\else
  \set event event
\endif
\if :{?series}
\else
  \set series event_series
\endif
\if :{?type}
\else
  \set type observation_type
\endif

BEGIN;
-- The functions below keep this search_path. pg_temp is last, so that no temporary table takes the place of a table.
SELECT set_config('search_path', format('%I, pg_temp', current_schema()), true);

-- The triggers must see each write, or the counts would be wrong in silence.
SELECT set_config('events.tables', ARRAY[:'event', :'series', :'type']::text, true);
DO $$
DECLARE
  counted regclass;
BEGIN
  FOREACH counted IN ARRAY current_setting('events.tables')::regclass[] LOOP
    IF EXISTS (SELECT FROM pg_class WHERE oid = counted AND relkind = 'p')
      OR EXISTS (SELECT FROM pg_inherits WHERE counted IN (inhparent, inhrelid)) THEN
      RAISE EXCEPTION 'The table % has partitions, or is one. A write to another part runs none of its triggers. Grades A and B serve it.', counted;
    END IF;
    IF EXISTS (SELECT FROM pg_subscription_rel WHERE srrelid = counted) THEN
      RAISE EXCEPTION 'A subscription fills the table %. Logical replication runs no triggers of statements. Grades A and B serve it, and so does a streaming replica of grade C.', counted;
    END IF;
  END LOOP;
END $$;

-- One row for each access level. `revision` rises with each write that callers of this level see.
CREATE TABLE IF NOT EXISTS event_revision (
  level integer PRIMARY KEY,
  revision bigint NOT NULL,
  changed timestamptz NOT NULL
);

-- The number of events of a series and a category that start in a month of UTC. It has no zeros.
CREATE TABLE IF NOT EXISTS event_count (
  event_series_id bigint,
  category text,
  month timestamptz,
  count bigint NOT NULL,
  PRIMARY KEY (event_series_id, category, month)
);

-- The lowest level that sees a series: Public if its table has no access_modifier, and Hidden if it is null. If the
-- view of series tells another access modifier than the table, change this function.
CREATE OR REPLACE FUNCTION event_level(series jsonb) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN series ? 'access_modifier' THEN coalesce((series ->> 'access_modifier')::integer, 300) ELSE 0 END
$$;

CREATE OR REPLACE VIEW event_series_level AS SELECT s.id, event_level(to_jsonb(s)) AS level FROM :series s;

-- Raises the revision of each level that sees a level. Null: there was no write.
CREATE OR REPLACE FUNCTION event_raise(lowest integer) RETURNS void LANGUAGE sql AS $$
  UPDATE event_revision SET revision = revision + 1, changed = clock_timestamp() WHERE level >= lowest
$$;

-- Each write begins here, so no two writers wait for each other in a circle.
CREATE OR REPLACE FUNCTION event_lock() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
  PERFORM FROM event_revision WHERE level = 300 FOR UPDATE;
  RETURN NULL;
END $$;

-- Counts the events that a statement added and removed, and raises the revisions.
CREATE OR REPLACE FUNCTION event_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT AS $$
DECLARE
  -- A trigger has only the transition tables of its kind of statement, so the text of the query depends on it.
  added text := 'SELECT *, 1 AS sign FROM (SELECT event_series_id, category, timestamp_start FROM added) a';
  removed text := 'SELECT *, -1 AS sign FROM (SELECT event_series_id, category, timestamp_start FROM removed) r';
  written text := CASE TG_OP
    WHEN 'INSERT' THEN added WHEN 'DELETE' THEN removed ELSE added || ' UNION ALL ' || removed
  END;
  lowest integer;
BEGIN
  EXECUTE format('
    INSERT INTO event_count AS c (event_series_id, category, month, count)
    SELECT event_series_id, category, date_trunc(''month'', timestamp_start, ''UTC''), sum(sign)
    FROM (%s) d GROUP BY 1, 2, 3 HAVING sum(sign) <> 0
    ON CONFLICT (event_series_id, category, month) DO UPDATE SET count = c.count + EXCLUDED.count', written);
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM event_count c USING removed r
    WHERE c.count = 0 AND c.event_series_id = r.event_series_id AND c.category = r.category
      AND c.month = date_trunc('month', r.timestamp_start, 'UTC');
  END IF;
  EXECUTE format('
    SELECT min(coalesce(l.level, 300)) FROM (SELECT DISTINCT event_series_id FROM (%s) b) d
    LEFT JOIN event_series_level l ON l.id = d.event_series_id', written) INTO lowest;
  PERFORM event_raise(lowest);
  RETURN NULL;
END $$;

-- A change of an access modifier is seen by the levels that saw the series before, or see it after.
CREATE OR REPLACE FUNCTION event_series_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT AS $$
DECLARE
  added text := 'SELECT event_level(to_jsonb(a)) AS level FROM added a';
  removed text := 'SELECT event_level(to_jsonb(r)) AS level FROM removed r';
  written text := CASE TG_OP
    WHEN 'INSERT' THEN added WHEN 'DELETE' THEN removed ELSE added || ' UNION ALL ' || removed
  END;
  lowest integer;
BEGIN
  EXECUTE format('SELECT min(level) FROM (%s) d', written) INTO lowest;
  PERFORM event_raise(lowest);
  RETURN NULL;
END $$;

-- TRUNCATE and writes of types raise the revisions of all levels. TRUNCATE of the events removes the counts.
CREATE OR REPLACE FUNCTION event_all_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_ARGV[0] = 'counts' THEN
    DELETE FROM event_count;
  END IF;
  PERFORM event_raise(0);
  RETURN NULL;
END $$;

-- Nobody else may put these functions on a table.
REVOKE EXECUTE ON FUNCTION event_lock(), event_changed(), event_series_changed(), event_all_changed() FROM PUBLIC;

-- No writer comes between the triggers and the first counts.
LOCK TABLE :event, :series, :type IN SHARE ROW EXCLUSIVE MODE;

CREATE OR REPLACE TRIGGER event_lock BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON :event
  EXECUTE FUNCTION event_lock();
CREATE OR REPLACE TRIGGER event_inserted AFTER INSERT ON :event
  REFERENCING NEW TABLE AS added EXECUTE FUNCTION event_changed();
CREATE OR REPLACE TRIGGER event_updated AFTER UPDATE ON :event
  REFERENCING OLD TABLE AS removed NEW TABLE AS added EXECUTE FUNCTION event_changed();
CREATE OR REPLACE TRIGGER event_deleted AFTER DELETE ON :event
  REFERENCING OLD TABLE AS removed EXECUTE FUNCTION event_changed();
CREATE OR REPLACE TRIGGER event_truncated AFTER TRUNCATE ON :event EXECUTE FUNCTION event_all_changed('counts');

CREATE OR REPLACE TRIGGER event_lock BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON :series
  EXECUTE FUNCTION event_lock();
CREATE OR REPLACE TRIGGER event_inserted AFTER INSERT ON :series
  REFERENCING NEW TABLE AS added EXECUTE FUNCTION event_series_changed();
CREATE OR REPLACE TRIGGER event_updated AFTER UPDATE ON :series
  REFERENCING OLD TABLE AS removed NEW TABLE AS added EXECUTE FUNCTION event_series_changed();
CREATE OR REPLACE TRIGGER event_deleted AFTER DELETE ON :series
  REFERENCING OLD TABLE AS removed EXECUTE FUNCTION event_series_changed();
CREATE OR REPLACE TRIGGER event_truncated AFTER TRUNCATE ON :series EXECUTE FUNCTION event_all_changed();

CREATE OR REPLACE TRIGGER event_lock BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON :type
  EXECUTE FUNCTION event_lock();
CREATE OR REPLACE TRIGGER event_changed AFTER INSERT OR UPDATE OR DELETE ON :type
  FOR EACH ROW EXECUTE FUNCTION event_all_changed();
CREATE OR REPLACE TRIGGER event_truncated AFTER TRUNCATE ON :type EXECUTE FUNCTION event_all_changed();

-- They also run with session_replication_role = replica, as pg_restore --disable-triggers has it.
DO $$
DECLARE
  found record;
BEGIN
  FOR found IN
    SELECT tgrelid::regclass AS counted, tgname FROM pg_trigger
    WHERE tgrelid = ANY (current_setting('events.tables')::regclass[]) AND tgfoid IN (
      'event_lock'::regproc, 'event_changed'::regproc, 'event_series_changed'::regproc, 'event_all_changed'::regproc)
  LOOP
    EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', found.counted, found.tgname);
  END LOOP;
END $$;

DELETE FROM event_count;
INSERT INTO event_count (event_series_id, category, month, count)
SELECT event_series_id, category, date_trunc('month', timestamp_start, 'UTC'), count(*) FROM :event GROUP BY 1, 2, 3;

-- Another run raises them, because the rows may have changed while there were no triggers.
INSERT INTO event_revision AS r (level, revision, changed)
SELECT level, 1, clock_timestamp() FROM unnest(ARRAY[0, 100, 200, 300]) AS level
ON CONFLICT (level) DO UPDATE SET revision = r.revision + 1, changed = EXCLUDED.changed;

ANALYZE event_count;
COMMIT;
