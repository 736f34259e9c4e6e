import { INSTANT, TIMESTAMP } from '../../formats/schema.ts'
import type { EventDraft } from '../../store/drafts.ts'
import { removeEvents } from '../../store/events.ts'
import { named } from '../../store/named.ts'
import type { EventRecord } from '../../store/records.ts'
import type { Writable } from '../../store/writable.ts'
import { eventFields, eventIdentity, faultIn, NAMES_V4, ownSeriesField } from '../eventFields.ts'
import { type StoredEvent, writable as writableV3 } from '../v3/writing.ts'

interface Series {
  readonly id: number
  readonly uuid: string
}

/** Returns how clients write the events of a series. */
export const writableUnder = (series: Series): Writable<EventRecord, StoredEvent, EventDraft> => ({
  ...writableV3,
  named: 'EventOfSeries',
  fields: eventFields({
    names: NAMES_V4,
    time: { anyOf: [INSTANT, TIMESTAMP] },
    series: ownSeriesField(series),
    showsExternalId: true,
  }),
  fixed: { series: series.id },
  examples: {
    ...writableV3.examples,
    made: {
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [5.18, 52.1] },
      properties: { category: 'earthquake', value: '2.5', start: '2018-02-07T01:49:14Z' },
    },
  },
  faultOf: faultIn(NAMES_V4),
  identity: eventIdentity(({ id, uuid }) => `/api/v4/eventseries/${uuid}/events/${id}/`),
  keyed: { ...named, needed: ['properties.external_id'] },
  removeMany: (rows, writer) => removeEvents(rows, writer),
})

/** How clients write the events of any series, for the description of the interface. */
export const writable = writableUnder({ id: 0, uuid: '00000000-0000-0000-0000-000000000000' })
