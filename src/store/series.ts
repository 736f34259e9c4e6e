import { sql } from 'drizzle-orm'
import { moveStatements } from '../../schema/counts.ts'
import { listed, nameOf } from '../../schema/sql.ts'
import { eventSeries } from '../../schema/tables.ts'
import type { Statement } from '../engine/run/database.ts'
import { isLong } from '../model/readers.ts'
import { storedColumnsOf, valuesOf } from '../model/rows.ts'
import { SERIES, type SeriesRecord } from '../model/series.ts'
import { emptyBatch, put, statements } from './batch.ts'
import { guard, guardSeen, RAISE_REVISION, statement, touchSeries } from './statement.ts'
import type { Writer } from './writable.ts'

/** The changed members of a series. Members that are absent keep their values. */
export type SeriesChanges = Partial<Omit<SeriesRecord, 'kind' | 'id' | 'uuid' | 'created' | 'last_modified'>>

/** Returns the statements that store new series. */
export const addSeries = (series: readonly SeriesRecord[], { now }: Writer): Statement[] => {
  const batch = emptyBatch()
  for (const record of series) put(batch, record)
  return statements(batch, now)
}

/**
 * Returns the statements that change a series. A new access modifier moves the counts of all its events. The batch
 * fails if the writer cannot see the series.
 */
export const changeSeries = (read: SeriesRecord, changes: SeriesChanges, { level, now }: Writer): Statement[] => {
  const { access_modifier: newLevel } = changes
  const { id } = read
  const fields = Object.fromEntries(Object.entries(SERIES).filter(([name]) => name in changes))
  const assignments = storedColumnsOf(fields).map(({ column }, i) => sql`${nameOf(column)} = ?1 ->> ${i}`)
  return [
    guardSeen([id], level),
    ...(isLong({ ...read, ...changes }) ? [hasTextsOf(read)] : []),
    ...(newLevel === undefined
      ? []
      : moveStatements().map((text) => statement(text, JSON.stringify([[id, newLevel]])))),
    statement(
      sql`UPDATE ${eventSeries} SET ${listed(assignments)} WHERE ${eventSeries.id} = CAST(?2 AS INTEGER)`,
      JSON.stringify(valuesOf(fields)(changes)),
      String(id),
    ),
    touchSeries([id], now),
    RAISE_REVISION,
  ]
}

/**
 * Fails a batch unless the series still has the texts that were read. Another change at the same time could make it too
 * long.
 */
const hasTextsOf = ({ id, name, description, statistic }: SeriesRecord): Statement =>
  guard(
    sql`EXISTS (SELECT 1 FROM ${eventSeries} WHERE ${eventSeries.id} = CAST(?1 AS INTEGER)
      AND ${eventSeries.name} = ?2 ->> 0 AND ${eventSeries.description} = ?2 ->> 1 AND ${eventSeries.statistic} = ?2 ->> 2)`,
    String(id),
    JSON.stringify([name, description, statistic]),
  )
