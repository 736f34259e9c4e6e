import { isWebAddress } from '../base/address.ts'
import { orUndefined, ValueError } from '../base/errors.ts'
import { storedJson } from '../base/json.ts'
import { ADDRESS, record, type Schema, STRING } from '../base/schema.ts'
import type { Fields } from './field.ts'
import { isObject, type Kind, MAX_NAME, nullable, parse, text } from './kinds.ts'
import { type Attributes, type DescribedField, FIELD_TYPES, type Metadata } from './types.ts'

/** The most fields of a description. */
export const MAX_FIELDS = 100

const SHORT = text('a text', MAX_NAME)

const address: Kind<string> = {
  ...SHORT,
  schema: ADDRESS,
  expected: 'an address that starts with https:// or http://',
  read: (value) => (isWebAddress(value) ? SHORT.read(value) : undefined),
}

const PARTS: readonly string[] = ['name', 'title', 'type', 'unit']
const FIELD =
  '{"name": "attributes__Volume", "title": "Volume", "type": "number", "unit": "m³"}, where title and unit may be left out'

const isType = (value: unknown): value is DescribedField['type'] => FIELD_TYPES.some((type) => type === value)

const readDescribed = (value: unknown): DescribedField | undefined => {
  if (!isObject(value) || Object.keys(value).some((name) => !PARTS.includes(name))) return undefined
  const { name, title = null, type, unit = null } = value
  const [named, titled, inUnit] = [SHORT.read(name), nullable(SHORT).read(title), nullable(SHORT).read(unit)]
  if (!named || titled === undefined || inUnit === undefined || !isType(type)) return undefined
  return { name: named, ...(titled && { title: titled }), type, ...(inUnit && { unit: inUnit }) }
}

/** The fields of events that a description may name, besides attributes. */
const NAMED = ['value', 'category', 'timestamp_start', 'timestamp_end', 'external_id', 'object_type', 'object_id']
const isNamed = (name: string): boolean => NAMED.includes(name) || /^attributes__./s.test(name)

/** Reads a list of fields. Throws ValueError that names the faulty one. */
const readFields = (value: unknown): DescribedField[] | undefined => {
  if (!Array.isArray(value) || value.length > MAX_FIELDS) return undefined
  const names = new Set<string>()
  return value.map((each, i) => {
    const field = readDescribed(each)
    const known = `Enter a field such as ${FIELD}. The types are ${FIELD_TYPES.join(', ')}.`
    if (field === undefined) throw new ValueError(`Field ${i + 1} is wrong. ${known}`)
    if (!isNamed(field.name))
      throw new ValueError(
        `No column has the name ${field.name}. Enter one of ${NAMED.join(', ')}, or an attribute, such as attributes__${field.name}.`,
      )
    if (names.has(field.name)) throw new ValueError(`Two fields have the name ${field.name}. Leave one of them out.`)
    names.add(field.name)
    return field
  })
}

/** Returns the name of a column in its events, without the prefix of attributes. */
export const columnName = (name: string): string => name.replace(/^attributes__/, '')

/** Returns the column that has a name as its title, alone or with its unit. Undefined: no other column has it. */
export const titledColumn = (fields: readonly DescribedField[], name: string): string | undefined => {
  const titled = fields.find(({ name: own, title, unit }) => {
    const titles = title === undefined ? [] : [title, `${title} (${unit})`, `${title} [${unit}]`]
    return columnName(own) !== name && titles.includes(name)
  })
  return titled && columnName(titled.name)
}

/** Returns what to enter for new attributes whose names are titles of columns. Null: there are none. */
export const attributesFault = (fields: readonly DescribedField[], attributes: readonly string[]): string | null => {
  const known = new Set(fields.map(({ name }) => columnName(name)))
  const faults = attributes.flatMap((name) => {
    const column = known.has(name) ? undefined : titledColumn(fields, name)
    return column === undefined ? [] : [`${name} is the title of ${column}. Enter ${column}, or another name.`]
  })
  return faults.length === 0 ? null : faults.join(' ')
}

/** Returns what to enter for a title that is the name of another column. Null: there is none. */
export const titlesFault = (fields: readonly DescribedField[]): string | null => {
  const name = fields.map((field) => columnName(field.name)).find((each) => titledColumn(fields, each) !== undefined)
  if (name === undefined) return null
  return `${name} is the title of ${titledColumn(fields, name)}, and the name of a column. Enter another title, such as ${name} 2.`
}

const FIELD_SCHEMA: Schema = {
  type: 'object',
  properties: { name: STRING, title: STRING, type: { type: 'string', enum: [...FIELD_TYPES] }, unit: STRING },
  required: ['name', 'type'],
}

const fields: Kind<readonly DescribedField[]> = {
  schema: { type: 'array', items: FIELD_SCHEMA, maxItems: MAX_FIELDS },
  expected: `an array of at most ${MAX_FIELDS} fields, such as ${FIELD}`,
  read: readFields,
}

/** The members of a description that clients write, with the meaning of null. */
export const METADATA_KINDS = {
  source: { about: 'Who publishes the data.', kind: SHORT, empty: null },
  source_url: { about: 'The address of the source.', kind: address, empty: null },
  license: { about: 'The licence, such as CC-BY-4.0, or its address.', kind: SHORT, empty: null },
  contact: { about: 'Who answers questions.', kind: SHORT, empty: null },
  fields: { about: 'The columns of the events, in their order.', kind: fields, empty: [] },
} as const satisfies Readonly<Record<string, { about: string; kind: Kind<unknown>; empty: unknown }>>

