import { type SQL, sql } from 'drizzle-orm'

/** What a series shows of its events: the column, the extreme of which column of its events, and the way to find it. */
const DERIVED = [
  ['start', 'min', 'start', 'event_of_series'],
  ['end', 'max', 'end', 'event_of_series'],
  ['west', 'min', 'x', 'event_of_series'],
  ['east', 'max', 'x', 'event_of_series'],
  ['south', 'min', 'y', 'event_of_series'],
  ['north', 'max', 'y', 'event_of_series'],
] as const

/** Of the events with these ids, a JSON array, those of each series: how many, and their extremes. */
const GROUPED = `(SELECT event_series_id AS id, count(*) AS count,
    ${DERIVED.map(([column, best, of]) => `${best}(event."${of}") AS "${column}"`).join(', ')}
  FROM json_each(?1) AS row CROSS JOIN event ON event.id = row.value GROUP BY 1) AS these`

/** Stands in a column whose value is to be found anew; never outside of a batch. */
const STALE = `'stale'`

/**
 * Takes events, a JSON array of ids, out of what their series show, while they are stored: an extreme that only they have
 * is stale then, and is found anew by RENEW once they are deleted or changed.
 */
export const SHRINK = `UPDATE event_series SET event_count = event_count - these.count, ${DERIVED.map(
  ([column, , of, index]) => `
    "${column}" = CASE WHEN event_series."${column}" = these."${column}" AND NOT EXISTS (
      SELECT 1 FROM event INDEXED BY ${index} WHERE event_series_id = event_series.id
        AND event."${of}" = event_series."${column}" AND id NOT IN (SELECT value FROM json_each(?1)))
      THEN ${STALE} ELSE event_series."${column}" END`,
).join(', ')}
  FROM ${GROUPED} WHERE event_series.id = these.id`

/** Finds what is stale anew, of series, a JSON array of ids. */
export const RENEW = `UPDATE event_series SET ${DERIVED.map(
  ([column, best, of, index]) => `
    "${column}" = CASE WHEN "${column}" = ${STALE} THEN (
      SELECT ${best}("${of}") FROM event INDEXED BY ${index} WHERE event_series_id = event_series.id)
      ELSE "${column}" END`,
).join(', ')}
  WHERE id IN (SELECT value FROM json_each(?1))`

/** Adds events, a JSON array of ids, to what their series show, once they are stored. */
export const GROW = `UPDATE event_series SET event_count = event_count + these.count, ${DERIVED.map(
  ([column, best]) => `
    "${column}" = coalesce(${best}(event_series."${column}", these."${column}"), event_series."${column}", these."${column}")`,
).join(', ')}
  FROM ${GROUPED} WHERE event_series.id = these.id`

/** Queries for events of a series that, together, make up all that it shows. */
export const EXTREMES = DERIVED.map(
  ([column, , of, index]) =>
    (series: number): SQL =>
      sql.raw(`SELECT id FROM event INDEXED BY ${index} WHERE event_series_id = ${series}
        AND "${of}" = (SELECT "${column}" FROM event_series WHERE id = ${series}) LIMIT 1`),
)

/** Whether events, a JSON array of ids, make up all that a series, its id, shows. */
export const MAKE_UP = `EXISTS (SELECT 1 FROM (
    SELECT ${DERIVED.map(([column, best, of]) => `${best}("${of}") AS "${column}"`).join(', ')}
    FROM event WHERE id IN (SELECT value FROM json_each(?1)) AND event_series_id = CAST(?2 AS INTEGER)) AS these
  JOIN event_series ON event_series.id = CAST(?2 AS INTEGER)
    AND ${DERIVED.map(([column]) => `event_series."${column}" IS these."${column}"`).join(' AND ')})`
