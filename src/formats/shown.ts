import { storedJson } from '../base/json.ts'
import { NUMBER, orNull, type Schema } from '../base/schema.ts'
import { inZone, type NamedZone } from '../base/zone.ts'
import type { Row } from '../engine/engine.ts'
import { leadingNumber } from '../filters/numbers.ts'
import type { LonLat } from '../geometry/bbox.ts'
import { distanceBetween } from '../geometry/circle.ts'
import type { Resource } from '../lists/resource.ts'
import type { Links } from '../model/kinds.ts'
import { type ItemMember, type View, writerOf } from '../model/members.ts'
import type { Attributes, Metadata } from '../model/types.ts'

const PREFIX = 'attributes__'

/** Returns the attribute that a name of a column means, such as `Volume` for `attributes__Volume`. Null: none. */
export const attributeNamed = (name: string): string | null =>
  name.startsWith(PREFIX) && name.length > PREFIX.length ? name.slice(PREFIX.length) : null

/** Returns a function that reads the attributes of a row. It parses those of a row once for all columns. */
const attributesReader = () => {
  let [last, attributes]: [Row | null, Attributes] = [null, {}]
  return (row: Row): Attributes => {
    if (row === last) return attributes
    const stored = typeof row.attributes === 'string' ? (storedJson(row.attributes) as Attributes | null) : null
    ;[last, attributes] = [row, stored ?? {}]
    return attributes
  }
}

/** Returns members that each show one attribute. It is null in an item without the attribute. */
export const attributeMembers = (names: readonly string[]): ItemMember[] => {
  const read = attributesReader()
  return names.map((name) => ({
    name: PREFIX + name,
    schema: {},
    write: (row: Row) => (Object.hasOwn(read(row), name) ? read(row)[name] : null),
  }))
}

/** Returns the member `attributes` with some attributes of each item: those for which `shows` returns true. */
export const attributesWhere = (attributes: ItemMember, shows: (name: string) => boolean): ItemMember => {
  const read = attributesReader()
  const write = (row: Row) => {
    const shown = Object.entries(read(row)).filter(([name]) => shows(name))
    return shown.length === 0 ? null : Object.fromEntries(shown)
  }
  return { ...attributes, write }
}

/** The number at the beginning of the value of an event. */
export const VALUE_NUMBER: ItemMember = {
  name: 'value_number',
  schema: orNull(NUMBER),
  write: ({ value }: Row) => leadingNumber(String(value)),
}

/**
 * Returns the view of a file with the events of one series, with a column for each described attribute. `isTable`: the
 * columns replace the cell `attributes`. It stays for further attributes only.
 */
export const withColumns = (view: View, { fields, more }: Metadata, isTable: boolean): View => {
  const names = fields.flatMap(({ name }) => attributeNamed(name) ?? [])
  const columns = attributeMembers(names)
  const besides = (attributes: ItemMember): ItemMember[] => {
    if (!isTable) return [attributes, ...columns]
    return more ? [...columns, attributesWhere(attributes, (name) => !names.includes(name))] : columns
  }
  const members = view.members.flatMap((member) => {
    if (member.name === 'value') return [member, VALUE_NUMBER]
    return member.name === 'attributes' ? besides(member) : [member]
  })
  return { ...view, members }
}

/** Returns a view whose columns have the titles of a description, with their units. Attributes have at least their names. */
export const withTitles = (view: View, { fields }: Metadata): View => {
  const titles = new Map(
    fields.map(({ name, title, unit }) => [
      name,
      unit === undefined ? title : `${title ?? attributeNamed(name) ?? name} (${unit})`,
    ]),
  )
  // Members of version 4 have the names start and end.
  const titled = (member: ItemMember): ItemMember => {
    const title = titles.get(member.name) ?? titles.get(`timestamp_${member.name}`) ?? attributeNamed(member.name)
    return title === null ? member : { ...member, title }
  }
  return { ...view, members: view.members.map(titled) }
}

/** Returns a view whose times are on the clock of a zone, with their offsets. */
export const withZone = (view: View, zone: NamedZone): View => {
  const zoned = ({ write, ...member }: ItemMember): ItemMember => ({
    ...member,
    zone: zone.name,
    write: (row, links) => {
      const instant = write(row, links)
      return instant === null ? null : inZone(zone, String(instant))
    },
  })
  const members = view.members.map((member) => (member.schema.format === 'date-time' ? zoned(member) : member))
  return { ...view, members }
}

/**
 * Returns the heads of columns: their titles, or their names. Equal titles have the name beside them, and local times
 * have their zone.
 */
export const headsOf = (members: readonly ItemMember[]): string[] => {
  const heads = members.map(({ name, title = name }) => title)
  return members.map(({ name, title, zone }, i) => {
    const isShared = heads.some((head, other) => other !== i && head === heads[i])
    const head = title !== undefined && isShared ? `${title} (${name})` : (title ?? name)
    return zone === undefined ? head : `${head} (${zone})`
  })
}

