import { type Column, getTableColumns, type Table } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { eventSeries, events, observationTypes } from '../../schema/tables.ts'
import { EVENT } from '../../src/model/event.ts'
import type { Fields } from '../../src/model/field.ts'
import { OBSERVATION_TYPE } from '../../src/model/observationType.ts'
import type { FieldName } from '../../src/question/fields.ts'
import { storedColumnsOf } from '../../src/store/columns.ts'
import { KIND_FIELDS, type LoadRecord } from '../../src/store/records.ts'

const namesOf = (columns: readonly Column[]): string[] => columns.map(({ name }) => name).sort()

/** Returns the parts of fields that are derived from other rows. No record has them. */
const derivedIn = (fields: Fields): string[] =>
  Object.entries(fields).flatMap(([name, { kind, parts = [name as FieldName] }]) =>
    kind === undefined ? [...parts] : [],
  )

/** The number of events of a series. It is a part of no field, but features show it. */
const COUNT = 'event_count'

/** The state of a series. It is in entity tags, and in no field. */
const STATE: readonly Column[] = [eventSeries.revision, eventSeries.changed]

it.each<[LoadRecord['kind'], Table, Fields]>([
  ['event', events, EVENT],
  ['event_series', eventSeries, KIND_FIELDS.event_series],
  ['observation_type', observationTypes, OBSERVATION_TYPE],
])('each column of the table %s belongs to one field', (kind, table, fields) => {
  const stored = storedColumnsOf(kind, fields).map(({ column }) => column)
  const columns: Column[] = Object.values(getTableColumns(table))
  const written = columns.filter((column) => column.generated === undefined && !STATE.includes(column))
  const parts = [...namesOf(stored), ...derivedIn(fields), ...(table === eventSeries ? [COUNT] : [])]
  expect(parts.sort()).toEqual(namesOf(written))
})
