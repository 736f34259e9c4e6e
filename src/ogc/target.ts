import { eq } from 'drizzle-orm'
import { eventSeries } from '../../schema/tables.ts'
import { eventSeriesV4 } from '../api/series.ts'
import { fetchItem } from '../engine/read.ts'
import type { Database } from '../engine/run/database.ts'
import { notFound } from '../errors.ts'
import type { SeriesRow } from '../model/types.ts'
import type { RequestContext } from '../request/route.ts'
import type { Collection } from './collection.ts'
import { eventCollection, eventsOfSeries } from './events.ts'
import { seriesCollection } from './series.ts'
import type { TileMatrixSet } from './tileMatrix.ts'

/** The collections that `/ogc/collections` lists. Each series also has a collection of its events, `events-<uuid>`. */
export const COLLECTIONS: readonly Collection[] = [eventCollection, seriesCollection]

export interface CollectionTarget {
  readonly id: string
  /** The part of the collection that is known without the database. */
  readonly own: Collection
  /** The tile matrix set that the address names, or Web Mercator. */
  readonly set: TileMatrixSet
  /** Finds the collection. Throws a 404 if the caller does not see it. */
  readonly find: (db: Database, level: number) => Promise<Collection>
  /** True if every caller may know that the collection exists. */
  readonly isListed: boolean
}

const PREFIX = 'events-'

/** The pattern of the id of a series's collection. Hono allows no braces in it. */
export const SERIES_ID = `${PREFIX}${[8, 4, 4, 4, 12].map((digits) => '[0-9a-f]'.repeat(digits)).join('-')}`

/** Returns the collection at an address: the listed one, or that of the series in the address. */
export const targetAt = (c: RequestContext, own: Collection, set: TileMatrixSet): CollectionTarget => {
  const id = c.req.param('id')
  if (id === undefined) return { id: own.id, own, set, find: async () => own, isListed: true }
  const find = async (db: Database, level: number) => {
    const row = await fetchItem(db, eventSeriesV4, eq(eventSeries.uuid, id.slice(PREFIX.length)), level)
    if (row === null) throw notFound()
    return eventsOfSeries(row as SeriesRow) // the list reads these columns
  }
  return { id, own, set, find, isListed: false }
}
