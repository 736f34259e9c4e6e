import { listFilters } from '../filters/filterSet.ts'
import type { Schema } from '../filters/lookups.ts'
import { attributeIn, ofAttribute } from '../filters/text.ts'
import { attributeMembers, attributeNamed, VALUE_NUMBER, withColumns, withTitles } from '../formats/columns.ts'
import { EVENT } from '../model/event.ts'
import { type ItemMember, membersOf } from '../model/members.ts'
import { type MetadataRow, metadataOf } from '../model/metadata.ts'
import type { DescribedField, Metadata, SeriesRow } from '../model/types.ts'
import { type Collection, type Column, eventCollection, writableIn } from './collection.ts'
import { RESERVED, shownAs, withAttributes } from './columnWriting.ts'

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

const TYPES: Readonly<Record<string, readonly [Column['type'], Schema]>> = {
  string: ['text', { type: 'string' }],
  number: ['number', { type: 'number' }],
  integer: ['number', { type: 'integer' }],
  boolean: ['boolean', { type: 'boolean' }],
  datetime: ['text', { type: 'string', format: 'date-time' }],
}

/** The names that features and tiles have for other members. */
const MEMBERS = [...RESERVED, VALUE_NUMBER.name]
const IN_TILES = membersOf(EVENT, 'tile')

/** The most columns in a tile. */
const MOST_IN_TILES = 20

/** Maps of one series size and color its events by these, and by its columns. */
const OF_SERIES = [...membersOf({ value: EVENT.value }, 'ogc'), VALUE_NUMBER]

/** Returns the properties of the events in the tiles of a collection. */
export const tileMembers = ({ owner, columns }: Collection): readonly ItemMember[] => [
  ...IN_TILES,
  ...(owner === null ? [] : OF_SERIES),
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
  const { view, resource, properties } = collection
  const columns = columnsOf(metadata, collection)
  const named = <T>(value: (column: Column) => T): Readonly<Record<string, T>> =>
    Object.fromEntries(columns.flatMap((each) => (each.isQueryable ? [[each.member.name, value(each)]] : [])))
  const filters = listFilters(named(({ attribute }) => ofAttribute(attribute)))
  const orderings = named(({ attribute }) => ({ by: { attribute }, nulls: 'last' as const }))
  const { members, schema } = membersIn(collection, metadata, columns)
  return {
    ...collection,
    columns,
    view: { ...view, members },
    schema,
    properties: {
      ...properties,
      [VALUE_NUMBER.name]: { field: 'value_number' },
      ...named(({ attribute, type }) => ({ field: { attribute, isBoolean: type === 'boolean' } })),
    },
    resource: {
      ...resource,
      filters: new Map([...resource.filters, ...filters]),
      orderings: { ...resource.orderings, ...orderings },
      flat: withTitles(withColumns(resource.flat, metadata, true), metadata),
    },
    writableIn: (srid, method) => withAttributes(collection.writableIn(srid, method), columns, method),
  }
}

/** Returns the members of features in the order of a description, and their schemas with its titles and units. */
const membersIn = (
  { view, schema }: Collection,
  { fields }: Metadata,
  columns: readonly Column[],
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
    const shown = { ...(schemas[name] ?? own), ...(title !== undefined && { title }), ...told }
    return [name, { ...shown, 'x-ogc-propertySeq': i + 1 }]
  }
  return { members, schema: { id: schema.id ?? {}, ...Object.fromEntries(members.map(schemaOf)) } }
}
