import { listFilters } from '../filters/filterSet.ts'
import type { Schema } from '../filters/lookups.ts'
import { attributeIn, ofAttribute } from '../filters/text.ts'
import { attributeMembers, attributeNamed, VALUE_NUMBER, withColumns, withTitles } from '../formats/columns.ts'
import { EVENT } from '../model/event.ts'
import { isObject } from '../model/kinds.ts'
import { type ItemMember, membersOf } from '../model/members.ts'
import { type MetadataRow, metadataOf } from '../model/metadata.ts'
import type { DescribedField, Metadata, SeriesRow } from '../model/types.ts'
import type { AttributeType } from '../question/fields.ts'
import type { Draft } from '../store/fields.ts'
import type { Writable } from '../store/writable.ts'
import { type Collection, type Column, eventCollection, writableIn } from './collection.ts'

/** The parameters of items, except filters. QGIS and GDAL expect these names. */
export const ITEM_PARAMETERS = [
  'f',
  'locale',
  'limit',
  'offset',
  'hint',
  'bbox',
  'datetime',
  'filter',
  'filter-lang',
  'filter-crs',
  'bbox-crs',
  'crs',
  'sortby',
  'properties',
  'exclude-properties',
  'resultType',
] as const

const TYPES: Readonly<Record<string, readonly [AttributeType, Schema]>> = {
  string: ['text', { type: 'string' }],
  number: ['number', { type: 'number' }],
  integer: ['number', { type: 'integer' }],
  boolean: ['boolean', { type: 'boolean' }],
  datetime: ['text', { type: 'string', format: 'date-time' }],
}

/** The names that features and tiles have for other members. */
const MEMBERS = ['type', 'id', 'bbox', 'geometry', 'geom', 'links', 'properties', 'attributes', VALUE_NUMBER.name]
const IN_TILES = membersOf(EVENT, 'tile')

/** The most columns in a tile. */
const MOST_IN_TILES = 20

/** Returns the properties of the events in the tiles of a collection. */
export const tileMembers = ({ columns }: Collection): readonly ItemMember[] => [
  ...IN_TILES,
  ...columns.slice(0, MOST_IN_TILES).map(({ member }) => member),
]

/**
 * Returns the columns of a description. A name is plain, unless features already have it, or filters cannot name it. Then
 * it keeps `attributes__`. A column with the name of a parameter is not queryable.
 */
const columnsOf = ({ fields }: Metadata, { view, resource }: Collection): readonly Column[] => {
  const members = new Set([...MEMBERS, ...[...IN_TILES, ...view.members].map(({ name }) => name)])
  const parameters = new Set<string>([...ITEM_PARAMETERS, ...resource.filters.keys()])
  const found = fields.flatMap((field) => {
    const attribute = attributeNamed(field.name)
    const [type, schema] = TYPES[field.type] ?? []
    if (attribute === null || type === undefined) return []
    const isName = attributeIn(field.name) !== null
    const name = isName && !members.has(attribute) ? attribute : field.name
    return [
      { name, attribute, type, schema: { title: attribute, ...schema }, isQueryable: isName && !parameters.has(name) },
    ]
  })
  const values = attributeMembers(found.map(({ attribute }) => attribute))
  return found.map(({ name, schema, ...column }, i) => ({
    ...column,
    member: { name, schema, write: scalarOf(values[i]) },
  }))
}

const isNested = (value: unknown): boolean => typeof value === 'object' && value !== null

const scalarOf =
  (member: ItemMember | undefined): ItemMember['write'] =>
  (row, links) => {
    const value = member?.write(row, links)
    return isNested(value) ? null : value
  }

/** Returns what a schema tells of a field (OGC API - Features, Part 5). */
const toldOf = ({ title, unit }: Partial<DescribedField> = {}): Schema => ({
  ...(title !== undefined && { title }),
  ...(unit !== undefined && { 'x-ogc-unit': unit }),
})

/** Returns the collection of the events of one series, without its columns. A client such as QGIS shows it as a layer. */
export const collectionOf = ({ id, uuid, name, description, metadata }: SeriesRow & MetadataRow): Collection => {
  const owner = { id, uuid }
  return {
    ...eventCollection,
    id: `events-${uuid}`,
    title: name,
    description: description || `The events of ${name}.`,
    source: metadataOf({ metadata }),
    owner,
    writableIn: (srid: number) => writableIn(srid, owner),
  }
}

