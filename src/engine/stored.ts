import { type Column, getTableName } from 'drizzle-orm'
import { categories, eventSeries, events, objectModels, observationTypes } from '../../schema/tables.ts'
import type { FIELDS, FieldName, ListName } from '../question/fields.ts'
import { MILLISECOND, TICKS } from '../question/range.ts'

/** The views of PostgreSQL. */
export type ViewName = 'event' | 'event_series' | 'observation_type'

/**
 * Tells where the value of a field lives, for both engines and for copies. The kind of the field gives the types. In D1, the
 * column says if a value may be null. In a view, each value but the id may be null.
 */
export interface Stored {
  /** The column in D1. The table of the list has it, or a table to which its foreign keys lead. */
  readonly d1: Column
  /** The view and the name of the column there. By default they have the names of D1. */
  readonly view?: ViewName
  readonly as?: string
  /** A view needs the column. A computed value has no column in a view. By default a view may lack it. */
  readonly need?: 'needed' | 'computed'
  /** The unit of an instant or a length of time in D1 and in answers, in ticks. */
  readonly unit?: bigint
  /** True for a text that is a uuid. */
  readonly isUuid?: true
}

/** An instant without a unit does not compile. */
type StoredAs<K> = K extends 'instant' | 'duration' ? Stored & { readonly unit: bigint } : Stored
type StoredFields<L extends ListName> = { readonly [N in keyof (typeof FIELDS)[L]]: StoredAs<(typeof FIELDS)[L][N]> }

const TYPES = {
  id: { d1: observationTypes.id, need: 'needed' },
  code: { d1: observationTypes.code, need: 'needed' },
  name: { d1: observationTypes.name, need: 'needed' },
  unit: { d1: observationTypes.unit },
} as const satisfies StoredFields<'types'>

const SERIES = {
  id: { d1: eventSeries.id, need: 'needed' },
  uuid: { d1: eventSeries.uuid, need: 'needed', isUuid: true },
  name: { d1: eventSeries.name, need: 'needed' },
  description: { d1: eventSeries.description, need: 'needed' },
  observation_type: { d1: eventSeries.observationTypeId, need: 'needed' },
  observation_type_code: TYPES.code,
  observation_type_name: TYPES.name,
  unit: TYPES.unit,
  statistic: { d1: eventSeries.statistic, need: 'needed' },
  color: { d1: eventSeries.color, need: 'needed' },
  start: { d1: eventSeries.start, as: 'timestamp_start', unit: MILLISECOND },
  end: { d1: eventSeries.end, as: 'timestamp_end', unit: MILLISECOND },
  event_count: { d1: eventSeries.eventCount },
  west: { d1: eventSeries.west },
  south: { d1: eventSeries.south },
  east: { d1: eventSeries.east },
  north: { d1: eventSeries.north },
  access_modifier: { d1: eventSeries.accessModifier },
  created: { d1: eventSeries.created, need: 'needed', unit: TICKS },
  last_modified: { d1: eventSeries.lastModified, unit: TICKS },
  metadata: { d1: eventSeries.metadata },
} as const satisfies StoredFields<'series'>

const EVENTS = {
  id: { d1: events.id, need: 'needed' },
  category: { d1: categories.text, view: 'event', as: 'category', need: 'needed' },
  value: { d1: events.value, need: 'needed' },
  value_number: { d1: events.valueNumber },
  start: { d1: events.start, as: 'timestamp_start', need: 'needed', unit: MILLISECOND },
  end: { d1: events.end, as: 'timestamp_end', need: 'needed', unit: MILLISECOND },
  duration: { d1: events.duration, need: 'computed', unit: MILLISECOND },
  series: { d1: eventSeries.id, view: 'event', as: 'event_series_id', need: 'needed' },
  series_uuid: SERIES.uuid,
  series_name: SERIES.name,
  series_color: SERIES.color,
  series_access_modifier: SERIES.access_modifier,
  series_observation_type: SERIES.observation_type,
  series_observation_type_code: TYPES.code,
  x: { d1: events.x, need: 'computed' },
  y: { d1: events.y, need: 'computed' },
  z: { d1: events.z, need: 'computed' },
  external_id: { d1: events.externalId },
  object_type: { d1: objectModels.text, view: 'event', as: 'object_type' },
  object_id: { d1: events.objectId },
  last_modified: { d1: events.lastModified, unit: TICKS },
  attributes: { d1: events.attributes },
} as const satisfies StoredFields<'events'>

/** Where each list has its fields. */
export const STORED: Readonly<Record<ListName, { readonly [N in FieldName]?: Stored }>> = {
  events: EVENTS,
  series: SERIES,
  types: TYPES,
}

const TEXT = { kind: 'text' } as const

/** The columns of the views of PostgreSQL that are no field. */
export const FURTHER = {
  event: { geometry: { kind: 'point', need: 'needed' } },
  event_series: { source: TEXT, source_url: TEXT, license: TEXT, contact: TEXT },
  observation_type: {},
} as const satisfies Readonly<Record<ViewName, object>>

/** Returns where the value of a field lives. Throws if the list has no such field. */
export const storedOf = (list: ListName, name: FieldName): Stored => {
  const stored = STORED[list][name]
  if (stored === undefined) throw new RangeError(`The list of ${list} has no field ${name}.`)
  return stored
}

/** Returns the view with the value, and the name of its column there. The tables of such values have the names of views. */
export const inView = ({ d1, view = getTableName(d1.table) as ViewName, as: column = d1.name }: Stored) => ({
  view,
  column,
})
