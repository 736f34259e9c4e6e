import { type Column, getTableColumns, type Table } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { eventSeries, events, observationTypes } from '../../schema/tables.ts'
import { EVENT } from '../../src/model/event.ts'
import type { Fields } from '../../src/model/field.ts'
import { OBSERVATION_TYPE } from '../../src/model/observationType.ts'
import { storedColumnsOf } from '../../src/model/rows.ts'
import { SERIES } from '../../src/model/series.ts'

const namesOf = (columns: readonly Column[]): string[] => columns.map(({ name }) => name).sort()

/** Returns the columns of a table that derived fields show. No record has them. */
const derivedIn = (fields: Fields, table: Table): Column[] =>
  Object.values(fields)
    .filter(({ kind }) => kind === undefined)
    .flatMap(({ columns, joined }) => Object.values({ ...columns, ...joined }))
    .filter((column): column is Column => 'name' in column && column.table === table)

/** The state of a series. It is in entity tags, and in no field. */
const STATE: readonly Column[] = [eventSeries.revision, eventSeries.changed]

it.each<[string, Table, Fields]>([
  ['event', events, EVENT],
  ['event_series', eventSeries, SERIES],
  ['observation_type', observationTypes, OBSERVATION_TYPE],
])('each column of the table %s belongs to one field', (_, table, fields) => {
  const stored = storedColumnsOf(fields).map(({ column }) => column)
  const columns: Column[] = Object.values(getTableColumns(table))
  const written = columns.filter((column) => column.generated === undefined && !STATE.includes(column))
  expect(namesOf([...stored, ...derivedIn(fields, table)])).toEqual(namesOf(written))
})
