import { ADDRESS, INTEGER, listOf, record, ref, type Schema } from '../base/schema.ts'
import type { Resource } from '../lists/resource.ts'
import { DOWNLOADS } from './downloads.ts'
import type { ItemsFormat, ListHead } from './items.ts'
import { DISTANCE, featureWriter, partOf, VALUE_NUMBER, withMembers } from './shown.ts'

const CONTENT_TYPE = DOWNLOADS.geojson.contentType

/**
 * GeoJSON (RFC 7946). A list is a FeatureCollection with the counts and links of OGC API - Features. An item is a
 * Feature.
 */
export const geojson: ItemsFormat = {
  ...DOWNLOADS.geojson,
  flat: true,
  list: (shown, links, head) => {
    const write = featureWriter(shown)
    return {
      before:
        head === null
          ? ''
          : `{"type":"FeatureCollection","numberMatched":${head.count},"links":${linksOf(head)},"features":[\n`,
      each: (row) => JSON.stringify(write(row, links)),
      between: ',\n',
      after: (returned) => `\n],"numberReturned":${returned}}\n`,
    }
  },
  fields: ({ view, place }) => [
    ...Object.keys(place.schemas),
    ...view.members.flatMap(({ name, inFeature }) => (inFeature ? [] : [name])),
  ],
  schemas: ({ flat, view, place, filters }) => {
    const name = `${flat.name}Feature`
    const hasColumns = flat.members.some((member) => member.name === 'attributes')
    // The events of one series have the number of their value, and a property for each attribute.
    const number = { [VALUE_NUMBER.name]: VALUE_NUMBER.schema }
    const own = hasColumns ? { ...withMembers(flat.schema, number), additionalProperties: {} } : flat.schema
    const properties = flat === view ? ref(view.name) : own
    const near = { distance: DISTANCE }
    const whole = featureSchema(place.schemas, filters.has('near') ? withMembers(properties, near) : properties)
    return {
      list: { [`${name}Collection`]: collectionOf(name), [`${name}PartCollection`]: collectionOf(`${name}Part`) },
      item: { [name]: whole, [`${name}Part`]: partOf(whole) },
    }
  },
}

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
