import { type SQL, sql } from 'drizzle-orm'
import { eventSeries, observationTypes as table } from '../../schema/tables.ts'
import { number } from '../filters/numbers.ts'
import { as, columnMember, everywhere, integer, named, nullable, single, string } from './declare.ts'
import type { Fields, Links } from './field.ts'
import * as kinds from './kinds.ts'
import { typeReference } from './readers.ts'
import { ADDRESS, INTEGER, orNull, STRING } from './schema.ts'

const codes = kinds.text('a text, such as "wind_speed"', kinds.MAX_NAME)
const names = kinds.text('a text', kinds.MAX_NAME)
const units = kinds.nullable(kinds.text('a text, such as "kn"', kinds.MAX_NAME))
const NAME = { ...STRING, maxLength: kinds.MAX_NAME }

/** Finds the stored types by their codes, which come as a JSON array. */
export const withCodes = (values: string) =>
  sql`SELECT given.value AS given, min(${table.id}) AS id FROM json_each(${values}) AS given
    JOIN ${table} ON ${table.code} = given.value GROUP BY given.value`

/** The fields of an observation type. Only the lists and files show types. */
export const OBSERVATION_TYPE = {
  id: {
    ...single('id', table.id),
    kind: kinds.positive('a positive integer'),
    on: { ...everywhere('id', integer), ogc: null, tile: null },
    told: { title: ['Id', 'Id'], group: 'more', column: 1 },
    filters: [named('id', number(table.id), { about: 'The id of the observation type', example: 1 })],
    orders: [{ v3: 'id', v4: 'id', column: table.id }],
  },
  code: {
    ...single('code', table.code),
    kind: codes,
    on: { ...everywhere('code', string), ogc: null, tile: null },
    told: { title: ['Code', 'Code'], group: 'what', column: 1 },
    orders: [{ v3: 'code', v4: 'code', column: table.code }],
    body: {
      schema: { ...NAME, description: 'A code that no other type has.' },
      required: true,
      lookup: { query: withCodes, message: () => 'Another type has this code. Enter another.', fresh: true },
    },
  },
  name: {
    ...single('name', table.name),
    kind: names,
    on: { ...everywhere('name', string), ogc: null, tile: null },
    told: { title: ['Name', 'Naam'], group: 'what', column: 1 },
    orders: [{ v3: 'name', v4: 'name', column: table.name }],
    body: { schema: NAME, required: true },
  },
  unit: {
    ...single('unit', table.unit),
    kind: units,
    otherwise: null,
    on: { ...everywhere('unit', nullable(string)), ogc: null, tile: null },
    told: { title: ['Unit', 'Eenheid'], group: 'what', column: 1 },
    body: { schema: orNull(NAME) },
  },
} satisfies Fields

/** Finds observation types by their ids or codes. */
const BY_ID_OR_CODE = {
  query: (values: string): SQL =>
    sql`SELECT given.value AS given, min(${table.id}) AS id FROM json_each(${values}) AS given
      JOIN ${table} ON CASE given.type
        WHEN 'integer' THEN ${table.id} = given.value ELSE ${table.code} = given.value END
      GROUP BY given.type, given.value HAVING count(*) = 1`,
  message: (given: unknown): string =>
    typeof given === 'number'
      ? `There is no observation type ${given}. The types are listed at /api/v4/observationtypes/.`
      : 'No observation type has this code, or several have it. Enter an id from /api/v4/observationtypes/.',
}

/** Shows the address of the observation type in a version. */
const addressIn = (version: 'v3' | 'v4') => ({
  schema: ADDRESS,
  write: (id: number, links: Links) => links.to(`/api/${version}/observationtypes/${id}/`),
})
const JOINED = { rank: 1, property: null }

/** The observation type of a series. */
export const TYPE_OF_SERIES = {
  observation_type: {
    ...single('observationType', eventSeries.observationTypeId),
    joined: { code: table.code, quantity: table.name, unit: table.unit },
    kind: kinds.positive('the id of an observation type'),
    on: {
      v3: as('observation_type', addressIn('v3')),
      v4: as('observation_type', addressIn('v4')),
      flat: as('observation_type', addressIn('v3')),
      ogc: [
        columnMember('observation_type', STRING, 'code', { ...JOINED, title: 'Code of the observation type' }),
        columnMember('observation_type_name', STRING, 'quantity', { ...JOINED, title: 'Name of the observation type' }),
        columnMember('unit', STRING, 'unit', { ...JOINED, title: 'Unit' }),
      ],
      tile: null,
      file: as('observation_type', integer),
    },
    told: { title: ['Observation type', 'Soort waarneming'], group: 'what', column: 3 },
    body: {
      kind: typeReference,
      schema: { anyOf: [INTEGER, STRING], description: 'The id, the address or the code of the type.' },
      required: true,
      lookup: BY_ID_OR_CODE,
    },
  },
} satisfies Fields
