import type { Row } from '../engine/conditions/table.ts'
import { isItems } from '../formats/formats.ts'
import { bodyOf, isRead, jsonWriter } from '../formats/items.ts'
import type { Answer } from '../request/cache.ts'
import { pageHeaders, tooLongToShow } from '../request/content.ts'
import { askedOf, itemsHeaders } from '../request/file.ts'
import type { Collection, Feature } from './collection.ts'
import { geometryIn, uriOf } from './crs.ts'
import type { ItemsRequest, Offset } from './items.ts'
import { GEOJSON, HTML, JSON_TYPE, type Link, link, type OgcAsked, selfLinks, withParameters } from './request.ts'

export const itemsContent = (
  asked: OgcAsked,
  id: string,
  collection: Collection,
  request: ItemsRequest,
  slice: Offset,
): Answer => {
  const { format, values, type } = asked
  const links = itemsLinks(asked, id, request.offset, request.limit, slice)
  const addressOf = (rel: string) => links.find((each) => each.rel === rel)?.href ?? null
  const addresses = { self: asked.address, next: addressOf('next'), previous: addressOf('prev') }
  const { page, rows } = slice
  const { count } = page
  if (!isRead(rows) && type === HTML) throw tooLongToShow('limit')
  const headers = {
    'Content-Crs': `<${uriOf(request.srid)}>`,
    'OGC-NumberMatched': String(count),
    ...pageHeaders({ count, ...addresses }),
  }
  const { title, resource } = collection
  if (isItems(format)) {
    const body = bodyOf([format.list(resource, asked.links, { count, ...addresses }), rows])
    return { headers: { ...headers, ...itemsHeaders(format, resource, askedOf(resource, values)) }, ...body }
  }
  const write = (row: Row) => featureOf(collection.featureOf(row), request.srid)
  const head = { type: 'FeatureCollection', numberMatched: count, numberReturned: page.rows.length, links }
  const body = isRead(rows)
    ? { body: { ...head, features: rows.map(write) } }
    : bodyOf([jsonWriter(head, 'features', write), rows])
  return { headers, title, ...body }
}

const linksIn = (asked: OgcAsked, id: string): Link[] => [
  ...selfLinks(asked, GEOJSON),
  link('collection', JSON_TYPE, `${asked.root}/collections/${id}`, 'The collection'),
]

const itemsLinks = (asked: OgcAsked, id: string, offset: number, limit: number, { next }: Offset): Link[] => {
  const pageLink = (rel: string, to: number, hint: string | null) =>
    link(rel, GEOJSON, withParameters(asked, { offset: to === 0 ? null : String(to), hint }))
  return [
    ...linksIn(asked, id),
    ...(next === null ? [] : [pageLink('next', next.offset, next.hint)]),
    ...(offset === 0 ? [] : [pageLink('prev', Math.max(0, offset - limit), null)]),
  ]
}

export const itemDocument = (
  asked: OgcAsked,
  id: string,
  { ofSeries }: Collection,
  feature: Feature,
  srid: number,
): object => {
  const { uuid } = feature.properties
  const links = [
    ...linksIn(asked, id),
    link('canonical', JSON_TYPE, `${asked.base}${feature.path}`, 'In the list'),
    ...(ofSeries ? [link('items', GEOJSON, `${asked.root}/collections/events-${uuid}/items`, 'Its events')] : []),
  ]
  return { ...featureOf(feature, srid), links }
}

/** Makes a GeoJSON feature with its geometry in a reference system. */
const featureOf = ({ id, geometry, properties }: Feature, srid: number): object => ({
  type: 'Feature',
  id,
  geometry: geometryIn(geometry, srid),
  properties,
})
