import reader from '../../schema/postgres/reader.sql?raw'
import tables from '../../schema/postgres/tables.sql?raw'
import { plainSql } from '../../seed/postgres/script.ts'

export const TABLES = tables
export const READER = plainSql(reader)

/** Two public series, whose events alternate. The event with the id i lasts from minute i to minute i + 1 of 2020. */
export const rowsOf = (events: number): string => `
  INSERT INTO observation_type VALUES (1, 'T', 'Type');
  INSERT INTO event_series
    (id, uuid, name, description, observation_type_id, statistic, color, access_modifier, created)
  SELECT i, ('00000000-0000-0000-0000-00000000000' || i)::uuid, 'Series ' || i, '', 1, 'event', '#000000', 0, '2020-01-01Z'
  FROM generate_series(1, 2) AS i;
  INSERT INTO event (id, event_series_id, category, value, timestamp_start, timestamp_end, geometry)
  SELECT i, 1 + i % 2, 'c' || i % 3, 'value ' || i, '2020-01-01Z'::timestamptz + i * interval '1 minute',
    '2020-01-01Z'::timestamptz + (i + 1) * interval '1 minute', ST_SetSRID(ST_MakePoint(i % 180, i % 90, 0), 4326)
  FROM generate_series(1, ${events}) AS i`

/**
 * Replaces the table of events by a view. Reading it takes the seconds in the table `slowness`, and so does reading a
 * value, by the column `of_value`.
 */
export const SLOW_VIEW = `
  CREATE TABLE slowness (of_rows float8, of_value float8);
  INSERT INTO slowness VALUES (0, 0);
  CREATE FUNCTION waits(seconds float8) RETURNS boolean LANGUAGE plpgsql AS
    'BEGIN IF seconds > 0 THEN PERFORM pg_sleep(seconds); END IF; RETURN true; END';
  ALTER TABLE event RENAME TO stored_event;
  CREATE VIEW event AS SELECT id, event_series_id, category,
    CASE WHEN waits((SELECT of_value FROM slowness)) THEN value END AS value, timestamp_start, timestamp_end, geometry
  FROM stored_event WHERE (SELECT waits(of_rows) FROM slowness)`
