import type { Page, Reader, Row } from '../engine/engine.ts'
import { isItems } from '../formats/formats.ts'
import { listText } from '../formats/items.ts'
import type { Answer } from '../http/cache.ts'
import { pageHeaders, readRows } from '../http/content.ts'
import { askedOf, itemsHeaders } from '../http/file.ts'
import { answerItem } from '../http/lists.ts'
import type { Ask } from '../http/page.ts'
import { formatHint } from '../http/query.ts'
import type { Query } from '../http/read.ts'
import { respond } from '../http/respond.ts'
import type { RequestContext } from '../http/route.ts'
import { type Collection, featuresOf } from './collection.ts'
import { uriOf } from './crs.ts'
import { readItems, readShown, readSystem } from './items.ts'
import { collectionLinks, featureIn, itemDocument, link, TYPE, withParameters } from './links.ts'
import { ITEMS } from './parameters.ts'
import { FEATURES, type OgcRequest, readOgcQuery } from './request.ts'

export const serveFeatures = async ({ c, caller, own }: OgcRequest): Promise<Response> => {
  const query = readOgcQuery(c, caller, FEATURES, Object.keys(ITEMS), own)
  const { ask, srid, hits } = await readItems(c, own, query)
  const { question } = ask
  const asked = hits ? { ...ask, question: { ...question, slice: { from: { offset: 0 }, limit: 1 } } } : ask
  const fetch = async (reader: Reader): Promise<Answer> => {
    const { page } = await readRows(c, reader, own, own.owner, query, asked)
    return itemsAnswer(c, query, own, ask, srid, hits ? { ...page, rows: [], next: null } : page)
  }
  return respond(c, query, fetch, { cost: query.engine.weight(own.list, question) })
}

const itemsAnswer = async (
  c: RequestContext,
  query: Query,
  collection: Collection,
  { shown, question, start, key }: Ask,
  srid: number,
  { count, rows, next: found }: Page,
): Promise<Answer> => {
  const { format, values, address } = query
  const offset = Number(start)
  const [after, before] = [offset + rows.length, Math.max(0, offset - question.slice.limit)]
  const sliceAt = (to: number, hint: string | null) =>
    withParameters(query, { offset: to === 0 ? null : String(to), hint })
  const next = found === null ? null : sliceAt(after, found === '' ? null : await formatHint(found, key, after, c.env))
  const previous = offset === 0 ? null : sliceAt(before, null)
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

export const serveFeature = async ({ c, caller, own }: OgcRequest): Promise<Response> => {
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
