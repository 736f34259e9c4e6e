-- Makes the view of the engine over the simplest table: places(id, time, geom, name). Change the names to yours.
-- psql -1 -v ON_ERROR_STOP=1 -f views-simple.sql -f reader.sql
-- time is a timestamptz, and geom a geometry(Point, 4326). Lines for other columns follow the view.

CREATE SCHEMA IF NOT EXISTS events_api;

-- All places are one series, so reader.sql makes the views event_series and observation_type. Each further column is a
-- field of its own, in answers and in filters. Its name has letters, digits and underscores, and its comment is its title.
DROP VIEW IF EXISTS events_api.event;
CREATE VIEW events_api.event AS
SELECT
  p.id, 1::bigint AS event_series_id, '' AS category, p.name::text AS value,
  p.time AS timestamp_start, p.time AS timestamp_end, p.geom AS geometry
  -- , p.depth
FROM places p;

-- The name of the series.
COMMENT ON VIEW events_api.event IS 'Places';
-- COMMENT ON COLUMN events_api.event.depth IS 'Depth (m)';

-- A key may be a uuid or a text. Two of 10 million keys have the same number with a probability of 1 %.
--   ('x' || left(md5(p.key::text), 13))::bit(52)::bigint AS id, p.key::text AS external_id
-- Write a time without a zone, a date, and an end that may be null so:
--   p.time AT TIME ZONE 'Europe/Amsterdam' AS timestamp_start
--   p.day::timestamp AT TIME ZONE 'Europe/Amsterdam' AS timestamp_start
--   coalesce(p.repaired_at, p.time) AS timestamp_end
-- Write a place in RD, in two columns, or in another table so:
--   ST_Transform(p.rd, 4326)::geometry(Point, 4326) AS geometry
--   ST_SetSRID(ST_MakePoint(p.lon, p.lat), 4326)::geometry(Point, 4326) AS geometry
--   l.geom AS geometry, with FROM places p LEFT JOIN locations l ON l.id = p.location_id
-- Write a category that may be null, a duration, and a key of a document so:
--   coalesce(p.cause, '')::text AS category
--   extract(epoch FROM p.lasted) / 3600 AS hours
--   p.document ->> 'pressure' AS pressure
-- Several series need views of their own (docs/postgres.md). Write a uuid of a series in both views so:
--   ('x' || left(md5(p.tenant::text), 13))::bit(52)::bigint AS event_series_id
