import { featureType } from '../../api/eventWriting.ts'
import { readOnlyOf, seriesFields, seriesIdentity, writable } from '../../api/series.ts'
import { FEATURE_TYPES } from './events.ts'

const { inFeatures: _, ...writableV4 } = writable

const PREFIX = 'properties.'

/** How clients write series as features. Time and place of a series follow from its events. */
export const seriesWritable = {
  ...writableV4,
  named: 'SeriesFeature',
  types: FEATURE_TYPES,
  fields: {
    type: featureType('event_series'),
    ...seriesFields(PREFIX),
  },
  readOnly: ['id', 'bbox', 'links', 'geometry', ...readOnlyOf(PREFIX)],
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
    return fault && [PREFIX + fault[0], fault[1]]
  },
  identity: seriesIdentity('id', ({ id }) => `/ogc/collections/eventseries/items/${id}`),
  keyOf: ({ id }) => String(id),
  // The address of a feature always has the whole id.
  isWhole: () => true,
} satisfies typeof writable
