import { at } from '../base/collections.ts'
import { ValueError } from '../base/errors.ts'
import { inEnglish } from '../base/messages.ts'
import { conditionOf } from '../cql2/condition.ts'
import { fault } from '../cql2/expression.ts'
import { readJson } from '../cql2/json.ts'
import { readText } from '../cql2/text.ts'
import type { Engine, Page, Reader, Row } from '../engine/engine.ts'
import { boundsOf } from '../filters/spatial.ts'
import { intervalOf } from '../filters/temporal.ts'
import { fieldsIn, isItems, viewIn } from '../formats/formats.ts'
import { listText } from '../formats/items.ts'
import { type ShownView, shownIn } from '../formats/shown.ts'
import type { Answer } from '../http/cache.ts'
import { pageHeaders, readRows } from '../http/content.ts'
import { askedOf, itemsHeaders } from '../http/file.ts'
import { answerItem } from '../http/lists.ts'
import { type Ask, membersIn, nearIn } from '../http/page.ts'
import { oneOfNames, parameterIn, type QueryValues, read, refuseFaults, wholeNumberIn } from '../http/parameters.ts'
import { digest, formatHint, keyParts, parseHint } from '../http/query.ts'
import type { Query } from '../http/read.ts'
import { respond } from '../http/respond.ts'
import type { RequestContext } from '../http/route.ts'
import { admitted, conditionsIn, orderNamed, selectionOf } from '../http/selection.ts'
import type { Resource } from '../lists/resource.ts'
import { allOf, type Condition } from '../question/condition.ts'
import { BY_ID, type Order, offsetOf, type Selection } from '../question/question.ts'
import { type Collection, featuresOf } from './collection.ts'
import { sridOf, uriOf } from './crs.ts'
import { collectionLinks, featureIn, itemDocument, link, ROOT, TYPE, withParameters } from './links.ts'
import { ITEMS } from './parameters.ts'
import {
  type CollectionHandler,
  FEATURES,
  LANGUAGES,
  LIMIT,
  OGC,
  RESULT_TYPES,
  readOgcQuery,
  SEPARATOR,
} from './request.ts'

export const serveFeatures: CollectionHandler = async (c, caller, own) => {
  const query = readOgcQuery(c, caller, FEATURES, Object.keys(ITEMS), own)
  const { ask, srid, hits } = await readItems(c, own, query)
  const { question } = ask
  const asked = hits ? { ...ask, question: { ...question, slice: { from: { offset: 0 }, limit: 1 } } } : ask
  const fetch = async (reader: Reader): Promise<Answer> => {
    const { page } = await admitted(own, OGC, readRows(c, reader, own, own.owner, query, asked))
    return itemsAnswer(c, query, own, ask, srid, hits ? { ...page, rows: [], next: null } : page)
  }
  return respond(c, query, fetch, { cost: query.engine.weight(own.list, question) })
}

const itemsAnswer = async (
  c: RequestContext,
  query: Query,
  collection: Collection,
  { shown, question: { slice }, key }: Ask,
  srid: number,
  { count, rows, next: found }: Page,
): Promise<Answer> => {
  const { format, values, address, hintStart, pageInBody } = query
  const offset = offsetOf(slice)
  const [after, before] = [offset + rows.length, Math.max(0, offset - slice.limit)]
  const sliceAt = (to: number, hint: string) =>
    withParameters(query, { offset: to === 0 && !pageInBody ? null : String(to), hint: hintStart + hint || null })
  const next = found === null ? null : sliceAt(after, found === '' ? '' : await formatHint(found, key, after, c.env))
  const previous = offset === 0 ? null : sliceAt(before, '')
  const head = { count, self: address, next, previous }
  const headers = {
    'Content-Crs': `<${uriOf(srid)}>`,
    'OGC-NumberMatched': String(count),
    ...pageHeaders(head),
    ...('extension' in format && itemsHeaders(format.extension, collection, askedOf(collection, values))),
  }
  if (isItems(format)) return { headers, body: listText(format.list(shown, query.links, head), rows) }
  const links = [
    ...collectionLinks(query, collection),
    ...(next === null ? [] : [link('next', TYPE.geojson, next)]),
    ...(previous === null ? [] : [link('prev', TYPE.geojson, previous)]),
  ]
  const members = { type: 'FeatureCollection', numberMatched: count, numberReturned: rows.length, links }
  const featureOf = featuresOf(collection, shown.view)
  const features = rows.map((row) => featureIn(featureOf(row), srid))
  return { headers, title: collection.title, body: { ...members, features } }
}

