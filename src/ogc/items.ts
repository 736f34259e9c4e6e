import { at } from '../base/collections.ts'
import { ValueError } from '../base/errors.ts'
import { inEnglish } from '../base/messages.ts'
import { conditionOf } from '../cql2/condition.ts'
import { fault } from '../cql2/expression.ts'
import { readJson } from '../cql2/json.ts'
import { readText } from '../cql2/text.ts'
import type { Engine, Page, Reader } from '../engine/engine.ts'
import { boundsOf } from '../filters/spatial.ts'
import { intervalOf } from '../filters/temporal.ts'
import { isItems } from '../formats/formats.ts'
import { oneOfNames, parameterIn, read, refuseFaults, type Values, wholeNumberIn } from '../http/parameters.ts'
import type { Query } from '../http/read.ts'
import { admitted, conditionsIn, narrowed, orderNamed, selectionOf } from '../http/selection.ts'
import type { Resource } from '../lists/resource.ts'
import { allOf, type Condition } from '../question/condition.ts'
import type { FieldName } from '../question/fields.ts'
import { BY_ID, type Hint, type Order, type Selection } from '../question/question.ts'
import type { Collection } from './collection.ts'
import { sridOf } from './crs.ts'
import { LANGUAGES, LIMIT, OGC, RESULT_TYPES, SEPARATOR } from './request.ts'

export interface ItemsRequest {
  /** What the parameters select. `narrowed` adds the condition of the collection. */
  readonly selection: Selection
  /** The SRID of the answer. The value 0 is longitude and latitude. */
  readonly srid: number
  readonly order: Order
  readonly limit: number
  readonly offset: number
  readonly hint: string
  readonly hits: boolean
}

/** Reads the number of features or collections to leave out. */
export const OFFSET = wholeNumberIn(0, 999_999_999)

/** Plans a request for items. Throws one 400 that names every bad parameter. */
export const readItemsRequest = (
  collection: Collection,
  query: Pick<Query, 'values' | 'format' | 'engine'>,
): ItemsRequest => {
  const { values, engine } = query
  const { during, inBounds, resource } = collection
  const boundsIn = read(values, 'bbox-crs', sridOf, 0)
  const inTime = (text: string) => text.split(SEPARATOR).flatMap((each) => during(intervalOf(each, values.clock)))
  const inBox = (text: string) => [inBounds(boundsOf(text, boundsIn !== 0), boundsIn)]
  const own = [
    ...read(values, 'datetime', inTime, []),
    ...readFilter(engine, values, collection),
    ...read(values, 'bbox', inBox, []),
  ]
  const filtered = selectionOf(engine, resource, values)
  const request = {
    selection: { ...filtered, where: allOf([...conditionsIn(filtered), ...own]) },
    srid: readSystem(query),
    order: read(values, 'sortby', (text) => orderOf(resource, values, text), BY_ID),
    limit: read(values, 'limit', limitOf(LIMIT), LIMIT.default),
    offset: read(values, 'offset', OFFSET, 0),
    hits: read(values, 'resultType', oneOfNames(RESULT_TYPES), 'results') === 'hits',
    hint: read(values, 'hint', (text) => text, ''),
  }
  refuseFaults(values)
  return request
}

/** Reads the reference system of an answer. Tables have no other than longitude and latitude. */
export const readSystem = ({ values, format }: Pick<Query, 'values' | 'format'>): number => {
  const systemIn = (uri: string) => {
    const srid = sridOf(uri)
    if (srid === 0 || !isItems(format)) return srid
    throw new ValueError('Only f=json, f=geojson, f=ndjson and f=html accept other reference systems. Leave crs out.')
  }
  return read(values, 'crs', systemIn, 0)
}

/** Reads the filter in CQL2. Without one, there are no conditions. */
const readFilter = (
  engine: Engine,
  values: Values,
  { owner, properties, resource: { filters, list } }: Collection,
): readonly Condition[] => {
  const language = read(values, 'filter-lang', oneOfNames<(typeof LANGUAGES)[number]>(LANGUAGES), 'cql2-text')
  const srid = read(values, 'filter-crs', sridOf, 0)
  const adviceOn = (name: string, known: string): string => {
    const { description = '' } = filters.get(name) ?? {}
    const attribute = `attributes__${name}`
    if (description !== '') return `It is a parameter beside filter. ${description.slice(0, -1)}`
    // The attributes of one series are properties themselves.
    return owner === null && parameterIn(filters, attribute)
      ? `${known}. For an attribute, enter ${attribute} beside filter`
      : known
  }
  const parse = (text: string): readonly Condition[] => {
    const expression = language === 'cql2-json' ? readJson(text, srid) : readText(text, srid)
    const places = new Map<Condition, string>()
    const condition = conditionOf(expression, { properties, clock: values.clock, adviceOn, places })
    const [refusal] = engine.refusals(list, condition)
    if (refusal === undefined) return [condition]
    throw fault(places.get(refusal.of) ?? expression.at, inEnglish(refusal.message).replace(/\.$/, ''))
  }
  return read(values, 'filter', parse, [])
}

/** Returns a reader of a limit. A number above the maximum is the maximum (Part 1, 7.15.2, /req/core/fc-limit-response-1). */
export const limitOf =
  ({ minimum, maximum }: typeof LIMIT) =>
  (text: string): number => {
    if (!/^\s*\+?\d+\s*$/.test(text) || Number(text) < minimum)
      throw new ValueError(`Enter a whole number from ${minimum} to ${maximum}.`)
    return Math.min(Number(text), maximum)
  }

/** A term of an order. Quotes around a name let it have any character, as in CQL2. */
const TERM = /(?:"(?:[^"]|"")*"|[^",])+/g

/** Reads an order (Part 8). Ties are always broken by id, so `id` may follow in the same direction. */
const orderOf = (resource: Resource, values: Values, text: string): Order => {
  const [first = '', ...ties] = text.match(TERM) ?? []
  const [, sign, quoted, plain] = /^\s*([+-]?)(?:"(.+)"|(.+))$/s.exec(first) ?? []
  const name = quoted?.replaceAll('""', '"') ?? plain
  const isReverse = sign === '-'
  const example = `-${at(Object.keys(resource.orderings), 1)}`
  if (!ties.every((tie) => (isReverse ? /^\s*-id$/ : /^\s*\+?id$/).test(tie)))
    throw new ValueError(
      `Enter one property, such as ${example}. Only id in the same direction may follow: ${example},-id.`,
    )
  return orderNamed(resource, values, name, isReverse)
}

/** Reads features from an offset, or from a hint. */
export const readItems = async (
  reader: Reader,
  { resource, owner }: Collection,
  { selection, order, limit, offset, hits }: ItemsRequest,
  hint: Hint | null,
  fields: readonly FieldName[],
): Promise<Page> => {
  const slice = hits ? { from: { offset: 0 }, limit: 1 } : { from: { offset, hint }, limit }
  const question = { ...narrowed(owner, selection), order, slice }
  const reading = reader.page(resource.list, question, { fields })
  const page = await admitted(resource, OGC, reading)
  return hits ? { ...page, rows: [], next: null } : page
}
