-- The indexes of grade B. Without them an area, a wide period or a late page reads all events.
-- psql -v ON_ERROR_STOP=1 -v event=events_event -v series=events_eventseries -f grade-b.sql
-- Without variables, the tables are event and event_series. An index that is there already stays.
-- Building an index stops writers. On a busy table, write CREATE INDEX CONCURRENTLY below: it takes longer.
\if :{?event}
\else
  \set event event
\endif
\if :{?series}
\else
  \set series event_series
\endif

CREATE INDEX IF NOT EXISTS event_start_end ON :event (timestamp_start, timestamp_end);
CREATE INDEX IF NOT EXISTS event_start_id ON :event (timestamp_start, id);
CREATE INDEX IF NOT EXISTS event_end_id ON :event (timestamp_end, id);
CREATE INDEX IF NOT EXISTS event_series_start ON :event (event_series_id, timestamp_start);
CREATE INDEX IF NOT EXISTS event_series_end ON :event (event_series_id, timestamp_end);
CREATE INDEX IF NOT EXISTS event_category ON :event (category);
-- The functions of the engine look at longitude and latitude. They never use the index that Django makes.
CREATE INDEX IF NOT EXISTS event_place ON :event USING gist (geometry gist_geometry_ops_2d);
-- All its columns are used: they let a query count by the index alone. A table with infinite times cannot have it, so
-- leave it out there.
CREATE INDEX IF NOT EXISTS event_duration
  ON :event ((timestamp_end - timestamp_start), timestamp_end, timestamp_start);

-- A table need not have these columns. A text between $$ has no variables, so a setting has the name of the table.
SELECT set_config('events.event', :'event', false);

DO $$
DECLARE
  events regclass := current_setting('events.event');
  wanted record;
BEGIN
  FOR wanted IN VALUES
    ('event_object', ARRAY['object_type', 'object_id']),
    ('event_object', ARRAY['object_type_id', 'object_id']),
    ('event_object_id', ARRAY['object_id']),
    ('event_external_id', ARRAY['external_id', 'event_series_id']),
    ('event_last_modified', ARRAY['last_modified', 'id']),
    ('event_value_number', ARRAY['value_number', 'id', 'event_series_id']),
    ('event_cell', ARRAY['cell', 'event_series_id', 'timestamp_start', 'timestamp_end'])
  LOOP
    IF wanted.column2 <@ (
      SELECT array_agg(attname::text) FROM pg_attribute WHERE attrelid = events AND attnum > 0 AND NOT attisdropped
    ) THEN
      EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON %s (%s) WHERE %I IS NOT NULL',
        wanted.column1, events, array_to_string(wanted.column2, ', '), wanted.column2[1]);
    END IF;
  END LOOP;
END $$;

ANALYZE :event;
ANALYZE :series;
