-- Tables of our own, for a copy of a D1 database: npm run copy makes and fills them.
-- They have each column that the engine knows, and fit an export of D1 without loss.
-- They are pure SQL. A database with events of its own needs views instead, such as views-django.sql.

CREATE EXTENSION IF NOT EXISTS postgis;

CREATE TABLE IF NOT EXISTS observation_type (
  id bigint PRIMARY KEY,
  code text NOT NULL,
  name text NOT NULL,
  unit text
);

-- The columns from event_count to north summarize its events. Only series.sql updates them.
CREATE TABLE IF NOT EXISTS event_series (
  id bigint PRIMARY KEY,
  uuid uuid NOT NULL UNIQUE,
  name text NOT NULL,
  description text NOT NULL,
  observation_type_id bigint NOT NULL REFERENCES observation_type,
  statistic text NOT NULL,
  color text NOT NULL,
  -- Public 0, Common 100, Private 200, Hidden 300.
  access_modifier integer NOT NULL,
  created timestamptz NOT NULL,
  last_modified timestamptz,
  event_count bigint NOT NULL DEFAULT 0,
  timestamp_start timestamptz(3),
  timestamp_end timestamptz(3),
  west float8,
  south float8,
  east float8,
  north float8,
  -- Its description. The type json keeps the order of its members, and jsonb would not.
  metadata json
);

CREATE TABLE IF NOT EXISTS event (
  id bigint PRIMARY KEY,
  event_series_id bigint NOT NULL REFERENCES event_series,
  category text NOT NULL,
  value text NOT NULL,
  -- The number at the beginning of the value.
  value_number float8,
  -- The service counts time in whole milliseconds.
  timestamp_start timestamptz(3) NOT NULL,
  timestamp_end timestamptz(3) NOT NULL,
  -- Null: the place is unknown.
  geometry geometry(PointZ, 4326),
  object_type text,
  object_id bigint,
  -- The id of the event at its source.
  external_id text,
  last_modified timestamptz,
  attributes json
);
