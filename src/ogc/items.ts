import { type SQL, sql } from 'drizzle-orm'
import { at } from '../collections.ts'
import { readJson } from '../cql2/json.ts'
import { readText } from '../cql2/text.ts'
import { conditionsFor } from '../cql2/write.ts'
import { formatCursor, type Order, parseCursor, type Seal } from '../engine/conditions/page.ts'
import type { Database } from '../engine/run/database.ts'
import { DataChanged, untilUnchanged } from '../engine/run/snapshot.ts'
import { ApiError, ValueError } from '../errors.ts'
import type { Condition } from '../filters/filter.ts'
import { boundsOf, inOneArea } from '../filters/spatial.ts'
import { intervalOf } from '../filters/temporal.ts'
import type { Area } from '../geometry/within.ts'
import { type Found, fetchRows, type RowsRequest } from '../request/content.ts'
import { orderBy } from '../request/order.ts'
import { conditionsOf } from '../request/page.ts'
import { attempt, read, refuseFaults, type Values, wholeNumber } from '../request/parameters.ts'
import type { Boxed, Collection } from './collection.ts'
import { sridOf } from './crs.ts'
import { LANGUAGES, LIMIT, RESULT_TYPES } from './parameters.ts'
import { DATETIME, SEPARATOR } from './request.ts'

export interface ItemsRequest {
  readonly conditions: readonly Condition[]
  /** The conditions for the parameter bbox. Null without it. */
  readonly box: Boxed | null
  /** The SRID of the answer. The value 0 is longitude and latitude. */
  readonly srid: number
  readonly order: Order
  readonly limit: number
  readonly offset: number
  readonly hits: boolean
  /**
   * Areas under OR or NOT, which SQL cannot test. `decidedBy` returns the same request with a condition in place of
   * each.
   */
  readonly areas: readonly Area[]
  readonly decidedBy: (areaConditions: readonly SQL[]) => ItemsRequest
}

/**
 * Plans a request for items. Throws one 400 that names every bad parameter. `areaConditions` has a condition for each
 * of `areas`.
 */
export const readItemsRequest = (
  collection: Collection,
  values: Values,
  areaConditions: readonly SQL[] = [],
): ItemsRequest => {
  const areas: Area[] = []
  const within = (area: Area): SQL => {
    if (!areas.includes(area)) areas.push(area)
    return areaConditions[areas.indexOf(area)] ?? sql`0`
  }
  const { during, inBounds, resource } = collection
  const boundsIn = read(values, 'bbox-crs', sridOf, 0)
  const inTime = (text: string) => text.split(SEPARATOR).flatMap((each) => during(...intervalOf(each)))
  const conditions = [
    ...(resource.fixed ?? []),
    ...conditionsOf(resource, values),
    ...read(values, DATETIME, inTime, []),
    ...filtered(collection, values, within),
  ]
  const bounds = read(values, 'bbox', (text) => boundsOf(text, boundsIn !== 0), null)
  const request = {
    conditions,
    srid: read(values, 'crs', sridOf, 0),
    order: read(values, 'sortby', orderIn(resource, values), { column: null, descending: false }),
    limit: read(values, 'limit', limitOf, LIMIT.default),
    offset: read(values, 'offset', wholeNumber(0, 999_999_999), 0),
    hits: read(values, 'resultType', oneOf(RESULT_TYPES), 'results') === 'hits',
    areas,
    decidedBy: (areaConditions: readonly SQL[]) => readItemsRequest(collection, values, areaConditions),
  }
  const box = bounds && attempt(values, 'bbox', () => inBounds(bounds, boundsIn), null)
  refuseFaults(values)
  return { ...request, box }
}

const filtered = ({ properties }: Collection, values: Values, within: (area: Area) => SQL): Condition[] => {
  const language = read(values, 'filter-lang', oneOf(LANGUAGES), 'cql2-text')
  const srid = read(values, 'filter-crs', sridOf, 0)
  const readFilter = language === 'cql2-json' ? readJson : readText
  return read(values, 'filter', (text) => conditionsFor(readFilter(text, srid), { properties, within }), [])
}

const oneOf =
  <T extends string>(choices: readonly T[]) =>
  (text: string): T => {
    const match = choices.find((choice) => choice === text)
    if (match === undefined) throw new ValueError(`Enter one of ${choices.join(', ')}.`)
    return match
  }

