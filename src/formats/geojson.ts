import type { Schema } from '../filters/lookups.ts'
import type { Links } from '../http/links.ts'
import type { Row } from '../query/table.ts'
import type { Place, Resource } from '../resource.ts'
import type { ItemsFormat, ListHead } from './items.ts'
import { ADDRESS, INTEGER, listOf, NULL, record, ref } from './schema.ts'

const CONTENT_TYPE = 'application/geo+json'

/** GeoJSON (RFC 7946): a list is a FeatureCollection with the counts and links of OGC API Features, an item a Feature. */
export const geojson: ItemsFormat = {
  contentType: CONTENT_TYPE,
  extension: 'geojson',
  list: (resource, links, head) => ({
    before: `${JSON.stringify(collectionOf(head)).slice(0, -1)},"features":[\n`,
    each: (row) => JSON.stringify(featureOf(resource, links, row)),
    between: ',\n',
    after: '\n]}\n',
  }),
  item: (resource, links, row) => JSON.stringify(featureOf(resource, links, row)),
  schemas: ({ item, schemas, place }) => {
    const name = place === undefined ? item : `${item}Feature`
    const feature = place === undefined ? (schemas[item] ?? {}) : featureSchema(place.schemas, ref(item))
    return {
      list: [`${name}Collection`, record({ ...COLLECTION, features: listOf(ref(name)) })],
      item: [name, feature],
    }
  },
}

const featureSchema = (place: { readonly [N in keyof Place]: Schema }, properties: Schema): Schema => {
  const whole = record({ type: { const: 'Feature' }, ...place, properties })
  if (place.bbox === undefined) return whole
  const required = ['type', 'id', 'geometry', 'properties']
  return { ...whole, required, if: { required: ['bbox'] }, else: { properties: { geometry: NULL } } }
}

const COLLECTION = {
  type: { const: 'FeatureCollection' },
  numberMatched: INTEGER,
  numberReturned: INTEGER,
  links: listOf(record({ rel: { enum: ['self', 'next', 'prev'] }, href: ADDRESS, type: { const: CONTENT_TYPE } })),
}

const collectionOf = ({ count, returned, self, next, previous }: ListHead) => ({
  type: 'FeatureCollection',
  numberMatched: count,
  numberReturned: returned,
  links: [linkOf('self', self), linkOf('next', next), linkOf('prev', previous)].filter((link) => link !== null),
})

const linkOf = (rel: string, href: string | null) => (href === null ? null : { rel, href, type: CONTENT_TYPE })

/** An item that is no feature by itself becomes the properties of one. */
const featureOf = ({ serialize, place }: Resource, links: Links, row: Row): object =>
  place === undefined ? serialize(row, links) : { type: 'Feature', ...place.of(row), properties: serialize(row, links) }
