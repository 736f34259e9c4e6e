import { sql } from 'drizzle-orm'
import { at } from '../collections.ts'
import type { Row } from '../engine/conditions/table.ts'
import { inOneArea } from '../engine/d1/area.ts'
import type { Condition } from '../engine/d1/condition.ts'
import { fetchAll } from '../engine/read.ts'
import type { Database } from '../engine/run/database.ts'
import { badRequest } from '../errors.ts'
import { type Area, combine } from '../geometry/within.ts'
import type { Steps } from '../work.ts'
import type { Collection } from './collection.ts'
import type { ItemsRequest } from './items.ts'

/** The most events in all areas under OR or NOT. The Worker sends their ids back, up to 16 characters each. */
export const MAX_WITHIN = 100_000

/** The most such areas in a request. The list of ids of each is a parameter, and D1 allows 100 in a statement. */
export const MAX_AREAS = 50

/**
 * Calls `read` with the conditions of a request, with SQL in place of areas under OR or NOT, which SQL cannot test. The
 * Worker first reads the ids of the events in these areas and in `within`.
 */
export const readDecided = async <T>(
  db: Database,
  collection: Collection,
  { areas, conditions }: ItemsRequest,
  within: readonly Area[],
  read: (conditions: readonly Condition[]) => Promise<T>,
): Promise<T> => {
  const { id, fixed = [] } = collection.resource
  if (areas.length === 0) return read([...fixed, ...conditions([])])
  if (areas.length > MAX_AREAS)
    throw badRequest(
      `With OR or NOT a filter may have at most ${MAX_AREAS} separate geometries. Join geometries directly by OR or AND, or enter boxes.`,
    )
  const lists = await idsIn(db, collection, areas, within)
  const ofAreas = lists.map((ids) => sql`${id} IN (SELECT value FROM json_each(${`[${ids.join(',')}]`}))`)
  return read([...fixed, ...conditions(ofAreas)])
}

/** Reads the ids of the events in each area and in `within`. Throws a 400 for more than MAX_WITHIN ids. */
const idsIn = async (
  db: Database,
  { resource, properties }: Collection,
  areas: readonly Area[],
  within: readonly Area[],
): Promise<readonly (readonly number[])[]> => {
  const { joins: _, fixed = [], ...table } = resource
  const place = Object.values(properties).find((property) => property.kind === 'place')
  if (place === undefined) throw new RangeError('The collection has no place.')
  const any = areas.length === 1 ? at(areas, 0) : combine(areas, (isWithin) => areas.some(isWithin))
  const conditions = inOneArea([...fixed, ...[any, ...within].map((area) => ({ kind: 'area' as const, area }))])
  const order = { column: null, descending: false }
  const request = { conditions, order, page: 1, pageSize: 1, cursor: null, after: null, consistent: false }
  const columns = { id: resource.id, x: place.x, y: place.y }
  const { count, batches } = await fetchAll(db, { ...table, columns }, request)
  const lists = areas.map((): number[] => [])
  const refuseMany = (ids: number) => {
    if (ids > MAX_WITHIN)
      throw badRequest(
        `With OR or NOT the geometries may contain at most ${MAX_WITHIN.toLocaleString('en')} events. Enter smaller geometries or boxes, or join them by AND.`,
      )
  }
  const sort = function* (rows: readonly Row[]): Steps<void> {
    for (const { id, x, y } of rows) {
      for (const [i, area] of areas.entries()) if (area.contains(Number(x), Number(y))) at(lists, i).push(Number(id))
      yield
    }
  }
  refuseMany(count)
  for await (const rows of batches) {
    await db.read.work.run(sort(rows))
    refuseMany(lists.reduce((sum, { length }) => sum + length, 0))
  }
  return lists
}
