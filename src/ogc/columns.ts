import { LongNumber } from '../base/json.ts'
import type { Schema } from '../base/schema.ts'
import { type FilterSet, listFilters } from '../filters/filter.ts'
import { ofAttribute } from '../filters/text.ts'
import { attributeMembers, attributeNamed, VALUE_NUMBER, withColumns, withTitles } from '../formats/shown.ts'
import { EVENT } from '../model/event.ts'
import { isObject } from '../model/kinds.ts'
import { type ItemMember, membersOf } from '../model/members.ts'
import { type MetadataRow, metadataOf } from '../model/metadata.ts'
import type { DescribedField, Metadata, SeriesRow } from '../model/types.ts'
import type { BodyShape, Draft } from '../store/fields.ts'
import type { Writable } from '../store/writable.ts'
import { type Collection, eventCollection, type OgcColumn, writableIn } from './collection.ts'

/** The names of members of features that are never columns. */
const RESERVED = ['type', 'id', 'bbox', 'geometry', 'geom', 'links', 'properties', 'attributes', 'distance']

/**
 * Returns the value of an attribute that a column of a type shows. Programs such as QGIS lose whole columns if one value has
 * another type. Null: it has no such value.
 */
const shownAs = (type: OgcColumn['type'], value: unknown): string | number | boolean | LongNumber | null => {
  if (value instanceof LongNumber && type !== 'boolean') return type === 'text' ? value.digits : value
  if (typeof value === 'object' || value === undefined) return null
  if (type === 'text') return String(value)
  return typeof value === type ? (value as number | boolean) : null // the type is checked
}

/** The parameters of items, except filters. QGIS and GDAL expect these names. */
export const ITEM_PARAMETERS = [
  'f',
  'locale',
  'limit',
  'offset',
  'hint',
  'bbox',
  'datetime',
  'timezone',
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

const PARAMETERS: ReadonlySet<string> = new Set(ITEM_PARAMETERS)

const TYPES = new Map<DescribedField['type'], readonly [OgcColumn['type'], Schema]>([
  ['string', ['text', { type: 'string' }]],
  ['number', ['number', { type: 'number' }]],
  ['integer', ['number', { type: 'integer' }]],
  ['boolean', ['boolean', { type: 'boolean' }]],
  ['datetime', ['text', { type: 'string', format: 'date-time' }]],
  ['date', ['text', { type: 'string', format: 'date' }]],
])

/** The names that features and tiles have for other members. */
const MEMBERS = [...RESERVED, VALUE_NUMBER.name]
const IN_TILES = membersOf(EVENT, 'tile')

/** The most columns in a tile. */
const MOST_IN_TILES = 20

/** A map of one series also shows these, as the size or the colour of its dots. */
const OF_SERIES = [...membersOf({ value: EVENT.value }, 'ogc'), VALUE_NUMBER]

/** Returns the properties of the events in the tiles of a collection. */
export const tileMembers = ({ owner, columns }: Collection): readonly ItemMember[] => [
  ...IN_TILES,
  ...(owner === null ? [] : OF_SERIES),
  ...columns.slice(0, MOST_IN_TILES).map(({ member: { write, ...member } }) => ({
    ...member,
    write: (...from: Parameters<typeof write>) => inTile(write(...from)),
  })),
]

/** A tile has only doubles. */
const inTile = (value: unknown): unknown => (value instanceof LongNumber ? Number(value) : value)

/**
 * Returns the columns of a description. A name is plain. It keeps `attributes__` if features already have the plain name, or
 * if that begins with `attributes__` as well.
 */
const columnsOf = ({ fields }: Metadata, { view }: Collection): readonly OgcColumn[] => {
  const members = new Set([...MEMBERS, ...[...IN_TILES, ...view.members].map(({ name }) => name)])
  const found = fields.flatMap((field) => {
    const attribute = attributeNamed(field.name)
    const [type, schema] = TYPES.get(field.type) ?? []
    if (attribute === null || type === undefined) return []
    const name = members.has(attribute) || attributeNamed(attribute) !== null ? field.name : attribute
    return [{ name, attribute, type, schema: { title: attribute, ...schema } }]
  })
  const values = attributeMembers(found.map(({ attribute }) => attribute))
  return found.map(({ name, schema, ...column }, i) => ({
    ...column,
    isQueryable: false,
    member: { name, schema, write: (row, links) => shownAs(column.type, values[i]?.write(row, links)) },
  }))
}

/**
 * Writes each number of a column of decimals with a point, such as 5.0. QGIS finds the type of a column in its first values,
 * and would lose all decimals after an integer.
 */
const withDecimals = (member: ItemMember): ItemMember => {
  const { write, schema } = member
  if (![schema.type].flat().includes('number')) return member
  return {
    ...member,
    write: (row, links) => {
      const value = write(row, links)
      return Number.isInteger(value) && Math.abs(Number(value)) < LEAST_EXPONENT ? JSON.rawJSON(`${value}.0`) : value
    },
  }
}

/** JavaScript writes numbers from here with an exponent, so they are no integers in JSON. */
const LEAST_EXPONENT = 1e21

/** Returns the title and the unit of a field for a schema (OGC API - Features, Part 5). */
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
  const { view, properties } = collection
  const columns = columnsOf(metadata, collection)
  const { filters, queryable } = withColumnFilters(collection.filters, columns)
  const named = <T>(value: (column: OgcColumn) => T): Readonly<Record<string, T>> =>
    Object.fromEntries(columns.map((each) => [each.member.name, value(each)]))
  const orderings = named(({ attribute }) => ({ by: { attribute }, nulls: 'last' as const }))
  const { members, schema } = membersIn(collection, metadata, columns)
  return {
    ...collection,
    columns: columns.map((column) => ({ ...column, isQueryable: queryable.has(column.member.name) })),
    view: { ...view, members },
    schema,
    properties: {
      ...properties,
      [VALUE_NUMBER.name]: { field: 'value_number' },
      ...named(({ attribute, type }) => ({ field: { attribute, isBoolean: type === 'boolean' } })),
    },
    filters,
    orderings: { ...collection.orderings, ...orderings },
    flat: withTitles(withColumns(collection.flat, metadata, true), metadata),
    writableIn: (srid, method) => withAttributes(collection.writableIn(srid, method), columns, method),
  }
}

