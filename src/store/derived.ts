import { sql } from 'drizzle-orm'
import { listed, nameOf } from '../../schema/sql.ts'
import { eventSeries, events } from '../../schema/tables.ts'
import { RAISE_SERIES } from './statement.ts'

/** The extremes that a series shows: its column, and the column of the events whose least or greatest value it has. */
const DERIVED = [
  { column: eventSeries.start, least: true, source: events.start },
  { column: eventSeries.end, least: false, source: events.end },
  { column: eventSeries.west, least: true, source: events.x },
  { column: eventSeries.east, least: false, source: events.x },
  { column: eventSeries.south, least: true, source: events.y },
  { column: eventSeries.north, least: false, source: events.y },
].map((each) => ({ ...each, name: nameOf(each.column), aggregate: each.least ? sql`min` : sql`max` }))

const INDEXED = sql`INDEXED BY event_of_series`
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
 * changed. Most events have no extreme of their own, so a write reads the whole series only rarely.
 */
export const SHRINK = sql`UPDATE ${eventSeries} SET ${COUNT} = ${eventSeries.eventCount} - these.count, ${listed(
  DERIVED.map(
    ({ column, name, source }) => sql`
    ${name} = CASE WHEN ${column} = these.${name} AND NOT EXISTS (
      SELECT 1 FROM ${events} ${INDEXED} WHERE ${events.eventSeriesId} = ${eventSeries.id}
        AND ${source} = ${column} AND ${events.id} NOT IN (SELECT value FROM json_each(?1)))
      THEN ${STALE} ELSE ${column} END`,
  ),
)}
  FROM ${GROUPED} WHERE ${eventSeries.id} = these.id`

/** Computes the stale columns of series. The parameter is a JSON array of their ids. */
export const RENEW = sql`UPDATE ${eventSeries} SET ${listed(
  DERIVED.map(
    ({ column, name, aggregate, source }) => sql`
    ${name} = CASE WHEN ${column} = ${STALE} THEN (
      SELECT ${aggregate}(${source}) FROM ${events} ${INDEXED} WHERE ${events.eventSeriesId} = ${eventSeries.id})
      ELSE ${column} END`,
  ),
)}
  WHERE ${eventSeries.id} IN (SELECT value FROM json_each(?1))`

/**
 * Adds stored events to the derived columns of their series. The parameter is a JSON array of their ids. The scalar min
 * and max are null if one side is null. Then the other side is the result. A load writes no other row of its series.
 */
export const GROW = sql`UPDATE ${eventSeries} SET ${RAISE_SERIES},
  ${COUNT} = ${eventSeries.eventCount} + these.count, ${listed(
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
