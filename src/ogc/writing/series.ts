import { SERIES_FIELDS, SERIES_READ_ONLY, seriesIdentity, writable } from '../../api/writing.ts'
import { exactly } from '../../store/readers.ts'
import { FEATURE_TYPES } from './events.ts'

const { inFeatures: _, ...writableV4 } = writable

/** Returns the path of a member of a feature's properties. */
const inProperties = (name: string): string => `properties.${name}`

/** How clients write series as features. Time and place of a series follow from its events. */
export const seriesWritable = {
  ...writableV4,
  named: 'SeriesFeature',
  types: FEATURE_TYPES,
  fields: {
    type: {
      to: 'kind',
      read: exactly('Feature', 'event_series'),
      schema: { const: 'Feature' },
      required: true,
      once: true,
    },
    ...Object.fromEntries(Object.entries(SERIES_FIELDS).map(([name, field]) => [inProperties(name), field])),
  },
  readOnly: ['id', 'bbox', 'links', 'geometry', ...SERIES_READ_ONLY.map(inProperties)],
  examples: {
    made: {
      type: 'Feature',
      geometry: null,
      properties: { name: 'Earthquakes Utrecht', observation_type: 'earthquake' },
    },
    changed: { properties: { description: 'As they were felt.' } },
  },
  faultOf: (draft, stored, level) => {
    const fault = writableV4.faultOf(draft, stored, level)
    return fault && [inProperties(fault[0]), fault[1]]
  },
  identity: seriesIdentity('id', ({ id }) => `/ogc/collections/eventseries/items/${id}`),
  keyOf: ({ id }) => String(id),
  // The address of a feature always has the whole id.
  isWhole: () => true,
} satisfies typeof writable
