import { type SQL, sql } from 'drizzle-orm'
import { REVISIONS, SERIES_STATE } from '../../../schema/revisions.ts'
import { eventSeries, revisions } from '../../../schema/tables.ts'
import { integerOf, namedColumns } from '../../filters/sql.ts'
import { isSame, type State } from '../../state.ts'
import type { Row } from '../conditions/table.ts'
import type { Cache } from './cache.ts'

const COLUMNS = Object.fromEntries(
  REVISIONS.flatMap(({ level, revision, changed }) => [
    [`revision${level}`, revision],
    [`changed${level}`, changed],
  ]),
)

/** Reads the states of all levels, which are one row. */
export const STATES = sql<Row>`SELECT ${namedColumns(COLUMNS)} FROM ${revisions}`

/** The uuid of a series to read, and a condition to test. Null: nothing more. */
interface Subject {
  readonly series: string | null
  readonly expected: SQL | null
  readonly level: number
}

/** A query for the states of all levels and for more. */
interface Question {
  readonly query: SQL<Row>
  /** Returns the state of the series from the row of the query. Null: there is none, or the caller does not see it. */
  readonly stateIn: (row: Row | undefined, ofLevel: State) => State | null
}

/**
 * Asks for the states of all levels, for that of a series, and if a condition holds. Each write of a series that a level
 * sees changes the state of the level too. So the query reads the series only if this isolate does not know its state
 * for the current state of the level. If there is no such series, the query reads another row instead: a hidden series
 * costs as much as a missing one.
 */
export const askForMore = ({ series, expected, level }: Subject, { series: known }: Cache): Question => {
  const columns = { ...COLUMNS, ...(expected && { isExpected: expected }) }
  if (series === null)
    return { query: sql<Row>`SELECT ${namedColumns(columns)} FROM ${revisions}`, stateIn: () => null }
  const before = known.get(series)
  const isNew = before === undefined ? sql`1` : isOther(before.ofLevel, level)
  const ofSeries = {
    series: sql`CASE WHEN ${eventSeries.accessModifier} <= ${integerOf(level)} THEN ${eventSeries.id} END`,
    revisionOfSeries: SERIES_STATE.revision,
    changedOfSeries: SERIES_STATE.changed,
    other: sql`other.id`,
  }
  const query = sql<Row>`SELECT ${namedColumns({ ...columns, ...ofSeries })} FROM ${revisions}
    LEFT JOIN ${eventSeries} ON ${eventSeries.uuid} = CASE WHEN ${isNew} THEN ${series} END
    LEFT JOIN ${revisions} AS other ON other.id = CASE WHEN ${isNew} AND ${eventSeries.id} IS NULL THEN ${revisions.id} END`
  const stateIn: Question['stateIn'] = (row, ofLevel) => {
    if (before !== undefined && isSame(before.ofLevel, ofLevel)) return before.state
    const state =
      typeof row?.series === 'number'
        ? { revision: Number(row.revisionOfSeries), changed: Number(row.changedOfSeries), series: row.series }
        : null
    known.set(series, { ofLevel, state })
    return state
  }
  return { query, stateIn }
}

/** Tests if the data has another state of a level than this one. */
const isOther = (state: State, of: number): SQL => {
  const columns = REVISIONS.find(({ level }) => level === of)
  if (columns === undefined) throw new Error(`no level has the number ${of}`)
  return sql`(${columns.revision} <> ${integerOf(state.revision)} OR ${columns.changed} <> ${integerOf(state.changed)})`
}
