import { sql } from 'drizzle-orm'
import { observationTypes as table } from '../../schema/tables.ts'
import { INTEGER, listOf, orNull, record, STRING } from '../formats/schema.ts'
import type { Field } from '../store/fields.ts'
import { as, atMost, emptyAs, MAX_NAME } from '../store/readers.ts'
import { FIELDS, isObject, type ObservationTypeRecord } from '../store/records.ts'
import { addTypes } from '../store/types.ts'
import type { Writable } from '../store/writable.ts'

/** A row of an observation type. */
type TypeRow = Omit<ObservationTypeRecord, 'kind'>
type TypeDraft = Partial<ObservationTypeRecord>

const FIELD = FIELDS.observation_type
const NAME = { ...STRING, maxLength: MAX_NAME }
const readCode = atMost(MAX_NAME, as(FIELD.code))

/** Finds the stored types by their codes, which come as a JSON array. */
const withCodes = (values: string) =>
  sql`SELECT given.value AS given, min(${table.id}) AS id FROM json_each(${values}) AS given
    JOIN ${table} ON ${table.code} = given.value GROUP BY given.value`

/** Reads the code of an item. A GeoJSON feature has it in its properties. */
const codeOf = (item: unknown): string | null => {
  if (!isObject(item)) return null
  const { code } = item.type === 'Feature' && isObject(item.properties) ? item.properties : item
  return FIELD.code[1](code) ?? null
}

/** How clients create observation types. They cannot change one, and each code belongs to one type. */
export const writable = (path: string): Writable<ObservationTypeRecord, TypeRow, TypeDraft> => ({
  table: 'observation_type',
  types: ['application/json', 'application/geo+json'],
  inFeatures: true,
  fields: {
    code: {
      to: 'code',
      read: readCode,
      schema: { ...NAME, description: 'A code that no other type has.' },
      required: true,
      lookup: { query: withCodes, message: () => 'Another type has this code. Enter another.', fresh: true },
    },
    name: { to: 'name', read: atMost(MAX_NAME, as(FIELD.name)), schema: NAME, required: true },
    unit: { to: 'unit', read: emptyAs(null, atMost(MAX_NAME, as(FIELD.unit))), schema: orNull(NAME) },
  } satisfies Readonly<Record<string, Field<TypeDraft>>>,
  readOnly: ['url', 'id'],
  examples: { made: { code: 'water_level', name: 'Water level', unit: 'm' } },
  faultOf: () => null,
  complete: (draft) => ({ unit: null, ...draft, kind: 'observation_type', id: 0 }) as ObservationTypeRecord,
  merge: (stored, draft) => ({ ...stored, ...draft }),
  identity: {
    member: 'code',
    nameOf: codeOf,
    query: withCodes,
    pathOf: ({ id }) => `${path}${id}/`,
    isFinal: true,
  },
  rowOf: ({ kind: _, ...row }) => row,
  recordOf: (row) => ({ kind: 'observation_type', ...row }),
  several: (records) => ({ ids: records.map(({ id }) => id) }),
  told: record({ ids: listOf(INTEGER) }),
  keyOf: ({ id }) => String(id),
  add: addTypes,
})
