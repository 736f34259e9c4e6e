import { type SQL, sql } from 'drizzle-orm'
import { at } from '../collections.ts'
import { readJson } from '../cql2/json.ts'
import { readText } from '../cql2/text.ts'
import { conditionsFor } from '../cql2/write.ts'
import type { SentCursor } from '../engine/conditions/cursor.ts'
import type { Order } from '../engine/conditions/page.ts'
import { inOneArea } from '../engine/d1/area.ts'
import type { Condition, Properties } from '../engine/d1/condition.ts'
import type { Database } from '../engine/run/database.ts'
import { ApiError, ValueError } from '../errors.ts'
import { boundsOf } from '../filters/spatial.ts'
import { intervalOf } from '../filters/temporal.ts'
import { isItems } from '../formats/formats.ts'
import type { Area } from '../geometry/within.ts'
import { type Found, fetchRows, type RowsRequest } from '../request/content.ts'
import { conditionsOf, orderBy } from '../request/page.ts'
import { attempt, oneOf, parameterIn, read, refuseFaults, type Values, wholeNumber } from '../request/parameters.ts'
import type { Query } from '../request/read.ts'
import type { Resource } from '../resource.ts'
import type { Collection } from './collection.ts'
import { sridOf } from './crs.ts'
import { LANGUAGES, LIMIT, RESULT_TYPES, SEPARATOR } from './request.ts'

export interface ItemsRequest {
  /** The conditions without those of the collection. `ofAreas` has a condition for each of `areas`. */
  readonly conditions: (ofAreas: readonly SQL[]) => readonly Condition[]
  /** The areas under OR or NOT, which SQL cannot test. */
  readonly areas: readonly Area[]
  /** The conditions for the parameter bbox. Null without it. */
  readonly box: ReturnType<Collection['inBounds']> | null
  /** The SRID of the answer. The value 0 is longitude and latitude. */
  readonly srid: number
  readonly order: Order
  readonly limit: number
  readonly offset: number
  readonly hint: string
  readonly hits: boolean
}

/** Plans a request for items. Throws one 400 that names every bad parameter. */
export const readItemsRequest = (
  { during, inBounds, properties, resource }: Collection,
  query: Pick<Query, 'values' | 'format'>,
): ItemsRequest => {
  const { values } = query
  const boundsIn = read(values, 'bbox-crs', sridOf, 0)
  const inTime = (text: string) => text.split(SEPARATOR).flatMap((each) => during(intervalOf(each)))
  const others = [...conditionsOf(resource, values), ...read(values, 'datetime', inTime, [])]
  const filter = readFilter(values, properties, resource)
  const bounds = read(values, 'bbox', (text) => boundsOf(text, boundsIn !== 0), null)
  const request = {
    conditions: (ofAreas: readonly SQL[]) => [...others, ...filter(ofAreas).conditions],
    areas: filter([]).areas,
    srid: readSystem(query),
    order: read(values, 'sortby', (text) => orderOf(resource, values, text), { column: null, descending: false }),
    limit: read(values, 'limit', limitOf, LIMIT.default),
    offset: read(values, 'offset', wholeNumber(0, 999_999_999), 0),
    hits: read(values, 'resultType', oneOf(RESULT_TYPES), 'results') === 'hits',
    hint: read(values, 'hint', (text) => text, ''),
  }
  const box = bounds && attempt(values, 'bbox', () => inBounds(bounds, boundsIn), null)
  refuseFaults(values)
  return { ...request, box }
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

/** Reads the filter in CQL2. The result writes its conditions with those in place of its areas. */
const readFilter = (values: Values, properties: Properties, { filters }: Resource) => {
  const language = read(values, 'filter-lang', oneOf<(typeof LANGUAGES)[number]>(LANGUAGES), 'cql2-text')
  const srid = read(values, 'filter-crs', sridOf, 0)
  const adviceOn = (name: string, known: string): string => {
    const { description = '' } = filters.get(name) ?? {}
    const attribute = `attributes__${name}`
    if (description !== '') return `It is a parameter beside filter. ${description.slice(0, -1)}`
    return parameterIn(filters, attribute) ? `${known}. For an attribute, enter ${attribute} beside filter` : known
  }
  const parse = (text: string) => {
    const expression = language === 'cql2-json' ? readJson(text, srid) : readText(text, srid)
    const write = (ofAreas: readonly SQL[]): { conditions: readonly Condition[]; areas: readonly Area[] } => {
      const areas: Area[] = []
      const within = (area: Area): SQL => {
        if (!areas.includes(area)) areas.push(area)
        return ofAreas[areas.indexOf(area)] ?? sql`0`
      }
      return { conditions: conditionsFor(expression, { properties, within, adviceOn }), areas }
    }
    write([]) // reports the faults of the filter
    return write
  }
  return read(values, 'filter', parse, () => ({ conditions: [], areas: [] }))
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
  { resource, placeless }: Collection,
  conditions: readonly Condition[],
  { box, limit, offset, hits, order }: ItemsRequest,
  cursor: SentCursor | null,
): Promise<Found> => {
  const number = Math.floor(offset / limit) + 1
  // A cursor finds its row by itself. The page number must only be greater than 1.
  const first = cursor === null ? { page: number, skipped: offset % limit } : { page: Math.max(2, number), skipped: 0 }
  const readIn = async (list: Resource, area: readonly Condition[]) => {
    const about = { conditions: inOneArea([...conditions, ...area]), order, include: null }
    const fetch = (slice: Pick<RowsRequest, 'page' | 'pageSize' | 'cursor' | 'skipped'>) =>
      fetchRows(db, list, { ...about, ...slice })
    const found = hits ? null : await fetch({ ...first, pageSize: limit, cursor }).catch(nullAfterEnd)
    return { found, page: found?.page ?? (await fetch({ page: 1, pageSize: 1, cursor: null })).page }
  }
  /** Reads the features in the box, and whether the caller sees an event without a place. Such an event is in every box. */
  const readInBox = async ({ strict, loose }: NonNullable<ItemsRequest['box']>) => {
    if (placeless === null) return readIn(resource, [loose])
    const found = placeless(db.level)
    const slice = await readIn({ ...resource, columns: { ...resource.columns, [PLACELESS]: found } }, [strict])
    const [row] =
      slice.page.rows.length > 0
        ? slice.page.rows
        : at(await db.read(sql`SELECT ${found} AS ${sql.identifier(PLACELESS)}`), 0)
    return row?.[PLACELESS] === 0 ? slice : readIn(resource, [loose])
  }
  const { found, page } = await (box === null ? readIn(resource, []) : readInBox(box))
  return found ?? { page: { ...page, rows: [], next: null }, rows: [] }
}

/** A column that tells if the caller sees an event without a place. */
const PLACELESS = 'placeless'

const nullAfterEnd = (error: unknown): null => {
  if (error instanceof ApiError && error.status === 404) return null
  throw error
}
