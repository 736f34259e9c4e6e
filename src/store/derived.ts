import { type SQL, sql } from 'drizzle-orm'
import { listed, nameOf } from '../../schema/sql.ts'
import { eventSeries, events } from '../../schema/tables.ts'

/**
 * The extremes that a series shows. Each has the column of the series, the aggregate, the column of the events, and the
 * index for the search.
 */
const DERIVED = [
  { column: eventSeries.start, aggregate: sql`min`, source: events.start, index: 'event_of_series' },
  { column: eventSeries.end, aggregate: sql`max`, source: events.end, index: 'event_of_series' },
  { column: eventSeries.west, aggregate: sql`min`, source: events.x, index: 'event_of_series' },
  { column: eventSeries.east, aggregate: sql`max`, source: events.x, index: 'event_of_series' },
  { column: eventSeries.south, aggregate: sql`min`, source: events.y, index: 'event_of_series' },
  { column: eventSeries.north, aggregate: sql`max`, source: events.y, index: 'event_of_series' },
].map((each) => ({ ...each, name: nameOf(each.column), indexed: sql`INDEXED BY ${sql.identifier(each.index)}` }))

const COUNT = nameOf(eventSeries.eventCount)
const extremes = listed(DERIVED.map(({ name, aggregate, source }) => sql`${aggregate}(${source}) AS ${name}`))

/** The count and the extremes of events in each series. The events are given by ids, a JSON array. */
const GROUPED = sql`(SELECT ${events.eventSeriesId} AS id, count(*) AS count, ${extremes}
  FROM json_each(?1) AS row CROSS JOIN ${events} ON ${events.id} = row.value GROUP BY 1) AS these`

/** Marks a column whose value must be computed. It is only stored within a batch. */
const STALE = sql`'stale'`

/**
 * Subtracts events from the derived columns of their series. The parameter is a JSON array of ids, and the events are
 * still stored. If only these events have an extreme, it becomes stale. RENEW computes it after they are deleted or
 * changed.
 */
export const SHRINK = sql`UPDATE ${eventSeries} SET ${COUNT} = ${eventSeries.eventCount} - these.count, ${listed(
  DERIVED.map(
    ({ column, name, source, indexed }) => sql`
    ${name} = CASE WHEN ${column} = these.${name} AND NOT EXISTS (
      SELECT 1 FROM ${events} ${indexed} WHERE ${events.eventSeriesId} = ${eventSeries.id}
        AND ${source} = ${column} AND ${events.id} NOT IN (SELECT value FROM json_each(?1)))
      THEN ${STALE} ELSE ${column} END`,
  ),
)}
  FROM ${GROUPED} WHERE ${eventSeries.id} = these.id`

/** Computes the stale columns of series. The parameter is a JSON array of their ids. */
export const RENEW = sql`UPDATE ${eventSeries} SET ${listed(
  DERIVED.map(
    ({ column, name, aggregate, source, indexed }) => sql`
    ${name} = CASE WHEN ${column} = ${STALE} THEN (
      SELECT ${aggregate}(${source}) FROM ${events} ${indexed} WHERE ${events.eventSeriesId} = ${eventSeries.id})
      ELSE ${column} END`,
  ),
)}
  WHERE ${eventSeries.id} IN (SELECT value FROM json_each(?1))`

/** Adds stored events to the derived columns of their series. The parameter is a JSON array of ids. */
export const GROW = sql`UPDATE ${eventSeries} SET ${COUNT} = ${eventSeries.eventCount} + these.count, ${listed(
  DERIVED.map(
    ({ column, name, aggregate }) => sql`
    ${name} = coalesce(${aggregate}(${column}, these.${name}), ${column}, these.${name})`,
  ),
)}
  FROM ${GROUPED} WHERE ${eventSeries.id} = these.id`

/** Computes the derived columns of all series. */
export const DERIVE_ALL = sql`UPDATE ${eventSeries} SET ${COUNT} = coalesce(these.count, 0), ${listed(
  DERIVED.map(({ name }) => sql`${name} = these.${name}`),
)}
  FROM (SELECT entry.id AS series, computed.* FROM ${eventSeries} AS entry LEFT JOIN (
    SELECT ${events.eventSeriesId} AS key, count(*) AS count, ${extremes} FROM ${events} GROUP BY 1) AS computed
    ON computed.key = entry.id) AS these
  WHERE ${eventSeries.id} = these.series`

/** Queries for events of a series that together have all its extremes. */
export const EXTREMES = DERIVED.map(
  ({ column, source, indexed }) =>
    (series: number): SQL =>
      sql`SELECT ${events.id} AS id FROM ${events} ${indexed} WHERE ${events.eventSeriesId} = ${series}
        AND ${source} = (SELECT ${column} FROM ${eventSeries} WHERE ${eventSeries.id} = ${series}) LIMIT 1`,
)

/**
 * Tests if events have all extremes of a series. The parameters are a JSON array of the events' ids, and the id of the
 * series.
 */
export const MAKE_UP = sql`EXISTS (SELECT 1 FROM (
    SELECT ${extremes} FROM ${events}
    WHERE ${events.id} IN (SELECT value FROM json_each(?1)) AND ${events.eventSeriesId} = CAST(?2 AS INTEGER)) AS these
  JOIN ${eventSeries} ON ${eventSeries.id} = CAST(?2 AS INTEGER)
    AND ${sql.join(
      DERIVED.map(({ column, name }) => sql`${column} IS these.${name}`),
      sql` AND `,
    )})`
