import { sql } from 'drizzle-orm'
import { eventSeries as table } from '../../schema/tables.ts'
import { eventSeriesV4 } from '../api/series.ts'
import { at } from '../collections.ts'
import type { Database } from '../engine/run/database.ts'
import { isoInstant, MILLISECONDS } from '../filters/temporal.ts'
import type { Bbox } from '../geometry/bbox.ts'
import type { Collection } from './collection.ts'

/** The number of features in a collection that the caller sees, and their extent in space and time. */
export interface Extent {
  readonly count: number
  /** Null if no feature has a place. */
  readonly bbox: Bbox | null
  readonly interval: readonly (string | null)[] | null
}

/** Reads the extents of collections. Only series are read, because each stores the number and extent of its events. */
export const readExtents = async (
  db: Database,
  collections: readonly Collection[],
  level: number,
): Promise<Extent[]> => {
  const seen = eventSeriesV4.visible(level) ?? sql`1`
  const answers = await db.read(
    ...collections.map(
      ({ series }) => sql`SELECT count(*) AS series, coalesce(sum(${table.eventCount}), 0) AS events,
        min(${table.west}) AS west, min(${table.south}) AS south, max(${table.east}) AS east, max(${table.north}) AS north,
        min(${table.start}) AS start, max(${table.end}) AS "end" FROM ${table} WHERE ${seen} AND ${series ?? sql`1`}`,
    ),
  )
  return collections.map(({ ofSeries }, i) => {
    const { series, events, west, south, east, north, start, end } = at(at(answers, i), 0)
    return {
      count: ofSeries ? series : events,
      bbox: west === null ? null : [west, south, east, north],
      interval: start === null ? null : [isoInstant(start, MILLISECONDS), isoInstant(end, MILLISECONDS)],
    }
  })
}
