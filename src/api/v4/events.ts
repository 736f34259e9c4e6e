import { sql } from 'drizzle-orm'
import { events as event, eventSeries } from '../../../schema/tables.ts'
import { filterSet } from '../../filters/filter.ts'
import { text } from '../../filters/scalar.ts'
import { within } from '../../filters/spatial.ts'
import { duration, instant, isoInstant, MICROSECONDS, MILLISECONDS } from '../../filters/temporal.ts'
import { ADDRESS, INSTANT, INTEGER, orNull, record, ref, STRING } from '../../formats/schema.ts'
import { type LargeResource, plainFields } from '../../resource.ts'
import type { SeriesRow } from '../series.ts'
import type { EventRow, FlatRow } from '../v3/columns.ts'
import { category, events as eventsV3, externalId, series } from '../v3/events.ts'
import { FEATURE, objectOf, pointOf } from '../v3/feature.ts'
import { FLAT_COLUMNS, FLAT_PROPERTIES, flatProperties } from '../v3/flat.ts'
import { length } from '../v3/indexes.ts'
import { eventSeriesV4 } from './eventseries.ts'
import { writable, writableUnder } from './writing.ts'

const { Point = {}, ObjectReference = {} } = FEATURE
const path = `${eventSeriesV4.path}:uuid/events/`

/** Returns the times of an event in the form of version 4. */
const times = (row: EventRow) => ({
  start: isoInstant(row.start, MILLISECONDS),
  end: isoInstant(row.end, MILLISECONDS),
})

const propertiesOf = ({ category, value }: EventRow) => ({ category, value })

/** The events of one series, in version 4. */
export const eventsV4: LargeResource = {
  ...eventsV3,
  path,
  description: 'The events of one series, as GeoJSON features with instants in ISO 8601.',
  filters: filterSet({
    category: { ...text(category), about: 'The category of the event', example: 'hurricane' },
    start: { ...instant(event.start, MILLISECONDS), about: 'The start of the event', example: '2018-02-05T00:00:00Z' },
    end: { ...instant(event.end, MILLISECONDS), about: 'The end of the event', example: '2018-02-06T00:00:00+01:00' },
    duration: { ...duration(length), about: 'The time from start to end', example: 'PT21H2M' },
    external_id: externalId,
    last_modified: {
      ...instant(event.lastModified, MICROSECONDS),
      about: 'The time at which the event was stored or last changed',
      example: '2026-11-21T08:00:00Z',
    },
    geometry__within: { ...within, about: 'The event', example: 'POLYGON ((-80 20, -60 20, -60 35, -80 35, -80 20))' },
  }),
  orderings: { id: event.id, start: event.start, end: event.end },
  key: { ...eventsV3.key, example: 1708 },
  item: 'EventV4',
  schemas: {
    EventV4: record({
      id: INTEGER,
      type: { const: 'Feature' },
      geometry: orNull(ref('Point')),
      properties: record({
        ...{ category: STRING, value: STRING, url: ADDRESS, start: INSTANT, end: INSTANT, last_modified: INSTANT },
        ...{ external_id: orNull(STRING), object: orNull(ref('ObjectReference')) },
      }),
    }),
    Point,
    ObjectReference,
  },
  flat: {
    ...eventsV3.flat,
    of: (row: FlatRow, links) => ({ ...propertiesOf(row), ...times(row), ...flatProperties(row), url: links.to(path) }),
    item: 'FlatEventV4',
    schema: record({
      ...{ category: STRING, value: STRING, start: INSTANT, end: INSTANT },
      ...{ ...FLAT_PROPERTIES, url: ADDRESS },
    }),
  },
  fields: { ...plainFields(['id', 'category', 'value', 'start', 'end']), ...FLAT_COLUMNS },
  writable,
  under: { parent: eventSeriesV4, of: (parent: SeriesRow) => under(parent) },
}

/** Returns the list of the events of one series. */
const under = ({ id, uuid }: SeriesRow): LargeResource => {
  const path = `${eventSeriesV4.path}${uuid}/events/`
  const { included: _, ...list } = eventsV4
  const { flat } = eventsV4
  return {
    ...list,
    path,
    fixed: [{ dictionary: series, match: sql`${eventSeries.id} = ${sql.raw(String(id))}`, few: true }],
    find: (key) => {
      const condition = eventsV3.find(key)
      return condition && sql`(${condition} AND ${event.eventSeriesId} = ${sql.raw(String(id))})`
    },
    serialize: (row: EventRow, links) => ({
      id: row.id,
      type: 'Feature',
      geometry: pointOf(row),
      properties: {
        ...propertiesOf(row),
        url: links.to(`${path}${row.id}/`),
        ...times(row),
        last_modified: isoInstant(row.lastModified, MICROSECONDS),
        external_id: row.externalId,
        object: objectOf(row),
      },
    }),
    ...(flat && {
      flat: { ...flat, of: (row: FlatRow, links) => ({ ...flat.of(row, links), url: links.to(`${path}${row.id}/`) }) },
    }),
    writable: writableUnder({ id, uuid }),
  }
}