/** Reads a limit. A number above the maximum is the maximum (Part 1, 7.15.2, /req/core/fc-limit-response-1). */
const limitOf = (text: string): number => {
  if (!/^\s*\+?\d+\s*$/.test(text) || Number(text) < LIMIT.minimum)
    throw new ValueError(`Enter a whole number from ${LIMIT.minimum} to ${LIMIT.maximum}.`)
  return Math.min(Number(text), LIMIT.maximum)
}

/** Reads an order (Part 8). Ties are always broken by id, so `id` may follow. */
const orderIn =
  (resource: Collection['resource'], values: Values) =>
  (text: string): Order => {
    const names = text.split(',')
    const [, sign, name] = /^\s*([+-]?)(\w+)$/.exec(at(names, 0)) ?? []
    const example = `-${at(Object.keys(resource.orderings), 1)}`
    const isReverse = sign === '-'
    // Ties have the direction of the order.
    const isTie = (other: string) => (isReverse ? /^\s*-id$/ : /^\s*\+?id$/).test(other)
    if (!names.slice(1).every(isTie))
      throw new ValueError(
        `Enter one property, such as ${example}. Only id in the same direction may follow: ${example},-id.`,
      )
    return orderBy(resource, values, 'sortby', name, isReverse)
  }

/** Features from an offset, and the start of the next slice. Null at the end. */
export interface Offset extends Found {
  readonly next: { readonly offset: number; readonly hint: string | null } | null
}

/** Identifies the query of a slice without offset and limit, and continues after the slice before. */
interface Continuation {
  readonly key: string
  readonly hint: string
  readonly seal: Seal
}

/**
 * Reads features. The cursor in `hint` continues after the last feature of the slice before, even if data was written
 * since. It is valid only for its own offset, otherwise the offset counts.
 */
export const readItems = async (
  db: Database,
  collection: Collection,
  { limit, offset, hits, order, ...request }: ItemsRequest,
  level: number,
  { key, hint, seal }: Continuation,
): Promise<Offset> => {
  const cursor = offset === 0 ? null : await parseCursor(hint, key, offset, seal)
  const number = Math.floor(offset / limit) + 1
  // A cursor finds its row by itself. The page number must only be greater than 1.
  const first = cursor === null ? { page: number, skipped: offset % limit } : { page: Math.max(2, number), skipped: 0 }
  return untilUnchanged(async (isLast) => {
    const about = { conditions: await inBox(db, collection, request, level), order, include: null }
    const fetch = (page: Pick<RowsRequest, 'page' | 'pageSize' | 'cursor' | 'skipped'>) =>
      fetchRows(db, collection.resource, { ...about, ...page }, level)
    const before = db.state()?.revision
    const found = hits ? null : await fetch({ ...first, pageSize: limit, cursor }).catch(nullAfterEnd)
    const { page } = found ?? (await fetch({ page: 1, pageSize: 1, cursor: null }))
    // The last attempt answers anyway: before, it only read whether events without a place exist.
    if (before !== undefined && before !== db.state()?.revision && !isLast) throw new DataChanged()
    if (found === null) return { page: { ...page, rows: [] }, rows: [], next: null }
    const end = offset + page.rows.length
    const nextHint = page.next?.cursor ? await formatCursor(page.next.cursor, key, end, seal) : null
    return { ...found, next: page.next && { offset: end, hint: nextHint } }
  })
}

const nullAfterEnd = (error: unknown): null => {
  if (error instanceof ApiError && error.status === 404) return null
  throw error
}

/**
 * Returns the conditions of the rows. Events without a place match every box. If the caller sees such events, SQL
 * compares the coordinates. A box of another system is an area, which matches only events with a place.
 */
const inBox = async (
  db: Database,
  { placeless }: Collection,
  { conditions, box }: Pick<ItemsRequest, 'conditions' | 'box'>,
  level: number,
): Promise<Condition[]> => {
  if (box === null) return inOneArea(conditions)
  const isStrict = placeless !== null && at((await db.read(placeless(level)))[0], 0).found === 0
  return inOneArea([...conditions, isStrict ? box.strict : box.loose])
}
