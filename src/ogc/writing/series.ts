import { sql } from 'drizzle-orm'
import { observationTypes } from '../../../schema/tables.ts'
import { ACCESS, COLOR, NEW_UUID, writable as writableV4 } from '../../api/writing.ts'
import { ValueError } from '../../errors.ts'
import { orNull, STRING, UUID } from '../../formats/schema.ts'
import { as, exactly, nullAs } from '../../store/readers.ts'
import { FIELDS } from '../../store/records.ts'
import { FEATURE_TYPES } from './events.ts'

const FIELD = FIELDS.event_series

const code = (value: unknown): string => {
  if (typeof value === 'string') return value
  throw new ValueError('Enter the code of an observation type, such as "wind_speed".')
}

/** How series are written as the features that `items` has; where they are, and when, is up to their events. */
export const seriesWritable = {
  ...writableV4,
  named: 'SeriesFeature',
  types: FEATURE_TYPES,
  ofFeatures: true,
  fields: {
    type: {
      to: 'kind',
      read: exactly('Feature', 'event_series'),
      schema: { const: 'Feature' },
      required: true,
      once: true,
    },
    'properties.uuid': {
      to: 'uuid',
      read: nullAs(undefined, as(FIELD.uuid)),
      schema: { ...UUID, description: 'A new one unless given.' },
      once: true,
      lookup: NEW_UUID,
    },
    'properties.name': { to: 'name', read: as(FIELD.name), schema: STRING, required: true },
    'properties.description': { to: 'description', read: nullAs('', as(FIELD.description)), schema: orNull(STRING) },
    'properties.observation_type': {
      to: 'observation_type',
      read: code,
      schema: { ...STRING, description: 'The code of an observation type.' },
      required: true,
      lookup: {
        query: (values: string) =>
          sql`SELECT given.value AS given, min(${observationTypes.id}) AS id FROM json_each(${values}) AS given
            JOIN ${observationTypes} ON ${observationTypes.code} = given.value GROUP BY 1 HAVING count(*) = 1`,
        message: () =>
          'There is no observation type of this code, or more than one. They are listed at /api/v4/observationtypes/.',
      },
    },
    'properties.statistic': { to: 'statistic', read: nullAs('raw', as(FIELD.statistic)), schema: orNull(STRING) },
    'properties.color': { to: 'color', read: nullAs(undefined, as(FIELD.color)), schema: COLOR },
    'properties.access_modifier': {
      to: 'access_modifier',
      read: nullAs(undefined, as(FIELD.access_modifier)),
      schema: ACCESS,
      stays: true,
    },
  },
  readOnly: [
    ...['id', 'bbox', 'links', 'geometry'],
    ...['start', 'end', 'event_count', 'observation_type_name', 'unit', 'created', 'last_modified'].map(
      (name) => `properties.${name}`,
    ),
  ],
  examples: {
    made: {
      type: 'Feature',
      geometry: null,
      properties: { name: 'Earthquakes Utrecht', observation_type: 'earthquake' },
    },
    changed: { properties: { description: 'As they were felt.' } },
  },
  faultOf: (draft, level) => {
    const fault = writableV4.faultOf(draft, level)
    return fault && [`properties.${fault[0]}`, fault[1]]
  },
  keyOf: ({ id }) => String(id),
  // By its id.
  isWhole: () => true,
} satisfies typeof writableV4