/** The part of the items of a list that an answer shows. */
export interface ShownView extends Pick<Resource, 'place'> {
  /** It has the members that the request chooses. */
  readonly view: View
  /** The members that the client chooses. Null: all. */
  readonly fields: ReadonlySet<string> | null
}

/**
 * Returns a view of a list with the members that a client chooses. Items show their distance from the position `near`.
 */
export const shownIn = (
  view: View,
  place: Resource['place'],
  near: LonLat | null = null,
  fields: ShownView['fields'] = null,
): ShownView => {
  const distance = near && { name: 'distance', schema: DISTANCE, write: (row: object) => distanceOf(near, { ...row }) }
  const members = distance === null || view.isFeature ? view.members : [...view.members, distance]
  return { view: { ...view, members: fields === null ? members : chosenIn(view, members, fields) }, place, fields }
}

/** Returns the chosen members. A flat view has them in the order of the choice, with a column for each chosen attribute. */
const chosenIn = (view: View, members: View['members'], fields: ReadonlySet<string>): readonly ItemMember[] => {
  const attributes = [...fields].flatMap((name) => attributeNamed(name) ?? [])
  if (!view.isFeature) {
    const named = new Map(
      [...attributeMembers(attributes), VALUE_NUMBER, ...members].map((member) => [member.name, member]),
    )
    return [...fields].flatMap((name) => named.get(name) ?? [])
  }
  return members.flatMap((member) => {
    if (fields.has(member.name)) return [member]
    const isPart = member.name === 'attributes' && attributes.length > 0
    return isPart ? [attributesWhere(member, (name) => attributes.includes(name))] : []
  })
}

/** Returns a function that writes the item of a row in JSON. */
export const itemWriter = ({ view, place, fields }: ShownView) => {
  const write = writerOf(view.members)
  if (!view.isFeature) return write
  return (row: Row, links: Links): object => {
    const { id, geometry } = place.of(row)
    return {
      ...(fields?.has('id') !== false && { id }),
      type: 'Feature',
      geometry: fields?.has('geometry') === false ? null : geometry,
      properties: write(row, links),
    }
  }
}

/** Returns a function that writes the item of a row as a feature of GeoJSON (RFC 7946). */
export const featureWriter = ({ view, place, fields }: ShownView) => {
  const properties = writerOf(view.members.filter(({ inFeature }) => !inFeature))
  const placeOf = (row: Row) => {
    const all = place.of(row)
    if (fields === null) return all
    return { geometry: null, ...Object.fromEntries(Object.entries(all).filter(([name]) => fields.has(name))) }
  }
  return (row: Row, links: Links): object => ({
    type: 'Feature',
    ...placeOf(row),
    properties: properties(row, links),
  })
}

const membersIn = (schema: Schema): Readonly<Record<string, Schema>> =>
  (schema.properties ?? {}) as Readonly<Record<string, Schema>> // `record` makes the schemas of items

/** Returns the members that a client can choose in items with a schema: in a feature also those of its properties. */
const memberNames = (schema: Schema): string[] => {
  const { type, properties, ...others } = membersIn(schema)
  if (type?.const !== 'Feature') return Object.keys(membersIn(schema))
  return [...Object.keys(others), ...Object.keys(membersIn(properties ?? {}))]
}

/** Returns the schema of an item that shows only the members that the client chooses. */
export const partOf = (schema: Schema): Schema => {
  if (typeof schema.$ref === 'string') return { $ref: `${schema.$ref}Part` }
  const { required: _, if: _if, else: _else, ...others } = schema
  const { properties, ...members } = membersIn(schema)
  if (members.type?.const !== 'Feature' || properties === undefined) return others
  const required = ['type', 'geometry', 'properties']
  return { ...others, properties: { ...members, properties: partOf(properties) }, required }
}

/** Returns the members of the items of a view in JSON. */
export const jsonFields = ({ view: { isFeature, members, schema } }: Pick<ShownView, 'view'>): readonly string[] =>
  isFeature ? memberNames(schema) : members.map(({ name }) => name)

/** Returns the distance of a row from a position in metres, to a millimetre. Null: the row has no coordinates. */
export const distanceOf = (centre: LonLat, { x, y }: Readonly<Record<string, unknown>>): number | null =>
  typeof x === 'number' && typeof y === 'number' ? Math.round(1000 * distanceBetween(centre, [x, y])) / 1000 : null

export const DISTANCE: Schema = { ...NUMBER, description: 'The metres from the position of near. Absent without near.' }

/** Adds members, which an item may lack, to the schema of a flat item. */
export const withMembers = (schema: Schema, members: Readonly<Record<string, Schema>>): Schema => ({
  ...schema,
  properties: { ...membersIn(schema), ...members },
})