/**
 * Adds the filters of columns to the filters of items, and returns the names of columns with a filter. An existing parameter
 * keeps its meaning: only CQL2 and sortby name a column such as `limit` or `category__in`. Names with two underscores follow
 * the others, because a lookup may have the same name.
 */
const withColumnFilters = (filters: FilterSet, columns: readonly OgcColumn[]) => {
  const all = new Map(filters)
  const queryable = new Set<string>()
  const hasLookup = ({ attribute }: OgcColumn) => Number(attribute.includes('__'))
  for (const { member, attribute, type } of [...columns].sort((a, b) => hasLookup(a) - hasLookup(b))) {
    if (all.has(member.name) || PARAMETERS.has(member.name)) continue
    queryable.add(member.name)
    for (const [name, filter] of listFilters({ [member.name]: ofAttribute(attribute, type === 'boolean') }))
      if (!all.has(name)) all.set(name, filter)
  }
  return { filters: all, queryable }
}

/** Returns the members of features in the order of a description, and their schemas with its titles and units. */
const membersIn = (
  { view, schema }: Collection,
  { fields }: Metadata,
  columns: readonly OgcColumn[],
): Pick<Collection, 'schema'> & { readonly members: readonly ItemMember[] } => {
  const attributes = new Map(columns.map(({ member, attribute }) => [member.name, `attributes__${attribute}`]))
  const places = new Map(fields.map(({ name }, i) => [name, i]))
  const placeOf = ({ name }: ItemMember) =>
    places.get(attributes.get(name) ?? name.replace(VALUE_NUMBER.name, 'value')) ?? fields.length
  const members = view.members
    .flatMap((member) => {
      if (member.name === 'value') return [member, VALUE_NUMBER]
      return member.name === 'attributes' ? columns.map((column) => column.member) : [member]
    })
    .map(withDecimals)
    .sort((a, b) => placeOf(a) - placeOf(b))
  const schemas = { [VALUE_NUMBER.name]: { type: 'number' }, ...schema }
  const schemaOf = (member: ItemMember, i: number): [string, Schema] => {
    const { name, schema: own } = member
    const { title: given, ...told } = toldOf(fields[placeOf(member)])
    const title = name === VALUE_NUMBER.name ? `${given ?? 'Value'} (number)` : given
    const shown = {
      ...(Object.hasOwn(schemas, name) ? schemas[name] : own),
      ...(title !== undefined && { title }),
      ...told,
    }
    return [name, { ...shown, 'x-ogc-propertySeq': i + 1 }]
  }
  return { members, schema: { id: schema.id ?? {}, ...Object.fromEntries(members.map(schemaOf)) } }
}

