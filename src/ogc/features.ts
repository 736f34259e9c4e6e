import type { Page, Reader } from '../engine/engine.ts'
import { ValueError } from '../errors.ts'
import { placeOf } from '../filters/spatial.ts'
import { DISTANCE, distanceOf, measuring, showing } from '../formats/fields.ts'
import { fieldsIn, isItems } from '../formats/formats.ts'
import { textOf, writeItem } from '../formats/items.ts'
import type { Answer } from '../request/cache.ts'
import { pageHeaders } from '../request/content.ts'
import { askedOf, itemsHeaders } from '../request/file.ts'
import { formatHint, parseHint } from '../request/hint.ts'
import { membersFrom } from '../request/page.ts'
import { read, textIn } from '../request/parameters.ts'
import { digest, partsOf, sealOf } from '../request/query.ts'
import type { Query } from '../request/read.ts'
import { itemTag, respond } from '../request/respond.ts'
import { itemIn } from '../request/session.ts'
import type { Collection } from './collection.ts'
import { uriOf } from './crs.ts'
import { type ItemsRequest, readItems, readItemsRequest, readSystem } from './items.ts'
import { collectionLinks, featureIn, itemDocument, link, ROOT, TYPE, withParameters } from './links.ts'
import { ITEMS } from './parameters.ts'
import { ask, FEATURES, findCollection, type OgcRequest } from './request.ts'

/**
 * The parameters that choose a slice of the features, or its form. A hint fits every slice of the same query, so its
 * key leaves them out.
 */
const SHOWN = new Set([
  'limit',
  'offset',
  'hint',
  'f',
  'resultType',
  'crs',
  'locale',
  'properties',
  'exclude-properties',
])

export const serveItems = async (request: OgcRequest): Promise<Response> => {
  const { c, caller, id, own } = request
  const query = ask(c, caller, FEATURES, Object.keys(ITEMS), own.resource)
  const chosen = readSelection(measured(own, query), query)
  // Report faulty parameters first, and an unknown collection after them.
  const items = readItemsRequest(own, query)
  const { limit, offset, order, selection } = items
  const parts = partsOf(query.parameters.filter(({ name }) => !SHOWN.has(name)))
  const key = await digest([ROOT, id, String(caller.level), ...parts])
  const seal = sealOf(c.env)
  // A hint is valid only for its own offset, otherwise the offset counts.
  const hint = offset === 0 ? null : await parseHint(items.hint, key, offset, seal)
  const fetch = async (reader: Reader): Promise<Answer> => {
    const collection = selecting(measured(await findCollection(request, reader), query), chosen)
    const page = await readItems(reader, collection, items, hint)
    const nextHint = page.next ? await formatHint(page.next, key, offset + page.rows.length, seal) : null
    return itemsAnswer(query, collection, items, page, nextHint)
  }
  const slice = { from: { offset, hint }, limit }
  return respond(c, query, fetch, { cost: query.engine.weight(own.resource.list, { ...selection, order, slice }) })
}

const itemsAnswer = (
  query: Query,
  collection: Collection,
  { limit, offset, srid }: ItemsRequest,
  page: Page,
  hint: string | null,
): Answer => {
  const { format, values, address } = query
  const sliceAt = (to: number, hint: string | null) =>
    withParameters(query, { offset: to === 0 ? null : String(to), hint })
  const next = page.next === null ? null : sliceAt(offset + page.rows.length, hint)
  const previous = offset === 0 ? null : sliceAt(Math.max(0, offset - limit), null)
  const head = { count: page.count, self: address, next, previous }
  const { title, resource } = collection
  const headers = {
    'Content-Crs': `<${uriOf(srid)}>`,
    'OGC-NumberMatched': String(page.count),
    ...pageHeaders(head),
  }
  if (isItems(format)) {
    const body = textOf(format.list(resource, query.links, head), page.rows)
    return { headers: { ...headers, ...itemsHeaders(format, resource, askedOf(resource, values)) }, body }
  }
  const links = [
    ...collectionLinks(query, collection),
    ...(next === null ? [] : [link('next', TYPE.geojson, next)]),
    ...(previous === null ? [] : [link('prev', TYPE.geojson, previous)]),
  ]
  const members = { type: 'FeatureCollection', numberMatched: page.count, numberReturned: page.rows.length, links }
  const features = page.rows.map((row) => featureIn(collection.featureOf(row), srid))
  return { headers, title, body: { ...members, features } }
}

export const serveItem = async (request: OgcRequest): Promise<Response> => {
  const { c, caller, own } = request
  const { controls } = own.resource
  const query = ask(c, caller, FEATURES, ['crs', 'locale', 'properties', 'exclude-properties'], { controls })
  const srid = readSystem(query)
  const chosen = readSelection(own, query)
  const fetch = async (reader: Reader): Promise<Answer> => {
    const collection = selecting(await findCollection(request, reader), chosen)
    const { resource } = collection
    const { row, tag } = await itemIn(reader, resource, c.req.param('key') ?? '')
    const { format, links } = query
    if (isItems(format)) {
      const headers = itemsHeaders(format, resource, [[String(row.id), '']])
      const body = writeItem(format, resource, links, row)
      return { headers, body, tag: await itemTag(query, tag, { body }) }
    }
    const feature = collection.featureOf(row)
    const body = itemDocument(query, collection, feature, srid)
    const title = `${collection.title} ${feature.id}`
    const headers = { 'Content-Crs': `<${uriOf(srid)}>` }
    return { headers, body, title, tag: await itemTag(query, tag, { body, title }) }
  }
  return respond(c, query, fetch)
}

/** Members that are no properties of a feature. They stay in every format. */
const KEPT = ['type', 'id', 'geometry', 'longitude', 'latitude', 'z']

/** Reads the properties that the client chooses, by their names in the format. Null: all. */
const readSelection = (collection: Collection, { values, format }: Query): ReadonlySet<string> | null => {
  const names = isItems(format) ? fieldsIn(format, collection.resource) : Object.keys(collection.schema)
  const known = names.filter((name) => !KEPT.includes(name))
  const members = membersFrom(() => known)
  const chosen = read(values, 'properties', members, null)
  const excluding = (text: string): ReadonlySet<string> => {
    if (chosen === null) return members(text)
    throw new ValueError(`Enter properties or exclude-properties, but not both: properties=${known.slice(0, 2)}.`)
  }
  const excluded = read(values, 'exclude-properties', excluding, null)
  return excluded === null ? chosen : new Set(known.filter((name) => !excluded.has(name)))
}

/** Returns a collection whose features have their distance from the position of `near`, if the request has one. */
const measured = (collection: Collection, { values }: Query): Collection => {
  const centre = values.texts.has('near') ? placeOf(textIn(values, 'near')) : null
  if (centre === null) return collection
  return {
    ...collection,
    resource: measuring(collection.resource, centre),
    schema: { ...collection.schema, distance: DISTANCE },
    featureOf: (row) => {
      const feature = collection.featureOf(row)
      return { ...feature, properties: { ...feature.properties, distance: distanceOf(centre, { ...row }) } }
    },
  }
}

/** Returns a collection whose features show only these properties. */
const selecting = (collection: Collection, chosen: ReadonlySet<string> | null): Collection => {
  if (chosen === null) return collection
  return {
    ...collection,
    resource: showing(collection.resource, new Set([...KEPT, ...chosen])),
    featureOf: (row) => {
      const feature = collection.featureOf(row)
      const properties = Object.entries(feature.properties).filter(([name]) => chosen.has(name))
      return { ...feature, properties: Object.fromEntries(properties) }
    },
  }
}