/** Returns the collection of the events of one series with the columns of its description, in their order. */
export const eventsOfSeries = (row: SeriesRow & MetadataRow): Collection => {
  const [collection, metadata] = [collectionOf(row), metadataOf(row)]
  const { view, resource, properties, schema } = collection
  const columns = columnsOf(metadata, collection)
  const fieldOf = (name: string) => {
    const attribute = columns.find(({ member }) => member.name === name)?.attribute
    const named = attribute === undefined ? name.replace(VALUE_NUMBER.name, 'value') : `attributes__${attribute}`
    return metadata.fields.findIndex((field) => field.name === named)
  }
  const placeOf = ({ name }: ItemMember) => (fieldOf(name) < 0 ? metadata.fields.length : fieldOf(name))
  const members = view.members
    .flatMap((member) => {
      if (member.name === 'value') return [member, VALUE_NUMBER]
      return member.name === 'attributes' ? columns.map((column) => column.member) : [member]
    })
    .sort((a, b) => placeOf(a) - placeOf(b))
  const schemas = { [VALUE_NUMBER.name]: { type: 'number' }, ...schema }
  const schemaOf = ({ name, schema: own }: ItemMember, i: number): [string, Schema] => {
    const { title, ...told } = toldOf(metadata.fields[fieldOf(name)])
    const shown =
      name === VALUE_NUMBER.name ? { title: `${title ?? 'Value'} (number)` } : title !== undefined && { title }
    return [name, { ...(schemas[name] ?? own), ...shown, ...told, 'x-ogc-propertySeq': i + 1 }]
  }
  const named = <T>(value: (column: Column) => T): Readonly<Record<string, T>> =>
    Object.fromEntries(columns.flatMap((each) => (each.isQueryable ? [[each.member.name, value(each)]] : [])))
  const filters = listFilters(named(({ attribute }) => ofAttribute(attribute)))
  const orderings = named(({ attribute }) => ({ by: { attribute }, nulls: 'last' as const }))
  return {
    ...collection,
    columns,
    view: { ...view, members },
    properties: {
      ...properties,
      [VALUE_NUMBER.name]: { field: 'value_number' },
      ...named(({ attribute, type }) => ({ field: { attribute, as: type } })),
    },
    schema: { id: schema.id ?? {}, ...Object.fromEntries(members.map(schemaOf)) },
    resource: {
      ...resource,
      filters: new Map([...resource.filters, ...filters]),
      orderings: { ...resource.orderings, ...orderings },
      flat: withTitles(withColumns(resource.flat, metadata, true), metadata),
    },
    writableIn: (srid, method) => withAttributes(collection.writableIn(srid, method), columns, method),
  }
}

type Attributes = Readonly<Record<string, unknown>> | null

const without = (attributes: unknown, leavesOut: (name: string, value: unknown) => boolean): Attributes =>
  isObject(attributes)
    ? Object.fromEntries(Object.entries(attributes).filter(([name, value]) => !leavesOut(name, value)))
    : null

const PREFIX = 'properties.'

/**
 * Returns how clients write features whose other members are attributes. Null removes one. PUT, and POST for a stored
 * feature, keep the attributes that features do not show.
 */
const withAttributes = (writable: Writable, columns: readonly Column[], method = 'POST'): Writable => {
  const readOnly = [...writable.readOnly, PREFIX + VALUE_NUMBER.name]
  const aliases = Object.values(writable.fields).flatMap(({ alias }) => alias ?? [])
  const known = new Set([...Object.keys(writable.fields), ...aliases, ...readOnly])
  const attributes = new Map(columns.map(({ member, attribute }) => [member.name, attribute]))
  const attributeOf = (name: string) =>
    attributes.get(name) ?? (known.has(PREFIX + name) ? null : (attributeNamed(name) ?? name))
  const gather = (item: Draft): Draft => {
    if (!isObject(item.properties)) return item
    const { attributes: given, ...members } = item.properties
    const groups = Map.groupBy(Object.entries(members), ([name]) => attributeOf(name) === null)
    const own = (groups.get(false) ?? []).map(([name, value]) => [attributeOf(name), value])
    const all = own.length === 0 ? given : { ...(isObject(given) && given), ...Object.fromEntries(own) }
    const others = Object.fromEntries(groups.get(true) ?? [])
    return { ...item, properties: all === undefined ? others : { ...others, attributes: all } }
  }
  const shaped = { ...writable, readOnly, gather }
  if (method === 'PATCH') return shaped
  const present = (draft: Draft, stored: unknown): Draft => {
    if (!('attributes' in draft)) return draft
    const kept = without(
      stored,
      (name, value) => columns.some(({ attribute }) => attribute === name) && !isNested(value),
    )
    const joined = { ...kept, ...without(draft.attributes, (_, value) => value === null) }
    return { ...draft, attributes: Object.keys(joined).length === 0 ? null : joined }
  }
  return {
    ...shaped,
    complete: (draft, writer) => writable.complete(present(draft, null), writer),
    merge: (stored, draft) => writable.merge(stored, present(draft, stored.attributes)),
  }
}
