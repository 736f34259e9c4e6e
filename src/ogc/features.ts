import type { Writing } from '../formats/items.ts'
import type { Content } from '../http/kept.ts'
import { tooLongToShow } from '../list/answer.ts'
import type { Row } from '../query/table.ts'
import type { Collection, Feature } from './collection.ts'
import { geometryIn, uriOf } from './crs.ts'
import type { Slice } from './items.ts'
import type { ItemsRequest } from './itemsRequest.ts'
import { type Link, link, selfLinks, withParameters } from './links.ts'
import { type Asked, GEOJSON, HTML, JSON_TYPE } from './request.ts'

/** Features of a collection as they are answered. */
export const itemsContent = (
  asked: Asked,
  id: string,
  collection: Collection,
  wanted: ItemsRequest,
  slice: Slice,
): Content => {
  const links = itemsLinks(asked, id, wanted.offset, wanted.limit, slice)
  const turns = links.filter(({ rel }) => rel === 'next' || rel === 'prev')
  const written = (row: Row) => featureOf(collection.featureOf(row), wanted.srid)
  const { count: numberMatched, rest } = slice
  const head = { type: 'FeatureCollection', numberMatched, numberReturned: slice.rows.length, links }
  if (rest !== null && asked.type === HTML) throw tooLongToShow(slice.rows, 'limit')
  return {
    headers: {
      'Content-Crs': `<${uriOf(wanted.srid)}>`,
      'OGC-NumberMatched': String(numberMatched),
      'X-Total-Count': String(numberMatched),
      ...(turns.length > 0 && { Link: turns.map(({ rel, href }) => `<${href}>; rel="${rel}"`).join(', ') }),
    },
    body:
      rest === null
        ? { ...head, features: slice.rows.map(written) }
        : asked.stream(featuresWriting(head, written), rest),
    title: collection.title,
  }
}

/** A collection of features, written one by one. */
const featuresWriting = (head: object, written: (row: Row) => object): Writing => ({
  before: `${JSON.stringify(head).slice(0, -1)},"features":[`,
  each: (row) => JSON.stringify(written(row)),
  between: ',',
  after: () => ']}',
})

/** This page, the collection, and the pages beside it. */
const itemsLinks = (asked: Asked, id: string, offset: number, limit: number, { next }: Slice): Link[] => {
  const turn = (rel: string, to: number, hint: string | null) =>
    link(rel, GEOJSON, withParameters(asked, { offset: to === 0 ? null : String(to), hint }))
  return [
    ...selfLinks(asked, GEOJSON),
    link('collection', JSON_TYPE, `${asked.root}/collections/${id}`, 'The collection'),
    ...(next === null ? [] : [turn('next', next.offset, next.cursor)]),
    ...(offset === 0 ? [] : [turn('prev', Math.max(0, offset - limit), null)]),
  ]
}

/** One feature as it is answered. */
export const itemDocument = (
  asked: Asked,
  id: string,
  { ofSeries }: Collection,
  feature: Feature,
  srid: number,
): object => {
  const { uuid } = feature.properties
  const links = [
    ...selfLinks(asked, GEOJSON),
    link('collection', JSON_TYPE, `${asked.root}/collections/${id}`, 'The collection'),
    link('canonical', JSON_TYPE, `${asked.base}${feature.path}`, 'In the list'),
    ...(ofSeries ? [link('items', GEOJSON, `${asked.root}/collections/events-${uuid}/items`, 'Its events')] : []),
  ]
  return { ...featureOf(feature, srid), links }
}

/** A feature in a reference system. */
const featureOf = ({ id, geometry, properties }: Feature, srid: number): object => ({
  type: 'Feature',
  id,
  geometry: geometryIn(geometry, srid),
  properties,
})
