import { type SQL, sql } from 'drizzle-orm'
import { at } from '../collections.ts'
import { readJson } from '../cql2/json.ts'
import { readText } from '../cql2/text.ts'
import { conditionsFor } from '../cql2/write.ts'
import type { Order } from '../engine/conditions/order.ts'
import { ValueError } from '../errors.ts'
import type { Condition } from '../filters/filter.ts'
import { boundsOf } from '../filters/spatial.ts'
import { intervalOf } from '../filters/temporal.ts'
import type { Bbox } from '../geometry/bbox.ts'
import type { Area } from '../geometry/within.ts'
import { conditionsOf, orderBy } from '../request/page.ts'
import { attempt, read, refuseFaults, type Values, wholeNumber } from '../request/parameters.ts'
import type { Collection } from './collection.ts'
import { asValue, boxIn, sridOf } from './crs.ts'
import { LANGUAGES, LIMIT, RESULT_TYPES } from './parameters.ts'
import { DATETIME, SEPARATOR } from './request.ts'

/** The features that a client requests. */
export interface ItemsRequest {
  readonly conditions: readonly Condition[]
  readonly bounds: Bbox | null
  /** The SRIDs of the bounds and of the answer. The value 0 is longitude and latitude. */
  readonly boundsIn: number
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
  const { filters, fixed } = collection
  const boundsIn = read(values, 'bbox-crs', sridOf, 0)
  const request = {
    conditions: [
      ...fixed,
      ...conditionsOf({ filters }, values),
      ...inTime(collection, values),
      ...filtered(collection, values, within),
    ],
    bounds: read(values, 'bbox', (text) => boundsOf(text, boundsIn !== 0), null),
    boundsIn,
    srid: read(values, 'crs', sridOf, 0),
    order: read(values, 'sortby', orderOf(collection), { column: null, descending: false }),
    limit: read(values, 'limit', limitOf, LIMIT.default),
    offset: read(values, 'offset', wholeNumber(0, 999_999_999), 0),
    hits: read(values, 'resultType', oneOf(RESULT_TYPES), 'results') === 'hits',
    areas,
    decidedBy: (areaConditions: readonly SQL[]) => readItemsRequest(collection, values, areaConditions),
  }
  if (request.bounds !== null && request.boundsIn !== 0)
    attempt(values, 'bbox', () => asValue(() => request.bounds && boxIn(request.bounds, request.boundsIn)), null)
  refuseFaults(values)
  return request
}

const inTime = ({ during }: Collection, values: Values): Condition[] =>
  read(values, DATETIME, (text) => text.split(SEPARATOR).flatMap((each) => during(...intervalOf(each))), [])

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

/** Reads an order. Ties are always broken by id, so `id` may follow. */
const orderOf =
  ({ resource }: Collection) =>
  (text: string): Order => {
    const names = text.split(',')
    const [, sign, name] = /^\s*([+-]?)(\w+)$/.exec(at(names, 0)) ?? []
    const isOne = names.slice(1).every((other) => /^\s*\+?id$/.test(other))
    return orderBy(resource, isOne ? name : undefined, sign === '-')
  }
