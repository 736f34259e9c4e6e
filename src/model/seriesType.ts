import { type SQL, sql } from 'drizzle-orm'
import { observationTypes, eventSeries as table } from '../../schema/tables.ts'
import { as, type Fields, field, single } from './field.ts'
import { plain } from './forms.ts'
import * as kinds from './kinds.ts'
import { typeReference } from './readers.ts'
import { ADDRESS, INTEGER, STRING } from './schema.ts'

/** Finds observation types by their ids or codes. */
const TYPE = {
  query: (values: string): SQL =>
    sql`SELECT given.value AS given, min(${observationTypes.id}) AS id FROM json_each(${values}) AS given
      JOIN ${observationTypes} ON CASE given.type
        WHEN 'integer' THEN ${observationTypes.id} = given.value ELSE ${observationTypes.code} = given.value END
      GROUP BY given.type, given.value HAVING count(*) = 1`,
  message: (given: unknown): string =>
    typeof given === 'number'
      ? `There is no observation type ${given}. The types are listed at /api/v4/observationtypes/.`
      : 'No observation type has this code, or several have it. Enter an id from /api/v4/observationtypes/.',
}

/** Shows the address of the observation type in a version. */
const addressIn = (version: 'v3' | 'v4') => ({
  schema: ADDRESS,
  write: (id: number, links: { readonly to: (path: string) => string }) =>
    links.to(`/api/${version}/observationtypes/${id}/`),
})

/** The observation type of a series. */
export const TYPE_OF_SERIES = {
  observation_type: field({
    ...single('observationType', table.observationTypeId),
    joined: { code: observationTypes.code, quantity: observationTypes.name, unit: observationTypes.unit },
    kind: kinds.positive('the id of an observation type'),
    on: {
      v3: as('observation_type', addressIn('v3')),
      v4: as('observation_type', addressIn('v4')),
      flat: as('observation_type', addressIn('v3')),
      ogc: [
        { name: 'observation_type', schema: STRING, write: (_, { code }) => code, rank: 1, property: null },
        {
          name: 'observation_type_name',
          schema: STRING,
          write: (_, { quantity }) => quantity,
          ...{ title: 'Name of the observation type', rank: 1, property: null },
        },
        { name: 'unit', schema: STRING, write: (_, { unit }) => unit, title: 'Unit', rank: 1, property: null },
      ],
      ...{ tile: null, file: as('observation_type', plain<number>(INTEGER)) },
    },
    title: 'Code of the observation type',
    body: {
      read: typeReference,
      schema: { anyOf: [INTEGER, STRING], description: 'The id, the address or the code of the type.' },
      required: true,
      lookup: TYPE,
    },
  }),
} satisfies Fields
