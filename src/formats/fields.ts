import type { Row } from '../engine/engine.ts'
import type { Schema } from '../filters/lookups.ts'
import type { LonLat } from '../geometry/bbox.ts'
import { distanceBetween } from '../geometry/circle.ts'
import type { ItemMember } from '../model/members.ts'
import { NUMBER } from '../model/schema.ts'
import type { Links, Resource } from '../resource.ts'

type Members = Readonly<Record<string, unknown>>

const membersIn = (schema: Schema): Readonly<Record<string, Schema>> =>
  (schema.properties ?? {}) as Readonly<Record<string, Schema>> // `record` makes the schemas of items

/** Returns the members that a client can choose in items with a schema: in a feature also those of its properties. */
export const memberNames = (schema: Schema): string[] => {
  const { type, properties, ...others } = membersIn(schema)
  if (type?.const !== 'Feature') return Object.keys(membersIn(schema))
  return [...Object.keys(others), ...Object.keys(membersIn(properties ?? {}))]
}

/** Returns the schema of an item that shows only the members that the client chooses. It keeps what `choose` keeps. */
export const partOf = (schema: Schema): Schema => {
  if (typeof schema.$ref === 'string') return { $ref: `${schema.$ref}Part` }
  const { required: _, if: _if, else: _else, ...others } = schema
  const { properties, ...members } = membersIn(schema)
  if (members.type?.const !== 'Feature' || properties === undefined) return others
  const required = ['type', 'geometry', 'properties']
  return { ...others, properties: { ...members, properties: partOf(properties) }, required }
}

/** Returns the members that a client can choose in the JSON of an item. */
export const jsonFields = ({ item, schemas }: Pick<Resource, 'item' | 'schemas'>): string[] =>
  memberNames(schemas[item] ?? {})

/** Keeps the chosen members. A feature keeps its type, its properties and its geometry (RFC 7946, 3.2). */
const choose = (item: object, fields: ReadonlySet<string>): Members => {
  const isFeature = 'type' in item && item.type === 'Feature'
  const chosen = Object.entries(item).flatMap(([name, value]): [string, unknown][] => {
    if (isFeature && name === 'properties') return [[name, choose(value, fields)]]
    if (fields.has(name) || (isFeature && name === 'type')) return [[name, value]]
    return isFeature && name === 'geometry' ? [[name, null]] : []
  })
  return Object.fromEntries(chosen)
}

/** Returns a list that shows only some members of its items, in their usual order. */
export const showing = (resource: Resource, fields: ReadonlySet<string>): Resource => {
  const { csv, flat, place } = resource
  return {
    ...resource,
    csv: csv.filter(({ name }) => fields.has(name)),
    serialize: (row, links) => choose(resource.serialize(row, links), fields),
    ...(flat && { flat: { ...flat, of: (row, links) => choose(flat.of(row, links), fields) } }),
    place: {
      ...place,
      of: (row) => ({ geometry: null, ...choose(place.of(row), fields) }),
    },
  }
}

/** Returns a list whose flat items have their distance from a position. */
export const measuring = (resource: Resource, centre: LonLat): Resource => {
  const { csv, flat } = resource
  const distance: ItemMember = { name: 'distance', schema: DISTANCE, write: (row) => distanceOf(centre, { ...row }) }
  const of = (row: Row, links: Links) => ({ ...flat?.of(row, links), distance: distanceOf(centre, row) })
  return {
    ...resource,
    csv: [...csv, distance],
    ...(flat && { flat: { ...flat, schema: withDistance(flat.schema), of } }),
  }
}

/** Returns the distance of a row from a position in metres, to a millimetre. Null: the row has no coordinates. */
export const distanceOf = (centre: LonLat, { x, y }: Readonly<Record<string, unknown>>): number | null =>
  typeof x === 'number' && typeof y === 'number' ? Math.round(1000 * distanceBetween(centre, [x, y])) / 1000 : null

export const DISTANCE: Schema = { ...NUMBER, description: 'The metres from the position of near. Absent without near.' }

/** Adds the distance from the position of `near` to the schema of a flat item. */
export const withDistance = (schema: Schema): Schema => ({
  ...schema,
  properties: { ...membersIn(schema), distance: DISTANCE },
})
