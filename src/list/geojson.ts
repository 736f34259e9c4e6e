import type { Row } from '../page/table.ts'
import type { ItemsFormat, ListHead } from './items.ts'
import type { Links } from './links.ts'
import type { Resource } from './resource.ts'

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
  place === undefined ? serialize(row, links) : { type: 'Feature', ...place(row), properties: serialize(row, links) }
