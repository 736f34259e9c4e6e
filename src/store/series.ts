import { sql } from 'drizzle-orm'
import { moveStatements } from '../../schema/counts.ts'
import { observationTypes } from '../../schema/tables.ts'
import type { Statement } from '../engine/run/database.ts'
import type { ObservationTypeRecord, SeriesRecord } from '../model/types.ts'
import { changeRow, storeAll } from './batch.ts'
import { guard, guardSeen, raiseRevision, statement, touchSeries } from './statement.ts'
import type { Writer } from './writable.ts'

/**
 * Returns the statements that store new observation types. The batch fails if another write took one of their codes. No
 * index does this, because two types in a file may have the same code.
 */
export const addTypes = (types: readonly ObservationTypeRecord[], { now }: Writer): Statement[] => [
  guard(
    sql`NOT EXISTS (SELECT 1 FROM ${observationTypes} WHERE ${observationTypes.code} IN (SELECT value FROM json_each(?1)))`,
    JSON.stringify(types.map(({ code }) => code)),
  ),
  ...storeAll(types, now),
]

/**
 * Returns the statements that change a series. A new access modifier moves the counts of all its events. The batch
 * fails if the writer cannot see the series.
 */
export const changeSeries = (
  read: SeriesRecord,
  changes: Partial<SeriesRecord>,
  { level, now }: Writer,
): Statement[] => {
  const { id } = read
  const { access_modifier: newLevel } = changes
  const moves = newLevel === undefined ? [] : moveStatements()
  return [
    guardSeen([id], level),
    raiseRevision([id], newLevel),
    ...moves.map((text) => statement(text, JSON.stringify([[id, newLevel]]))),
    ...changeRow('event_series', id, changes),
    touchSeries([id], now),
  ]
}