export const serveFeature: CollectionHandler = async (c, caller, own) => {
  const names = ['crs', 'locale', 'properties', 'exclude-properties']
  const query = readOgcQuery(c, caller, FEATURES, names, { controls: own.controls })
  const srid = readSystem(query)
  const shown = readShown(own, query)
  const featureOf = featuresOf(own, shown.view)
  const documentOf = (row: Row) => {
    const feature = featureOf(row)
    const headers = { 'Content-Crs': `<${uriOf(srid)}>` }
    return { headers, body: itemDocument(query, own, feature, srid), title: `${own.title} ${feature.id}` }
  }
  return respond(c, query, (reader) => answerItem(c, reader, own, own.owner, query, shown, documentOf))
}

/** Reads the number of features or collections to leave out. */
export const OFFSET = wholeNumberIn(0, 999_999_999)

/** Returns what the parameters of a collection select. Notes a mistake for each faulty one. */
export const selectionIn = (collection: Collection, { values, engine }: Query): Selection => {
  const { during, inBounds } = collection
  const boundsIn = read(values, 'bbox-crs', sridOf, 0)
  const inTime = (text: string) => text.split(SEPARATOR).flatMap((each) => during(intervalOf(each, values.clock)))
  const inBox = (text: string) => [inBounds(boundsOf(text, boundsIn !== 0), boundsIn)]
  const own = [
    ...read(values, 'datetime', inTime, []),
    ...readFilter(engine, values, collection),
    ...read(values, 'bbox', inBox, []),
  ]
  const filtered = selectionOf(engine, collection, values)
  return { ...filtered, where: allOf([...conditionsIn(filtered), ...own]) }
}

/** The parameters that choose a slice or its form. The key of a hint leaves them out, because its offset stands for them. */
const SHOWN = 'limit offset hint f resultType crs locale properties exclude-properties'.split(' ')

/** Reads a request for features. Throws one 400 that names every bad parameter. `hits`: the answer has only their number. */
const readItems = async (c: RequestContext, collection: Collection, query: Query) => {
  const { values, caller, parameters } = query
  const shown = readShown(collection, query)
  const selection = selectionIn(collection, query)
  const srid = readSystem(query)
  const order = read(values, 'sortby', (text) => orderOf(collection, values, text), BY_ID)
  const limit = read(values, 'limit', limitOf(LIMIT), LIMIT.default)
  const offset = read(values, 'offset', OFFSET, 0)
  const hits = read(values, 'resultType', oneOfNames(RESULT_TYPES), 'results') === 'hits'
  const sent = read(values, 'hint', (text) => text, '')
  refuseFaults(values)
  const parts = keyParts(parameters.filter(({ name }) => !SHOWN.includes(name)))
  const key = await digest([ROOT, collection.id, String(caller.level), ...parts])
  // A hint is valid only for its own offset, otherwise the offset counts.
  const hint = offset === 0 ? null : await parseHint(sent, key, offset, c.env)
  const question = { ...selection, order, slice: { from: { offset, hint }, limit } }
  const ask: Ask = { question, shown, whole: 'part', added: null, explain: false, key }
  return { ask, srid, hits }
}

/** Members that are no properties of a feature. They stay in every format. */
const KEPT = ['type', 'id', 'geometry', 'longitude', 'latitude', 'z']

/** Reads what an answer shows of each feature. A client chooses properties by their names in the format. */
const readShown = (collection: Collection, { values, format }: Query): ShownView => {
  const { columns, place } = collection
  const near = nearIn(values)
  const own = viewIn(format, collection)
  const all = shownIn(own, place, near)
  const every = fieldsIn(format, all)
  const known = every.filter((name) => !KEPT.includes(name))
  // Tables name a column as their lists do.
  const listed = new Map(columns.map(({ member, attribute }) => [member.name, `attributes__${attribute}`]))
  const nameOf = (name: string) => (isItems(format) ? (listed.get(name.trim()) ?? name) : name)
  const members = (text: string) => membersIn(text.split(',').map(nameOf).join(), known)
  const chosen = read(values, 'properties', members, null)
  const excluding = (text: string): ReadonlySet<string> => {
    if (chosen === null) return members(text)
    throw new ValueError(`Enter properties or exclude-properties, but not both: properties=${known.slice(0, 2)}.`)
  }
  const excluded = read(values, 'exclude-properties', excluding, null)
  const names = excluded === null ? chosen && [...KEPT, ...chosen] : every.filter((name) => !excluded.has(name))
  return names === null ? all : shownIn(own, place, near, new Set(names))
}

/** Reads the reference system of an answer. Tables have no other than longitude and latitude. */
const readSystem = ({ values, format }: Pick<Query, 'values' | 'format'>): number => {
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
  values: QueryValues,
  { owner, properties, filters, list }: Collection,
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
const orderOf = (resource: Resource, values: QueryValues, text: string): Order => {
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
