-- The views of the engine over the tables that Django made for the service before this one.
-- psql -v ON_ERROR_STOP=1 -f views-django.sql -f reader.sql
-- They change no table and copy no row. Their owner must be able to read the tables.

CREATE SCHEMA IF NOT EXISTS events_api;

CREATE OR REPLACE VIEW events_api.observation_type AS
SELECT id, code::text, name::text
FROM events_observationtype;

-- Django keeps the times and the bounds of the events of a series in its row.
CREATE OR REPLACE VIEW events_api.event_series AS
SELECT
  id, uuid, name::text, description::text, observation_type_id, statistic::text, color::text,
  access_modifier::integer, created, last_modified,
  start AS timestamp_start, "end" AS timestamp_end,
  west, south, east, north
FROM events_eventseries;

-- The times and the place are the columns of the table: an expression would hide their indexes.
-- A query that names no object does not read events_objecttype.
CREATE OR REPLACE VIEW events_api.event AS
SELECT
  e.id, e.event_series_id, e.category::text, e.value::text, e.timestamp_start, e.timestamp_end, e.geometry,
  o.model::text AS object_type, e.object_id
FROM events_event e
LEFT JOIN events_objecttype o ON o.id = e.object_type_id;
