import { moveStatements } from '../../schema/tally.ts'
import { fold } from '../filters/fold.ts'
import type { Statement } from '../page/database.ts'
import { emptyBatch, put, RAISE_REVISION, statements } from './batch.ts'
import type { SeriesRecord } from './records.ts'
import { statement, touchSeries } from './statement.ts'
import type { Writer } from './writable.ts'

/** What is changed of a series; what is left out stays. */
export type SeriesChanges = Partial<Omit<SeriesRecord, 'kind' | 'id' | 'uuid' | 'created' | 'last_modified'>>

/** Stores new series. */
export const addSeries = (series: readonly SeriesRecord[]): Statement[] => {
  const batch = emptyBatch()
  for (const record of series) put(batch, record)
  return statements(batch)
}

const COLUMNS: Readonly<Record<keyof SeriesChanges, string>> = {
  name: 'name',
  description: 'description',
  observation_type: 'observation_type_id',
  statistic: 'statistic',
  color: 'color',
  access_modifier: 'access_modifier',
}

/** Changes a series: with its access modifier all of its events move. */
export const changeSeries = (id: number, changes: SeriesChanges, { now }: Writer): Statement[] => {
  const { name, access_modifier: level } = changes
  const values = { ...changes, ...(name !== undefined && { name_folded: fold(name) }) }
  const set = (Object.keys(COLUMNS) as (keyof SeriesChanges)[])
    .filter((member) => member in changes)
    .map((member) => `${COLUMNS[member]} = ?1 ->> '${member}'`)
  if (name !== undefined) set.push(`name_folded = ?1 ->> 'name_folded'`)
  return [
    ...(level === undefined ? [] : moveStatements().map((text) => statement(text, JSON.stringify([[id, level]])))),
    statement(
      `UPDATE event_series SET ${set.join(', ')} WHERE id = CAST(?2 AS INTEGER)`,
      JSON.stringify(values),
      String(id),
    ),
    touchSeries([id], now),
    RAISE_REVISION,
  ]
}
