-- The role events_reader, with which the engine connects. It may read the tables of the engine, and nothing else.
-- Run it after views-*.sql or tables.sql, and again after grade-c.sql. Then give the role a password:
-- \password events_reader

DO $$
DECLARE
  home text := CASE WHEN to_regclass('events_api.event') IS NULL THEN current_schema() ELSE 'events_api' END;
  found regclass;
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'events_reader') THEN
    CREATE ROLE events_reader LOGIN;
  END IF;
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO events_reader', home);
  -- The three tables are those of this schema. Others may have the same names elsewhere.
  FOR found IN
    SELECT to_regclass(format('%I.%I', home, name)) FROM unnest(ARRAY['observation_type', 'event_series', 'event']) name
    UNION SELECT to_regclass(name) FROM unnest(ARRAY['event_revision', 'event_count']) name
  LOOP
    IF found IS NOT NULL THEN
      EXECUTE format('GRANT SELECT ON %s TO events_reader', found);
    END IF;
  END LOOP;
  -- These settings are for this database only. PostGIS is usually in the schema public.
  EXECUTE format('ALTER ROLE events_reader IN DATABASE %I SET search_path = %I, public', current_database(), home);
  -- The places of 4 MB become whole pages at some million events, and each of their rows is tested again.
  EXECUTE format('ALTER ROLE events_reader IN DATABASE %I SET work_mem = ''32MB''', current_database());
  EXECUTE format('ALTER ROLE events_reader IN DATABASE %I SET statement_timeout = ''20s''', current_database());
  EXECUTE format('ALTER ROLE events_reader IN DATABASE %I SET default_transaction_read_only = on', current_database());
  EXECUTE format('ALTER ROLE events_reader IN DATABASE %I SET idle_in_transaction_session_timeout = ''10min''',
    current_database());
END $$;
