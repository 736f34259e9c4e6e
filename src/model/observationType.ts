import { sql } from 'drizzle-orm'
import { observationTypes as table } from '../../schema/tables.ts'
import { number } from '../filters/scalar.ts'
import { everywhere, type Fields, field, type RecordOf, type RowOf, single } from './field.ts'
import { nullable, plain } from './forms.ts'
import * as kinds from './kinds.ts'
import { named } from './names.ts'
import { atMost, emptyAs, MAX_NAME, as as read } from './readers.ts'
import { INTEGER, orNull, STRING } from './schema.ts'

const text = plain<string>(STRING)
const integer = plain<number>(INTEGER)
const codes = kinds.text('a text, such as "wind_speed"')
const names = kinds.text('a text')
const units = kinds.nullable(kinds.text('a text, such as "kn"'))
const NAME = { ...STRING, maxLength: MAX_NAME }

/** Finds the stored types by their codes, which come as a JSON array. */
export const withCodes = (values: string) =>
  sql`SELECT given.value AS given, min(${table.id}) AS id FROM json_each(${values}) AS given
    JOIN ${table} ON ${table.code} = given.value GROUP BY given.value`

/** The fields of an observation type. Only the lists and files show types. */
export const OBSERVATION_TYPE = {
  id: field({
    ...single('id', table.id),
    kind: kinds.positive('a positive integer'),
    on: { ...everywhere('id', integer), ogc: null, tile: null },
    title: 'Id',
    filters: [named('id', number(table.id), { about: 'The id of the observation type', example: 1 })],
    order: { v3: 'id', v4: 'id', column: table.id },
  }),
  code: field({
    ...single('code', table.code),
    kind: codes,
    on: { ...everywhere('code', text), ogc: null, tile: null },
    title: 'Code',
    order: { v3: 'code', v4: 'code', column: table.code },
    body: {
      read: atMost(MAX_NAME, read(codes)),
      schema: { ...NAME, description: 'A code that no other type has.' },
      required: true,
      lookup: { query: withCodes, message: () => 'Another type has this code. Enter another.', fresh: true },
    },
  }),
  name: field({
    ...single('name', table.name),
    kind: names,
    on: { ...everywhere('name', text), ogc: null, tile: null },
    title: 'Name',
    order: { v3: 'name', v4: 'name', column: table.name },
    body: { read: atMost(MAX_NAME, read(names)), schema: NAME, required: true },
  }),
  unit: field({
    ...single('unit', table.unit),
    kind: units,
    otherwise: null,
    on: { ...everywhere('unit', nullable(text)), ogc: null, tile: null },
    title: 'Unit',
    body: { read: emptyAs(null, atMost(MAX_NAME, read(units))), schema: orNull(NAME) },
  }),
} satisfies Fields

export type ObservationTypeRecord = { readonly kind: 'observation_type' } & RecordOf<typeof OBSERVATION_TYPE>
export type ObservationTypeRow = RowOf<typeof OBSERVATION_TYPE>
