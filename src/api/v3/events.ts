import { lte, sql } from 'drizzle-orm'
import { categories, events as event, eventSeries, objectModels } from '../../../schema/tables.ts'
import { ValueError } from '../../errors.ts'
import { filterSet } from '../../filters/filter.ts'
import { bare, hasId, integerOf, name, number, reference, text } from '../../filters/scalar.ts'
import { inBox, within } from '../../filters/spatial.ts'
import { duration, instant, MICROSECONDS, MILLISECONDS, overlap } from '../../filters/temporal.ts'
import { uuidPrefixes } from '../../filters/uuid.ts'
import { ADDRESS, INTEGER, orNull, record, ref } from '../../formats/schema.ts'
import { type LargeResource, MAX_PAGE_SIZE, plainFields } from '../../resource.ts'
import { columns, type EventRow, type FlatRow, flatColumns, flatJoins, joins } from './columns.ts'
import { FEATURE, objectOf, pointOf } from './feature.ts'
import { FLAT_COLUMNS, FLAT_EVENT, flatEvent } from './flat.ts'
import { includedSeries } from './included.ts'
import { access, length, visible, visibleCount } from './indexes.ts'
import { writable } from './writing.ts'

const path = '/api/v3/events/'

/** The dictionaries that an event refers to, for text filters. */
export const category = { key: event.categoryId, table: categories, ...categories, counts: visibleCount(categories) }
export const model = {
  key: event.objectModelId,
  table: objectModels,
  ...objectModels,
  counts: visibleCount(objectModels),
}
export const series = {
  key: event.eventSeriesId,
  table: eventSeries,
  id: eventSeries.id,
  text: eventSeries.name,
  folded: eventSeries.nameFolded,
  counts: (level: number) =>
    sql`CASE WHEN ${lte(eventSeries.accessModifier, level)} THEN ${eventSeries.eventCount} ELSE 0 END`,
}

/** Filters events by their id at the source. Each event is its own entry in this dictionary. */
export const externalId = {
  ...name({
    key: event.id,
    table: sql`${event} INDEXED BY "event_by_external_id"`,
    id: event.id,
    text: event.externalId,
    counts: (level) => visible(level, true) ?? sql`1`,
  }),
  about: 'The id of the event at its source',
  example: 'us2000cyfv',
}

/** Filters by `<model>$<object_id>`, split at the first `$` (SPEC 4.1). */
const object = bare('object', { type: 'string', pattern: '^[^$]+[$]-?\\d+$' }, (value) => {
  const [, name, id] = /^([^$]+)\$(.*)$/s.exec(value) ?? []
  if (name === undefined || id === undefined) throw new ValueError('Enter <model>$<object_id>, such as airport$986.')
  const objectId = integerOf(id)
  return [
    { column: event.objectId, extent: [objectId, objectId] },
    { dictionary: model, match: sql`${objectModels.text} = ${name}`, few: true },
  ]
})

/** The list of events as GeoJSON features (SPEC 2.2, 4.1). */
export const events: LargeResource = {
  path,
  name: 'Event List',
  itemName: 'Event Instance',
  description: 'Geo-referenced, time-stamped events as GeoJSON features.',
  table: event,
  id: event.id,
  columns,
  joins,
  access,
  visible,
  filters: filterSet({
    id: { ...number(event.id), about: 'The id of the event', example: 4711 },
    category: { ...text(category), about: 'The category of the event', example: 'hurricane' },
    timestamp_start: {
      ...instant(event.start, MILLISECONDS),
      about: 'The start of the event',
      example: '2018-02-05T00:00:00Z',
    },
    timestamp_end: {
      ...instant(event.end, MILLISECONDS),
      about: 'The end of the event',
      example: '2018-02-06T00:00:00+01:00',
    },
    duration: { ...duration(length), about: 'The time from start to end', example: 'PT21H2M' },
    object_type__model: { ...text(model), about: "The model of the event's object", example: 'storm' },
    object_id: { ...number(event.objectId), about: "The id of the event's object", example: 371 },
    object: { ...object, about: "The event's object, as <model>$<id>,", example: 'storm$371' },
    event_series: {
      ...uuidPrefixes(series, eventSeries.uuid, 'event_series__id'),
      about: 'The uuid of the series of the event',
      example: ['99fe5d0'],
    },
    event_series__id: {
      ...reference(series),
      about: 'The id of the series of the event, as events show it,',
      example: 5,
    },
    event_series__name: {
      ...text(series, 'iexact'),
      about: 'The name of the series of the event',
      example: 'Atlantic storms 2010-2020',
    },
    external_id: externalId,
    last_modified: {
      ...instant(event.lastModified, MICROSECONDS),
      about: 'The time at which the event was stored or last changed',
      example: '2026-11-21T08:00:00Z',
    },
    geom_within: { ...within, about: 'The event', example: 'POLYGON ((-80 20, -60 20, -60 35, -80 35, -80 20))' },
    bbox: { ...inBox, about: 'The event', example: [-80, 20, -60, 35] },
    datetime: {
      ...overlap(event.start, event.end),
      about: 'The event',
      example: '2018-02-05T00:00:00Z/2018-02-06T00:00:00Z',
    },
  }),
  orderings: { id: event.id, timestamp_start: event.start, timestamp_end: event.end },
  maxPageSize: MAX_PAGE_SIZE,
  key: { name: 'id', description: 'The id of the event.', schema: INTEGER, example: 1 },
  find: (key) => hasId(event.id, key),
  item: 'Feature',
  schemas: FEATURE,
  serialize: (row: EventRow, links) => {
    const geometry = pointOf(row)
    return {
      id: row.id,
      type: 'Feature',
      geometry,
      properties: {
        category: row.category,
        value: row.value,
        url: links.to(`${path}${row.id}/`),
        timestamp_start: row.start,
        timestamp_end: row.end,
        event_series: row.series,
        the_geom: geometry,
        object: objectOf(row),
      },
    }
  },
  included: { series: includedSeries },
  writable,
  flat: {
    columns: flatColumns,
    joins: flatJoins,
    of: (row: FlatRow, links) => ({ ...flatEvent(row), url: links.to(`${path}${row.id}/`) }),
    item: 'Event',
    schema: record({ ...FLAT_EVENT, url: ADDRESS }),
  },
  place: {
    of: (row: EventRow) => ({ id: row.id, geometry: pointOf(row) }),
    schemas: { id: INTEGER, geometry: orNull(ref('Point')) },
  },
  fields: { ...plainFields(['id', 'category', 'value', 'timestamp_start', 'timestamp_end']), ...FLAT_COLUMNS },
}
