import { ADDRESS, INTEGER, STRING } from '../base/schema.ts'
import { number } from '../filters/numbers.ts'
import type { FieldName } from '../question/fields.ts'
import { everywhere, type Fields, named } from './field.ts'
import * as kinds from './kinds.ts'

const NAME = { ...STRING, maxLength: kinds.MAX_NAME }

/** Shows a field in the lists and files of types. There are no features of types. */
const listed = (name: string) => ({ ...everywhere(name), ogc: [], tile: [] })

/** The fields of an observation type. */
export const OBSERVATION_TYPE = {
  id: {
    told: { title: ['Id', 'Id'], group: 'more', column: 1 },
    kind: kinds.positive('a positive integer'),
    on: listed('id'),
    filters: [named('id', number('id'), { about: 'The id of the observation type', example: 1 })],
    orders: [{ v3: 'id', v4: 'id' }],
  },
  code: {
    told: { title: ['Code', 'Code'], group: 'what', column: 1 },
    kind: kinds.text('a text, such as "wind_speed"', kinds.MAX_NAME),
    on: listed('code'),
    orders: [{ v3: 'code', v4: 'code' }],
    body: {
      schema: { ...NAME, description: 'A code that no other type has.' },
      required: true,
      lookup: { rows: 'typesByCode', message: () => 'Another type has this code. Enter another.', fresh: true },
    },
  },
  name: {
    told: { title: ['Name', 'Naam'], group: 'what', column: 1 },
    kind: kinds.text('a text', kinds.MAX_NAME),
    on: listed('name'),
    orders: [{ v3: 'name', v4: 'name' }],
    body: { required: true },
  },
  unit: {
    told: { title: ['Unit', 'Eenheid'], group: 'what', column: 1 },
    kind: kinds.nullable(kinds.text('a text, such as "kn"', kinds.MAX_NAME)),
    otherwise: null,
    on: listed('unit'),
    body: {},
  },
} satisfies Fields

const unknownType = (given: unknown): string =>
  typeof given === 'number'
    ? `There is no observation type ${given}. The types are listed at /api/v4/observationtypes/.`
    : 'No observation type has this code, or several have it. Enter an id from /api/v4/observationtypes/.'

const typeId = kinds.positive('the id of an observation type')

/** The id of an observation type, its address, or its code. */
const typeReference: kinds.Kind<number | string> = {
  schema: { anyOf: [INTEGER, STRING], description: 'The id, the address or the code of the type.' },
  expected: 'the address of an observation type, such as "/api/v4/observationtypes/1/", its id or its code',
  read: (value) => {
    if (typeof value !== 'string') return typeId.read(value)
    const [, id] = /\/observationtypes\/(\d{1,16})\/(\?[^?]*)?$/.exec(value) ?? []
    return id === undefined ? value : typeId.read(Number(id))
  },
}

/** Shows the address of the observation type in a version. */
const addressIn = (version: 'v3' | 'v4') => [
  {
    name: 'observation_type',
    schema: ADDRESS,
    write: (id: number, links: kinds.Links) => links.to(`/api/${version}/observationtypes/${id}/`),
  },
]
const ofType = (name: string, part: FieldName, title: string) =>
  ({ name, part, title, schema: STRING, rank: 1, property: null }) as const

/** The observation type of a series. */
export const TYPE_OF_SERIES = {
  observation_type: {
    told: { title: ['Observation type', 'Soort waarneming'], group: 'what', column: 3 },
    kind: { ...typeId, sent: typeReference },
    on: {
      v3: addressIn('v3'),
      v4: addressIn('v4'),
      flat: addressIn('v3'),
      ogc: [
        ofType('observation_type', 'observation_type_code', 'Code of the observation type'),
        ofType('observation_type_name', 'observation_type_name', 'Name of the observation type'),
        ofType('unit', 'unit', 'Unit'),
      ],
      file: 'observation_type',
    },
    body: { required: true, lookup: { rows: 'typesByIdOrCode', message: unknownType } },
  },
} satisfies Fields
