import { type SQL, sql } from 'drizzle-orm'
import { listed, nameOf } from '../../schema/sql.ts'
import { eventSeries, events } from '../../schema/tables.ts'

/** What a series shows of its events: the column, the extreme of which column of its events, and the way to find it. */
const DERIVED = [
  { shown: eventSeries.start, best: sql`min`, of: events.start, index: 'event_of_series' },
  { shown: eventSeries.end, best: sql`max`, of: events.end, index: 'event_of_series' },
  { shown: eventSeries.west, best: sql`min`, of: events.x, index: 'event_of_series' },
  { shown: eventSeries.east, best: sql`max`, of: events.x, index: 'event_of_series' },
  { shown: eventSeries.south, best: sql`min`, of: events.y, index: 'event_of_series' },
  { shown: eventSeries.north, best: sql`max`, of: events.y, index: 'event_of_series' },
].map((each) => ({ ...each, name: nameOf(each.shown), indexed: sql`INDEXED BY ${sql.identifier(each.index)}` }))

const COUNT = nameOf(eventSeries.eventCount)
const extremes = listed(DERIVED.map(({ name, best, of }) => sql`${best}(${of}) AS ${name}`))

/** Of the events with these ids, a JSON array, those of each series: how many, and their extremes. */
const GROUPED = sql`(SELECT ${events.eventSeriesId} AS id, count(*) AS count, ${extremes}
  FROM json_each(?1) AS row CROSS JOIN ${events} ON ${events.id} = row.value GROUP BY 1) AS these`

/** Stands in a column whose value is to be found anew; never outside of a batch. */
const STALE = sql`'stale'`

/**
 * Takes events, a JSON array of ids, out of what their series show, while they are stored: an extreme that only they have
 * is stale then, and is found anew by RENEW once they are deleted or changed.
 */
export const SHRINK = sql`UPDATE ${eventSeries} SET ${COUNT} = ${eventSeries.eventCount} - these.count, ${listed(
  DERIVED.map(
    ({ shown, name, of, indexed }) => sql`
    ${name} = CASE WHEN ${shown} = these.${name} AND NOT EXISTS (
      SELECT 1 FROM ${events} ${indexed} WHERE ${events.eventSeriesId} = ${eventSeries.id}
        AND ${of} = ${shown} AND ${events.id} NOT IN (SELECT value FROM json_each(?1)))
      THEN ${STALE} ELSE ${shown} END`,
  ),
)}
  FROM ${GROUPED} WHERE ${eventSeries.id} = these.id`

/** Finds what is stale anew, of series, a JSON array of ids. */
export const RENEW = sql`UPDATE ${eventSeries} SET ${listed(
  DERIVED.map(
    ({ shown, name, best, of, indexed }) => sql`
    ${name} = CASE WHEN ${shown} = ${STALE} THEN (
      SELECT ${best}(${of}) FROM ${events} ${indexed} WHERE ${events.eventSeriesId} = ${eventSeries.id})
      ELSE ${shown} END`,
  ),
)}
  WHERE ${eventSeries.id} IN (SELECT value FROM json_each(?1))`

/** Adds events, a JSON array of ids, to what their series show, once they are stored. */
export const GROW = sql`UPDATE ${eventSeries} SET ${COUNT} = ${eventSeries.eventCount} + these.count, ${listed(
  DERIVED.map(
    ({ shown, name, best }) => sql`
    ${name} = coalesce(${best}(${shown}, these.${name}), ${shown}, these.${name})`,
  ),
)}
  FROM ${GROUPED} WHERE ${eventSeries.id} = these.id`

/** Computes the derived columns of all series again. */
export const DERIVE_ALL = sql`UPDATE ${eventSeries} SET ${COUNT} = coalesce(these.count, 0), ${listed(
  DERIVED.map(({ name }) => sql`${name} = these.${name}`),
)}
  FROM (SELECT entry.id AS series, computed.* FROM ${eventSeries} AS entry LEFT JOIN (
    SELECT ${events.eventSeriesId} AS key, count(*) AS count, ${extremes} FROM ${events} GROUP BY 1) AS computed
    ON computed.key = entry.id) AS these
  WHERE ${eventSeries.id} = these.series`

/** Queries for events of a series that, together, make up all that it shows. */
export const EXTREMES = DERIVED.map(
  ({ shown, of, indexed }) =>
    (series: number): SQL =>
      sql`SELECT ${events.id} AS id FROM ${events} ${indexed} WHERE ${events.eventSeriesId} = ${series}
        AND ${of} = (SELECT ${shown} FROM ${eventSeries} WHERE ${eventSeries.id} = ${series}) LIMIT 1`,
)

/** Whether events, a JSON array of ids, make up all that a series, its id, shows. */
export const MAKE_UP = sql`EXISTS (SELECT 1 FROM (
    SELECT ${extremes} FROM ${events}
    WHERE ${events.id} IN (SELECT value FROM json_each(?1)) AND ${events.eventSeriesId} = CAST(?2 AS INTEGER)) AS these
  JOIN ${eventSeries} ON ${eventSeries.id} = CAST(?2 AS INTEGER)
    AND ${sql.join(
      DERIVED.map(({ shown, name }) => sql`${shown} IS these.${name}`),
      sql` AND `,
    )})`
