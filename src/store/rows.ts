import type { eventSeries, events, observationTypes } from '../../schema/tables.ts'
import { caseFold } from '../filters/caseFold.ts'
import { fold } from '../filters/fold.ts'
import { cellOf } from '../geometry/cell.ts'
import type { EventRecord, ObservationTypeRecord, SeriesRecord } from './records.ts'

/** The columns of a series that are derived from its events. */
type Derived = 'eventCount' | 'start' | 'end' | 'west' | 'east' | 'south' | 'north'

/**
 * Functions that return the value of each column from a record. A new column of a table is a type error until it is
 * added here.
 */
type Values<T extends { readonly $inferInsert: object }, R, D = never> = Record<
  Exclude<keyof T['$inferInsert'], D>,
  (record: R) => unknown
>

export const TYPE_VALUES = {
  id: ({ id }) => id,
  code: ({ code }) => code,
  name: ({ name }) => name,
  unit: ({ unit }) => unit,
} satisfies Values<typeof observationTypes, ObservationTypeRecord>

export const SERIES_VALUES = {
  id: ({ id }) => id,
  uuid: ({ uuid }) => uuid,
  name: ({ name }) => name,
  nameFolded: ({ name }) => fold(name),
  nameCaseFolded: ({ name }) => caseFold(name),
  description: ({ description }) => description,
  observationTypeId: ({ observation_type }) => observation_type,
  statistic: ({ statistic }) => statistic,
  color: ({ color }) => color,
  accessModifier: ({ access_modifier }) => access_modifier,
  created: ({ created }) => created,
  lastModified: ({ last_modified }) => last_modified,
} satisfies Values<typeof eventSeries, SeriesRecord, Derived>

/** The category and the model of an event are texts here. The insert replaces them by their ids. */
export const EVENT_VALUES = {
  id: ({ id }) => id,
  eventSeriesId: ({ series }) => series,
  categoryId: ({ category }) => category,
  value: ({ value }) => value,
  start: ({ start }) => start,
  end: ({ end }) => end,
  x: ({ coordinates }) => coordinates?.[0],
  y: ({ coordinates }) => coordinates?.[1],
  z: ({ coordinates }) => coordinates?.[2],
  cell: ({ coordinates }) => coordinates && cellOf(coordinates[0], coordinates[1]),
  objectModelId: ({ object }) => object?.model,
  objectId: ({ object }) => object?.id,
  externalId: ({ external_id }) => external_id ?? null,
  lastModified: ({ last_modified }) => last_modified ?? null,
} satisfies Values<typeof events, EventRecord>
