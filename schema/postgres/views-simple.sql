-- The views of the engine over the simplest table: places(id, time, geom, name). Change the names to yours.
-- psql -v ON_ERROR_STOP=1 -f views-simple.sql -f reader.sql
-- time is a timestamptz, and geom a geometry(Point, 4326). Other columns: docs/postgres.md.

CREATE SCHEMA IF NOT EXISTS events_api;

CREATE OR REPLACE VIEW events_api.observation_type AS
SELECT 1::bigint AS id, 'place' AS code, 'Place' AS name;

-- All places are one series. Enter a uuid of your own: SELECT gen_random_uuid().
-- Without an access_modifier it is Public.
CREATE OR REPLACE VIEW events_api.event_series AS
SELECT
  1::bigint AS id, '7f6d0d5e-2f0c-4f0e-9c39-5b0d3f1f6a01'::uuid AS uuid, 'Places' AS name,
  'Places of our table' AS description, 1::bigint AS observation_type_id, 'event' AS statistic, '#3366cc' AS color,
  '2026-01-01T00:00:00Z'::timestamptz AS created;

-- Each further column of this view is a field of its own, in answers and in filters. The comment of a column is its
-- title.
CREATE OR REPLACE VIEW events_api.event AS
SELECT
  p.id::bigint AS id, 1::bigint AS event_series_id, '' AS category, p.name::text AS value,
  p.time AS timestamp_start, p.time AS timestamp_end, p.geom AS geometry
  -- Perhaps p.cause AS category instead, and coalesce(p.repaired_at, p.time) AS timestamp_end.
  -- , p.depth
FROM places p;

-- COMMENT ON COLUMN events_api.event.depth IS 'Depth (m)';
