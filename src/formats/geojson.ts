import { DOWNLOADS } from '../downloads.ts'
import type { Row } from '../engine/engine.ts'
import type { Schema } from '../filters/lookups.ts'
import { ADDRESS, INTEGER, listOf, record, ref } from '../model/schema.ts'
import type { Links, Resource } from '../resource.ts'
import { memberNames, partOf, withDistance } from './fields.ts'
import type { ItemsFormat, ListHead } from './items.ts'

const CONTENT_TYPE = DOWNLOADS.geojson.contentType

/**
 * GeoJSON (RFC 7946). A list is a FeatureCollection with the counts and links of OGC API - Features. An item is a
 * Feature.
 */
export const geojson: ItemsFormat = {
  ...DOWNLOADS.geojson,
  flat: true,
  list: (resource, links, head) => ({
    before:
      head === null
        ? ''
        : `{"type":"FeatureCollection","numberMatched":${head.count},"links":${linksOf(head)},"features":[\n`,
    each: (row) => JSON.stringify(featureOf(resource, links, row)),
    between: ',\n',
    after: (returned) => `\n],"numberReturned":${returned}}\n`,
  }),
  fields: ({ item, schemas, flat, place }) => [
    ...Object.keys(place.schemas),
    ...memberNames(flat?.schema ?? schemas[item] ?? {}),
  ],
  schemas: ({ item, flat, place, filters }) => {
    const name = `${flat?.item ?? item}Feature`
    const properties = flat?.schema ?? ref(item)
    const whole = featureSchema(place.schemas, filters.has('near') ? withDistance(properties) : properties)
    return {
      list: { [`${name}Collection`]: collectionOf(name), [`${name}PartCollection`]: collectionOf(`${name}Part`) },
      item: { [name]: whole, [`${name}Part`]: partOf(whole) },
    }
  },
}

export const featureOf = ({ serialize, flat, place }: Resource, links: Links, row: Row): object => ({
  type: 'Feature',
  ...place.of(row),
  properties: (flat?.of ?? serialize)(row, links),
})

const featureSchema = (place: Resource['place']['schemas'], properties: Schema): Schema => {
  const whole = record({ type: { const: 'Feature' }, ...place, properties })
  if (place.bbox === undefined) return whole
  const required = ['type', 'id', 'geometry', 'properties']
  return {
    ...whole,
    required,
    if: { required: ['bbox'] },
    else: { properties: { geometry: { not: { type: 'object' } } } },
  }
}

const collectionOf = (feature: string): Schema =>
  record({
    type: { const: 'FeatureCollection' },
    numberMatched: INTEGER,
    numberReturned: INTEGER,
    links: listOf(record({ rel: { enum: ['self', 'next', 'prev'] }, href: ADDRESS, type: { const: CONTENT_TYPE } })),
    features: listOf(ref(feature)),
  })

/** Returns the links of a list, as JSON. */
const linksOf = ({ self, next, previous }: ListHead): string =>
  JSON.stringify(
    Object.entries({ self, next, prev: previous }).flatMap(([rel, href]) =>
      href === null ? [] : [{ rel, href, type: CONTENT_TYPE }],
    ),
  )
