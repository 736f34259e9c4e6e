import { at } from '../collections.ts'
import { conditionOf } from '../cql2/condition.ts'
import { fault } from '../cql2/expression.ts'
import { readJson } from '../cql2/json.ts'
import { readText } from '../cql2/text.ts'
import type { SentCursor } from '../engine/conditions/cursor.ts'
import type { Order } from '../engine/conditions/page.ts'
import type { Condition as Planned } from '../engine/d1/condition.ts'
import { refusalsOf } from '../engine/d1/refusals.ts'
import { conditionsFor } from '../engine/d1/write.ts'
import type { Database } from '../engine/run/database.ts'
import { ApiError, ValueError } from '../errors.ts'
import { boundsOf } from '../filters/spatial.ts'
import { intervalOf } from '../filters/temporal.ts'
import { isItems } from '../formats/formats.ts'
import { inEnglish } from '../messages.ts'
import type { Condition } from '../question/condition.ts'
import { type Found, fetchRows, type RowsRequest } from '../request/content.ts'
import { conditionsOf, narrowed, orderBy } from '../request/page.ts'
import { oneOf, parameterIn, read, refuseFaults, type Values, wholeNumber } from '../request/parameters.ts'
import type { Query } from '../request/read.ts'
import type { Resource } from '../resource.ts'
import type { Collection } from './collection.ts'
import { sridOf } from './crs.ts'
import { LANGUAGES, LIMIT, RESULT_TYPES, SEPARATOR } from './request.ts'

export interface ItemsRequest {
  /** The conditions of the parameters. `narrowed` adds the conditions of the collection. */
  readonly conditions: readonly Planned[]
  /** The SRID of the answer. The value 0 is longitude and latitude. */
  readonly srid: number
  readonly order: Order
  readonly limit: number
  readonly offset: number
  readonly hint: string
  readonly hits: boolean
}

/** Plans a request for items. Throws one 400 that names every bad parameter. */
export const readItemsRequest = (collection: Collection, query: Pick<Query, 'values' | 'format'>): ItemsRequest => {
  const { values } = query
  const { during, inBounds, resource } = collection
  const boundsIn = read(values, 'bbox-crs', sridOf, 0)
  const inTime = (text: string) => text.split(SEPARATOR).flatMap((each) => during(intervalOf(each)))
  const inBox = (text: string) => [inBounds(boundsOf(text, boundsIn !== 0), boundsIn)]
  const own = [
    ...read(values, 'datetime', inTime, []),
    ...readFilter(values, collection),
    ...read(values, 'bbox', inBox, []),
  ]
  const request = {
    conditions: [...conditionsOf(resource, values), ...own.flatMap((each) => conditionsFor(resource.list, each))],
    srid: readSystem(query),
    order: read(values, 'sortby', (text) => orderOf(resource, values, text), { column: null, descending: false }),
    limit: read(values, 'limit', limitOf, LIMIT.default),
    offset: read(values, 'offset', wholeNumber(0, 999_999_999), 0),
    hits: read(values, 'resultType', oneOf(RESULT_TYPES), 'results') === 'hits',
    hint: read(values, 'hint', (text) => text, ''),
  }
  refuseFaults(values)
  return request
}

/** Reads the reference system of an answer. The formats of lists have no other than longitude and latitude. */
export const readSystem = ({ values, format }: Pick<Query, 'values' | 'format'>): number => {
  const systemIn = (uri: string) => {
    const srid = sridOf(uri)
    if (srid === 0 || !isItems(format)) return srid
    throw new ValueError('Only f=json, f=geojson and f=html accept other reference systems. Leave crs out.')
  }
  return read(values, 'crs', systemIn, 0)
}

/** Reads the filter in CQL2. Without one, there are no conditions. */
const readFilter = (
  values: Values,
  { properties, resource: { filters, list } }: Pick<Collection, 'properties' | 'resource'>,
): readonly Condition[] => {
  const language = read(values, 'filter-lang', oneOf<(typeof LANGUAGES)[number]>(LANGUAGES), 'cql2-text')
  const srid = read(values, 'filter-crs', sridOf, 0)
  const adviceOn = (name: string, known: string): string => {
    const { description = '' } = filters.get(name) ?? {}
    const attribute = `attributes__${name}`
    if (description !== '') return `It is a parameter beside filter. ${description.slice(0, -1)}`
    return parameterIn(filters, attribute) ? `${known}. For an attribute, enter ${attribute} beside filter` : known
  }
  const parse = (text: string): readonly Condition[] => {
    const expression = language === 'cql2-json' ? readJson(text, srid) : readText(text, srid)
    const places = new Map<Condition, string>()
    const condition = conditionOf(expression, { properties, adviceOn, places })
    const [refusal] = refusalsOf(list, condition)
    if (refusal === undefined) return [condition]
    throw fault(places.get(refusal.of as Condition) ?? expression.at, inEnglish(refusal.message).replace(/\.$/, ''))
  }
  return read(values, 'filter', parse, [])
}

/** Reads a limit. A number above the maximum is the maximum (Part 1, 7.15.2, /req/core/fc-limit-response-1). */
const limitOf = (text: string): number => {
  if (!/^\s*\+?\d+\s*$/.test(text) || Number(text) < LIMIT.minimum)
    throw new ValueError(`Enter a whole number from ${LIMIT.minimum} to ${LIMIT.maximum}.`)
  return Math.min(Number(text), LIMIT.maximum)
}

/** Reads an order (Part 8). Ties are always broken by id, so `id` may follow in the same direction. */
const orderOf = (resource: Resource, values: Values, text: string): Order => {
  const [first = '', ...ties] = text.split(',')
  const [, sign, name] = /^\s*([+-]?)(\w+)$/.exec(first) ?? []
  const isReverse = sign === '-'
  const example = `-${at(Object.keys(resource.orderings), 1)}`
  if (!ties.every((tie) => (isReverse ? /^\s*-id$/ : /^\s*\+?id$/).test(tie)))
    throw new ValueError(
      `Enter one property, such as ${example}. Only id in the same direction may follow: ${example},-id.`,
    )
  return orderBy(resource, values, 'sortby', name, isReverse)
}

/**
 * Reads features from an offset. A cursor continues after the last feature of the slice before, even if data was
 * written since.
 */
export const readItems = async (
  db: Database,
  { resource }: Collection,
  { conditions, limit, offset, hits, order }: ItemsRequest,
  cursor: SentCursor | null,
): Promise<Found> => {
  const number = Math.floor(offset / limit) + 1
  // A cursor finds its row by itself. The page number must only be greater than 1.
  const first = cursor === null ? { page: number, skipped: offset % limit } : { page: Math.max(2, number), skipped: 0 }
  const about = narrowed(resource, { conditions, order, include: null })
  const fetch = (slice: Pick<RowsRequest, 'page' | 'pageSize' | 'cursor' | 'skipped'>) =>
    fetchRows(db, resource, { ...about, ...slice })
  const found = hits ? null : await fetch({ ...first, pageSize: limit, cursor }).catch(nullAfterEnd)
  if (found !== null) return found
  const { page } = await fetch({ page: 1, pageSize: 1, cursor: null })
  return { page: { ...page, rows: [], next: null }, rows: [] }
}

const nullAfterEnd = (error: unknown): null => {
  if (error instanceof ApiError && error.status === 404) return null
  throw error
}
