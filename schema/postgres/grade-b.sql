-- The indexes of grade B. Without them an area, a wide period or a late page reads all events.
-- psql -v ON_ERROR_STOP=1 -v event=events_event -v series=events_eventseries -f grade-b.sql
-- Without variables, the tables are event and event_series. An index that is there already stays.
-- Variables also tell the names of columns. A table of series may be missing:
-- psql -v event=places -v id=nr -v start=time -v end=time -v category=cause -v geometry=geom -f grade-b.sql
-- Building an index stops writers. On a busy table, write CREATE INDEX CONCURRENTLY below: it takes longer.
\if :{?event}
\else
  \set event event
\endif
\if :{?series}
\else
  \set series event_series
\endif
\if :{?id}
\else
  \set id id
\endif
\if :{?start}
\else
  \set start timestamp_start
\endif
\if :{?end}
\else
  \set end timestamp_end
\endif
\if :{?category}
\else
  \set category category
\endif
\if :{?geometry}
\else
  \set geometry geometry
\endif
\if :{?series_id}
\else
  \set series_id event_series_id
\endif

-- The functions of the engine look at longitude and latitude. They never use the index that Django makes.
CREATE INDEX IF NOT EXISTS event_place ON :event USING gist (:"geometry" gist_geometry_ops_2d);
-- All its columns are used: they let a query count by the index alone. A table with infinite times cannot have it, so
-- leave it out there.
CREATE INDEX IF NOT EXISTS event_duration ON :event ((:"end" - :"start"), :"end", :"start");

-- A table need not have all these columns. It gets the first of two indexes with one name that it has the columns for.
-- The series decides who sees an event: with it, a page far from the first comes from the index alone.
-- A text between $$ has no variables, so a table has them.
CREATE TEMP TABLE wanted_index AS
SELECT :'event' AS event, :'series' AS series, * FROM (VALUES
  ('event_start_end', ARRAY[:'start', :'end'], ''),
  ('event_start_id', ARRAY[:'start', :'id', :'series_id'], ''),
  ('event_start_id', ARRAY[:'start', :'id'], ''),
  ('event_end_id', ARRAY[:'end', :'id', :'series_id'], ''),
  ('event_end_id', ARRAY[:'end', :'id'], ''),
  ('event_series_start', ARRAY[:'series_id', :'start'], ''),
  ('event_series_end', ARRAY[:'series_id', :'end'], ''),
  ('event_category', ARRAY[:'category'], ''),
  ('event_object', ARRAY['object_type', 'object_id'], 'object_type'),
  ('event_object', ARRAY['object_type_id', 'object_id'], 'object_type_id'),
  ('event_object_id', ARRAY['object_id'], 'object_id'),
  ('event_external_id', ARRAY['external_id', :'series_id'], 'external_id'),
  ('event_last_modified', ARRAY['last_modified', :'id'], 'last_modified'),
  ('event_value_number', ARRAY['value_number', :'id', :'series_id'], 'value_number')
) AS wanted(name, columns, present);

DO $$
DECLARE
  wanted record;
BEGIN
  FOR wanted IN
    SELECT * FROM wanted_index WHERE columns <@ ARRAY(
      SELECT attname::text FROM pg_attribute WHERE attrelid = event::regclass AND attnum > 0 AND NOT attisdropped)
  LOOP
    EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON %s (%s)', wanted.name, wanted.event,
      (SELECT string_agg(quote_ident(name), ', ') FROM unnest(wanted.columns) AS name))
      || CASE WHEN wanted.present = '' THEN '' ELSE format(' WHERE %I IS NOT NULL', wanted.present) END;
  END LOOP;
  FOR wanted IN SELECT DISTINCT series FROM wanted_index WHERE to_regclass(series) IS NOT NULL LOOP
    EXECUTE format('ANALYZE %s', to_regclass(wanted.series));
  END LOOP;
END $$;

DROP TABLE wanted_index;
ANALYZE :event;
