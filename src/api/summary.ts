import { categories, eventSeries, objectModels } from '../../schema/tables.ts'
import { category, model, series } from '../model/dictionaries.ts'
import { INTEGER, STRING, UUID } from '../model/schema.ts'
import { COLOR } from '../model/series.ts'
import type { Summarised } from '../request/summary.ts'
import { events } from './events.ts'

/** The counts of matching events for a map and a timeline: in total, by time and by place. */
export const eventSummary: Summarised = {
  path: `${events.path}summary/`,
  name: 'Event Summary',
  description: 'The number of events that match, by the time of their start and by the cells of a grid over the world.',
  of: events,
  facets: {
    category: { dictionary: category, columns: { value: categories.text }, schemas: { value: STRING } },
    event_series: {
      dictionary: series,
      columns: { id: eventSeries.id, uuid: eventSeries.uuid, name: eventSeries.name, color: eventSeries.color },
      schemas: { id: INTEGER, uuid: UUID, name: STRING, color: COLOR },
    },
    object_type__model: { dictionary: model, columns: { value: objectModels.text }, schemas: { value: STRING } },
  },
}
