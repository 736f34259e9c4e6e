-- Sets the columns of event_series in tables.sql that summarize the events of each series.
-- npm run copy runs this file. Run it again after you add events.

-- Citus needs a query of its own for a table that it distributes.
WITH e AS MATERIALIZED (
  SELECT event_series_id, count(*) AS count, min(timestamp_start) AS first, max(timestamp_end) AS last,
    min(ST_X(geometry)) AS west, min(ST_Y(geometry)) AS south,
    max(ST_X(geometry)) AS east, max(ST_Y(geometry)) AS north
  FROM event GROUP BY 1
)
UPDATE event_series AS s
SET event_count = e.count, timestamp_start = e.first, timestamp_end = e.last,
  west = e.west, south = e.south, east = e.east, north = e.north
FROM e WHERE s.id = e.event_series_id;