/** The names of licences in the list of SPDX, which has an address for each. */
const SPDX = /^[A-Za-z0-9][A-Za-z0-9.+-]*$/

/** Returns the address of a licence. It is null for a text that is no address and no such name. */
export const licenseAddress = (license: string | null): string | null => {
  const named = license !== null && SPDX.test(license) ? `https://spdx.org/licenses/${license}.html` : license
  return isWebAddress(named) ? named : null
}

/** The description of a new series. */
export const EMPTY: Metadata = { source: null, source_url: null, license: null, contact: null, fields: [], more: false }

/** Returns a description whose `more` fits its fields. */
export const metadataWith = (given: Partial<Metadata>): Metadata => {
  const whole = { ...EMPTY, ...given }
  return { ...whole, more: whole.more && whole.fields.length === MAX_FIELDS }
}

/** A row of a series with the text of its description. A new series has none. */
export type MetadataRow = { readonly metadata: string | null }

/** Returns the description in a row. The views of an owner may have any JSON, so it leaves out what is no description. */
export const metadataOf = ({ metadata }: { readonly metadata?: unknown }): Metadata => {
  const stored = typeof metadata === 'string' ? storedJson(metadata) : null
  if (!isObject(stored)) return EMPTY
  const textOf = (value: unknown) => (typeof value === 'string' ? value : null)
  const { source, source_url, license, contact, fields, more } = stored
  return metadataWith({
    source: textOf(source),
    source_url: isWebAddress(textOf(source_url)) ? textOf(source_url) : null,
    license: textOf(license),
    contact: textOf(contact),
    fields: Array.isArray(fields) ? fields.filter(isDescribed) : [],
    more: more === true,
  })
}

const isDescribed = (value: unknown): value is DescribedField =>
  isObject(value) &&
  isType(value.type) &&
  [value.name, value.title ?? '', value.unit ?? ''].every((each) => typeof each === 'string')

type Type = DescribedField['type']
export type TypedPart = { readonly value?: string; readonly attributes?: Attributes | null }
const [NUMBER, PREFIX] = [/^[ \t\n\r]*-?(0|[1-9]\d*)(\.\d+)?(e[-+]?\d+)?[ \t\n\r]*$/i, 'attributes__']

/** Returns the type of a value, as src/store/metadata.ts finds it in SQL. Null: it has none. */
const typeOf = (value: unknown): Type | null => {
  if (value === null || value === undefined) return null
  if (typeof value === 'number') return (value | 0) === value ? 'integer' : 'number'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'boolean'
  return typeof value === 'string' ? 'string' : 'object'
}

const typeIn = ({ value = '', attributes }: TypedPart, name: string): Type | null => {
  const given = attributes ?? {}
  const attribute = name.replace(PREFIX, '')
  if (name !== 'value') return Object.hasOwn(given, attribute) ? typeOf(given[attribute]) : null
  if (NUMBER.test(value)) return /[.e]/i.test(value) ? 'number' : 'integer'
  return value === '' ? null : 'string'
}

/** Returns the type of a column after an event is stored. It only becomes wider. */
export const widenedType = ({ name, type }: DescribedField, event: TypedPart): Type => {
  const found = name === 'value' || name.startsWith(PREFIX) ? typeIn(event, name) : null
  if (found === null || [found, 'string', 'datetime', 'date'].includes(type)) return type
  return [type, found].every((each) => each === 'integer' || each === 'number') ? 'number' : 'string'
}

/** Returns the columns that events make wider, with their types before and after. */
export const widenedBy = (fields: readonly DescribedField[], events: readonly TypedPart[]) =>
  fields.flatMap(({ name, type: from }) => {
    const to = events.reduce<Type>((type, event) => widenedType({ name, type }, event), from)
    return to === from ? [] : [{ name, from, to }]
  })

const readMetadata = (value: unknown): Metadata | undefined => {
  if (!isObject(value)) return undefined
  const { more = false, ...given } = value
  const read = Object.entries(given).map(([name, each]) => {
    const member = Object.entries(METADATA_KINDS).find(([known]) => known === name)?.[1]
    return [name, member && (each === null ? member.empty : parse<unknown>(member.kind, each))] as const
  })
  if (typeof more !== 'boolean' || read.some(([, each]) => each === undefined)) return undefined
  return metadataWith({ ...Object.fromEntries(read), more })
}

const metadata: Kind<Metadata> = {
  schema: record({}),
  expected: `a description of the series, such as {"source": "...", "fields": [${FIELD}]}`,
  read: (value) => orUndefined(() => readMetadata(value)),
}

/** The field for the description of a series. Files show it, and so does an address below the series. */
export const METADATA = {
  metadata: {
    told: { title: ['Description of the columns', 'Beschrijving van de kolommen'] },
    get: (row: { readonly metadata?: string | null }) => {
      const read = metadataOf(row)
      return JSON.stringify(read) === JSON.stringify(EMPTY) ? null : read
    },
    put: (value: Metadata | null) => ({ metadata: value && JSON.stringify(value) }),
    kind: nullable(metadata),
    otherwise: null,
    omittable: true,
    on: { file: 'metadata' },
  },
} satisfies Fields
