-- Makes the role of the engine. The role may read only the tables of the engine. If the schema events_api has only the view
-- event, this script makes the other views, of one series.
-- psql -v ON_ERROR_STOP=1 -v role=events_reader -f reader.sql
-- Without the variable, the role is events_reader. Run it after views-*.sql or tables.sql, and again after grade-c.sql.
-- Then give the role a password: \password events_reader
\if :{?role}
\else
  \set role events_reader
\endif
SET events.reader = :'role';

DO $$
DECLARE
  reader text := current_setting('events.reader');
  home text := CASE WHEN to_regclass('events_api.event') IS NULL THEN current_schema() ELSE 'events_api' END;
  path text := quote_ident(home);
  place text;
  found regclass;
  setting record;
BEGIN
  IF to_regclass('events_api.event') IS NOT NULL AND to_regclass('events_api.observation_type') IS NULL THEN
    CREATE VIEW events_api.observation_type AS SELECT 1::bigint AS id, 'event' AS code, 'Event' AS name;
  END IF;
  IF to_regclass('events_api.event') IS NOT NULL AND to_regclass('events_api.event_series') IS NULL THEN
    -- The comment of the view event is the name. The uuid is always the same for a database.
    EXECUTE format(
      'CREATE VIEW events_api.event_series AS SELECT 1::bigint AS id, %L::uuid AS uuid, %L AS name, %L AS description,
        1::bigint AS observation_type_id, %L AS statistic, %L AS color, %L::timestamptz AS created',
      md5(current_database()), coalesce(obj_description(to_regclass('events_api.event'), 'pg_class'), current_database()), '', 'event',
      '#3366cc', now());
  END IF;
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = reader) THEN
    EXECUTE format('CREATE ROLE %I LOGIN', reader);
  END IF;
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', home, reader);
  -- Other schemas may have tables with the same names.
  FOR found IN
    SELECT oid FROM pg_class WHERE relnamespace = quote_ident(home)::regnamespace AND relname IN
      ('observation_type', 'event_series', 'event', 'event_revision', 'event_count', 'event_cell', 'event_change', 'event_mark')
  LOOP
    EXECUTE format('GRANT SELECT ON %s TO %I', found, reader);
  END LOOP;
  -- PostGIS and citext may have a schema of their own, such as extensions.
  FOR place IN
    SELECT DISTINCT nspname FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace
    WHERE extname IN ('postgis', 'citext') AND nspname <> 'public'
  LOOP
    IF NOT has_schema_privilege(reader, place, 'USAGE') THEN
      EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', place, reader);
    END IF;
    path := format('%s, %I', path, place);
  END LOOP;
  -- All settings are for this database only.
  EXECUTE format('ALTER ROLE %I IN DATABASE %I SET search_path = %s, public', reader, current_database(), path);
  EXECUTE format('ALTER ROLE %I IN DATABASE %I SET default_transaction_read_only = on', reader, current_database());
  -- The owner's own programs always get a connection. A limit that is there already stays.
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = reader AND rolconnlimit = -1) THEN
    EXECUTE format('ALTER ROLE %I CONNECTION LIMIT 40', reader);
  END IF;
  FOR setting IN SELECT * FROM (VALUES
    -- The places of 4 MB become whole pages at some million events, and each of their rows is tested again.
    ('work_mem', '32MB'),
    -- The Worker ends a statement after 15 seconds. This is for a Worker that has gone.
    ('statement_timeout', '20s'),
    -- A statement that waits for a change of a table makes later statements wait, too.
    ('lock_timeout', '3s'),
    -- A statement ends soon after its client has gone.
    ('client_connection_check_interval', '2s'),
    -- An open transaction keeps changes of the tables waiting. The engine sends its next statement sooner.
    ('idle_in_transaction_session_timeout', '60s'),
    -- A statement works in at most two processes, so that others have some.
    ('max_parallel_workers_per_gather', '1'),
    -- The sorts and the joins of a connection do not fill the disk.
    ('temp_file_limit', '1GB')
  ) AS wanted(name, value)
  LOOP
    BEGIN
      EXECUTE format('ALTER ROLE %I IN DATABASE %I SET %I = %L', reader, current_database(), setting.name, setting.value);
    EXCEPTION WHEN insufficient_privilege OR undefined_object OR invalid_parameter_value THEN
      RAISE NOTICE '% has no % of %: %. A superuser can run reader.sql again, or set it for the whole server.',
        reader, setting.name, setting.value, SQLERRM;
    END;
  END LOOP;
END $$;
RESET events.reader;
