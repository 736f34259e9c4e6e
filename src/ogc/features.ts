import { ValueError } from '../base/errors.ts'
import type { Page, Reader } from '../engine/engine.ts'
import { fieldsIn, isItems, viewIn } from '../formats/formats.ts'
import { listText, writeItem } from '../formats/items.ts'
import { type ShownView, shownIn } from '../formats/shown.ts'
import type { Answer } from '../http/cache.ts'
import { pageHeaders } from '../http/content.ts'
import { askedOf, itemsHeaders } from '../http/file.ts'
import { membersIn, nearIn } from '../http/page.ts'
import { read } from '../http/parameters.ts'
import { digest, formatHint, keyParts, parseHint } from '../http/query.ts'
import type { Query } from '../http/read.ts'
import { itemTag, respond } from '../http/respond.ts'
import { itemIn } from '../http/session.ts'
import { type Collection, featuresOf } from './collection.ts'
import { uriOf } from './crs.ts'
import { type ItemsRequest, readItems, readItemsRequest, readSystem } from './items.ts'
import { collectionLinks, featureIn, itemDocument, link, ROOT, TYPE, withParameters } from './links.ts'
import { ITEMS } from './parameters.ts'
import { ask, FEATURES, type OgcRequest } from './request.ts'

/**
 * The parameters that choose a slice of the features, or its form. Their hints have the offset instead, so the
 * key of a request leaves them out.
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

export const serveFeatures = async ({ c, caller, id, own }: OgcRequest): Promise<Response> => {
  const query = ask(c, caller, FEATURES, Object.keys(ITEMS), own.resource)
  const shown = readShown(own, query)
  const items = readItemsRequest(own, query)
  const { limit, offset, order, selection } = items
  const parts = keyParts(query.parameters.filter(({ name }) => !SHOWN.has(name)))
  const key = await digest([ROOT, id, String(caller.level), ...parts])
  // A hint is valid only for its own offset, otherwise the offset counts.
  const hint = offset === 0 ? null : await parseHint(items.hint, key, offset, c.env)
  const fetch = async (reader: Reader): Promise<Answer> => {
    const page = await readItems(reader, own, items, hint, shown.view.reads)
    const nextHint = page.next ? await formatHint(page.next, key, offset + page.rows.length, c.env) : null
    return itemsAnswer(query, own, shown, items, page, nextHint)
  }
  const slice = { from: { offset, hint }, limit }
  return respond(c, query, fetch, { cost: query.engine.weight(own.resource.list, { ...selection, order, slice }) })
}

const itemsAnswer = (
  query: Query,
  collection: Collection,
  shown: ShownView,
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
    ...('extension' in format && itemsHeaders(format.extension, resource, askedOf(resource, values))),
  }
  if (isItems(format)) {
    const body = listText(format.list(shown, query.links, head), page.rows)
    return { headers, body }
  }
  const links = [
    ...collectionLinks(query, collection),
    ...(next === null ? [] : [link('next', TYPE.geojson, next)]),
    ...(previous === null ? [] : [link('prev', TYPE.geojson, previous)]),
  ]
  const members = { type: 'FeatureCollection', numberMatched: page.count, numberReturned: page.rows.length, links }
  const featureOf = featuresOf(collection, shown.view)
  const features = page.rows.map((row) => featureIn(featureOf(row), srid))
  return { headers, title, body: { ...members, features } }
}

export const serveFeature = async ({ c, caller, own }: OgcRequest): Promise<Response> => {
  const { controls } = own.resource
  const query = ask(c, caller, FEATURES, ['crs', 'locale', 'properties', 'exclude-properties'], { controls })
  const srid = readSystem(query)
  const shown = readShown(own, query)
  const fetch = async (reader: Reader): Promise<Answer> => {
    const { resource, owner } = own
    const { row, tag } = await itemIn(reader, resource, c.req.param('key') ?? '', shown.view.reads, owner)
    const { format, links } = query
    const named = 'extension' in format ? itemsHeaders(format.extension, resource, [[String(row.id), '']]) : {}
    if (isItems(format)) {
      const body = writeItem(format, shown, links, row)
      return { headers: named, body, tag: await itemTag(query, tag, { body }) }
    }
    const feature = featuresOf(own, shown.view)(row)
    const body = itemDocument(query, own, feature, srid)
    const title = `${own.title} ${feature.id}`
    const headers = { 'Content-Crs': `<${uriOf(srid)}>`, ...named }
    return { headers, body, title, tag: await itemTag(query, tag, { body, title }) }
  }
  return respond(c, query, fetch)
}

/** Members that are no properties of a feature. They stay in every format. */
const KEPT = ['type', 'id', 'geometry', 'longitude', 'latitude', 'z']

/** Reads what an answer shows of each feature. A client chooses properties by their names in the format. */
const readShown = ({ columns, resource, view }: Collection, { values, format }: Query): ShownView => {
  const near = nearIn(values)
  const own = isItems(format) ? viewIn(format, resource) : view
  const all = shownIn(own, resource.place, near)
  const known = fieldsIn(format, all).filter((name) => !KEPT.includes(name))
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
  const names = excluded === null ? chosen : known.filter((name) => !excluded.has(name))
  return names === null ? all : shownIn(own, resource.place, near, new Set([...KEPT, ...names]))
}
