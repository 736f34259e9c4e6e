import { type SQL, sql } from 'drizzle-orm'
import { fetchAll } from '../engine/read.ts'
import type { Database } from '../engine/run/database.ts'
import { DataChanged, untilUnchanged } from '../engine/run/snapshot.ts'
import { badRequest } from '../errors.ts'
import { inOneArea } from '../filters/spatial.ts'
import type { Area } from '../geometry/within.ts'
import { isSame, type State } from '../state.ts'
import type { Collection } from './collection.ts'
import type { ItemsRequest } from './items.ts'

/** The most events in all areas under OR or NOT. The Worker sends their ids back, up to 16 characters each. */
export const MAX_WITHIN = 100_000

/**
 * The most such areas in a request. The search in an area takes about three round trips, and D1 allows 1,000 queries.
 */
export const MAX_AREAS = 50

/**
 * Calls `read` with SQL conditions in place of areas under OR or NOT, which SQL cannot test. The Worker first reads the
 * ids of the events in these areas and in `within`, from the same state of the data.
 */
export const readDecided = async <T>(
  db: Database,
  collection: Collection,
  request: ItemsRequest,
  level: number,
  within: readonly Area[],
  read: (decided: ItemsRequest) => Promise<T>,
): Promise<T> => {
  const { areas } = request
  if (areas.length === 0) return read(request)
  if (areas.length > MAX_AREAS)
    throw badRequest(
      `With OR or NOT a filter may have at most ${MAX_AREAS} separate geometries. Join geometries directly by OR or AND, or enter boxes.`,
    )
  return untilUnchanged(async () => {
    const areaConditions: SQL[] = []
    const states: (State | null)[] = []
    let left = MAX_WITHIN
    for (const area of areas) {
      const ids = await idsIn(db, collection, [area, ...within], level, left)
      left -= ids.length
      states.push(db.state())
      areaConditions.push(sql`${collection.resource.id} IN (SELECT value FROM json_each(${`[${ids.join(',')}]`}))`)
    }
    const isOneState = () => states.every((state) => isSame(state, db.state()))
    if (!isOneState()) throw new DataChanged()
    const answer = await read(request.decidedBy(areaConditions))
    if (!isOneState()) throw new DataChanged()
    return answer
  })
}

/** Reads the ids of the events in all these areas. Throws a 400 for more than `most`. */
const idsIn = async (
  db: Database,
  { resource }: Collection,
  areas: readonly Area[],
  level: number,
  most: number,
): Promise<number[]> => {
  const { joins: _, fixed = [], ...table } = resource
  const conditions = inOneArea([...fixed, ...areas.map((area) => ({ kind: 'area' as const, area }))])
  const order = { column: null, descending: false }
  const request = { conditions, order, page: 1, pageSize: 1, cursor: null, key: null, after: null, consistent: true }
  const { count, batches } = await fetchAll(db, { ...table, columns: { id: resource.id } }, request, level)
  if (count > most)
    throw badRequest(
      `With OR or NOT a geometry may contain at most ${MAX_WITHIN.toLocaleString('en')} events. Enter a smaller geometry or a box, or join the geometry by AND.`,
    )
  const ids: number[] = []
  for await (const rows of batches) for (const { id } of rows) ids.push(Number(id))
  return ids
}
