import { type Column, getTableColumns, type Table } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { eventSeries, events, observationTypes } from '../../schema/tables.ts'
import { storedOf } from '../../src/engine/stored.ts'
import { EVENT } from '../../src/model/event.ts'
import type { Fields } from '../../src/model/field.ts'
import { OBSERVATION_TYPE } from '../../src/model/observationType.ts'
import type { FieldName } from '../../src/question/fields.ts'
import { LISTS, storedColumnsOf } from '../../src/store/batch.ts'
import { KIND_FIELDS, type LoadRecord } from '../../src/store/records.ts'

const namesOf = (columns: readonly Column[]): string[] => columns.map(({ name }) => name).sort()

/** Returns the columns of fields that are derived from other rows. No record has them. */
const derivedIn = (kind: LoadRecord['kind'], fields: Fields): Column[] =>
  Object.entries(fields)
    .flatMap(([name, { kind, parts = [name as FieldName] }]) => (kind === undefined ? parts : []))
    .map((part) => storedOf(LISTS[kind], part).d1)

/** The state of a series is in entity tags, and in no field. The number of its events is a part of no field. */
const OTHERS: readonly Column[] = [eventSeries.revision, eventSeries.changed, eventSeries.eventCount]

it.each<[LoadRecord['kind'], Table, Fields]>([
  ['event', events, EVENT],
  ['event_series', eventSeries, KIND_FIELDS.event_series],
  ['observation_type', observationTypes, OBSERVATION_TYPE],
])('each column of the table %s belongs to one field', (kind, table, fields) => {
  const stored = storedColumnsOf(kind, fields).map(({ column }) => column)
  const columns: Column[] = Object.values(getTableColumns(table))
  const written = columns.filter((column) => column.generated === undefined && !OTHERS.includes(column))
  expect(namesOf([...stored, ...derivedIn(kind, fields)])).toEqual(namesOf(written))
})