const PREFIX = 'properties.'
const ATTRIBUTES = `${PREFIX}attributes`

/**
 * Returns how clients write features whose other members are attributes. Null removes one. A column with the value that its
 * feature shows stays as it is stored. PUT also removes columns that the body lacks, but no attributes that features do not
 * show.
 */
const withAttributes = (writable: Writable, columns: readonly OgcColumn[], method = 'POST'): Writable => {
  const byAttribute = new Map(columns.map((column) => [column.attribute, column]))
  const isShown = (name: string, stored: unknown, sent: unknown) => {
    const type = byAttribute.get(name)?.type
    return type !== undefined && shownAs(type, stored) === sent
  }
  const merged = (stored: unknown, sent: unknown): Draft | null => {
    const [before, given] = [isObject(stored) ? stored : {}, isObject(sent) ? sent : {}]
    const kept = Object.entries(before).flatMap(([name, value]) => {
      if (!Object.hasOwn(given, name)) return method === 'PUT' && byAttribute.has(name) ? [] : [[name, value]]
      if (isShown(name, value, given[name])) return [[name, value]]
      return given[name] === null ? [] : [[name, given[name]]]
    })
    const added = Object.entries(given).filter(([name, value]) => !Object.hasOwn(before, name) && value !== null)
    return kept.length + added.length === 0 ? null : Object.fromEntries([...kept, ...added])
  }
  const withMerged = (draft: Draft, stored: unknown): Draft =>
    'attributes' in draft ? { ...draft, attributes: merged(stored, draft.attributes) } : draft
  const shaped = { ...writable, gather: gatherer(writable, columns) }
  if (method !== 'PATCH')
    return {
      ...shaped,
      complete: (draft, writer) => writable.complete(withMerged(draft, null), writer),
      merge: (stored, draft) => writable.merge(stored, withMerged(draft, stored.attributes)),
    }
  const { [ATTRIBUTES]: field, ...others } = writable.fields
  if (field?.patch === undefined) return shaped
  const { patch } = field
  const patched = (stored: unknown, sent: unknown) => {
    if (!isObject(sent)) return patch(stored, sent)
    const before = isObject(stored) ? stored : {}
    const changes = Object.entries(sent).filter(([name, value]) =>
      value === null ? Object.hasOwn(before, name) : !isShown(name, before[name], value),
    )
    return changes.length === 0 ? stored : patch(stored, Object.fromEntries(changes))
  }
  return { ...shaped, fields: { ...others, [ATTRIBUTES]: { ...field, patch: patched } } }
}

/** Returns a function that puts the members of an item that are no fields into `attributes`. */
const gatherer = (
  { fields, readOnly }: Pick<BodyShape, 'fields' | 'readOnly'>,
  columns: readonly OgcColumn[],
): NonNullable<BodyShape['gather']> => {
  const paths = [...Object.entries(fields).flatMap(([path, { alias }]) => [path, alias ?? path]), ...readOnly]
  const known = new Set([...paths, ...RESERVED.map((name) => PREFIX + name)])
  const attributes = new Map(columns.map(({ member, attribute }) => [member.name, attribute]))
  /** Returns the attribute that a member means. Null: it is a field, or a mistake. */
  const attributeOf = (name: string) =>
    attributes.get(name) ?? (known.has(PREFIX + name) ? null : (attributeNamed(name) ?? name))
  return (item) => {
    if (!isObject(item.properties)) return item
    const { attributes: given, ...members } = item.properties
    const own: [string, unknown][] = []
    const others: [string, unknown][] = []
    for (const [name, value] of Object.entries(members)) {
      const attribute = attributeOf(name)
      if (attribute === null) others.push([name, value])
      else own.push([attribute, value])
    }
    const all = own.length === 0 ? given : { ...(isObject(given) && given), ...Object.fromEntries(own) }
    return { ...item, properties: { ...Object.fromEntries(others), ...(all !== undefined && { attributes: all }) } }
  }
}
