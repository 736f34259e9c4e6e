import { type Column, lte, type SQL, type SQLWrapper, sql, type Table } from 'drizzle-orm'
import { sumOfCounts } from '../../../schema/counts.ts'
import {
  categories,
  eventCounts as counts,
  eventSeries,
  events,
  objectModels,
  observationTypes,
} from '../../../schema/tables.ts'
import { TREES } from '../../../schema/trees.ts'
import { ACCESS_LEVELS } from '../../base/access.ts'

/**
 * Selects the events of visible series. For a single event it checks one series. For many it uses `IN` with all visible
 * series, and skips that if the counts show no hidden event.
 */
export const visible = (level: number, single = false) => {
  if (level >= ACCESS_LEVELS.Hidden) return null
  const seen = lte(eventSeries.accessModifier, level)
  if (single)
    return sql`EXISTS (SELECT 1 FROM ${eventSeries} WHERE ${eventSeries.id} = ${events.eventSeriesId} AND ${seen})`
  const unseen = sql`SELECT ${sumOfCounts(counts, (each) => each > level)} FROM ${counts}
    WHERE ${counts.tree} = 'id' AND ${counts.shift} = ${sql.raw(String(TREES.id.shifts.at(-1)))} AND ${counts.node} = 0`
  return sql`((${unseen}) = 0 OR ${events.eventSeriesId} IN (SELECT ${eventSeries.id} FROM ${eventSeries} WHERE ${seen}))`
}

/** Selects the series that a level sees. Null: all. */
export const visibleSeries = (level: number): SQL | null =>
  level >= ACCESS_LEVELS.Hidden ? null : lte(eventSeries.accessModifier, level)

/** A table to whose ids a column of the list refers. */
export interface Dictionary {
  /** The column in the list's own table. */
  readonly key: SQLWrapper
  readonly table: SQLWrapper
  readonly id: SQLWrapper
  /** The column for regular expressions. */
  readonly text: SQLWrapper
  /** Writes SQL for the number of an entry's rows that callers of this level can see. Absent: no count is stored. */
  readonly counts?: (level: number) => SQL
  /** The column with the uuids of the entries. */
  readonly uuid?: SQLWrapper
}

/** A dictionary whose entries have stored counts of their rows. */
export type CountedDictionary = Dictionary & Required<Pick<Dictionary, 'counts'>>

/** A dictionary of columns. */
interface OfColumns extends Dictionary {
  readonly key: Column
  readonly id: Column
  readonly text: Column
  /** The text as the lookups without case compare it, and as CASEI does. Absent: SQL folds it. */
  readonly folded?: Column
  readonly caseFolded?: Column
}

/** A table with the different texts of a column. The rows of the list refer to it by `key`. */
export type TextDictionary = Required<Omit<OfColumns, 'uuid'>>

const dictionary = (key: Column, table: typeof categories | typeof objectModels): TextDictionary => ({
  key,
  table,
  id: table.id,
  text: table.text,
  folded: table.folded,
  caseFolded: table.caseFolded,
  /** The events that a caller of a level sees. */
  counts: (level: number) => sumOfCounts(table, (each) => each <= level),
})

export const category = dictionary(events.categoryId, categories)
export const model = dictionary(events.objectModelId, objectModels)

/** The ids of events at their source. Each event is its own entry in this dictionary. */
export const externalIds: OfColumns = {
  key: events.id,
  table: sql`${events} INDEXED BY "event_by_external_id"`,
  id: events.id,
  text: events.externalId,
  counts: (level) => visible(level, true) ?? sql`1`,
}

/** The names of the series. */
const names = {
  table: eventSeries,
  id: eventSeries.id,
  text: eventSeries.name,
  folded: eventSeries.nameFolded,
  caseFolded: eventSeries.nameCaseFolded,
}

/** The series of events. */
export const series = {
  ...names,
  key: events.eventSeriesId,
  uuid: eventSeries.uuid,
  counts: (level: number): SQL =>
    sql`CASE WHEN ${lte(eventSeries.accessModifier, level)} THEN ${eventSeries.eventCount} ELSE 0 END`,
}

/** The observation types of series. */
export const types: OfColumns = {
  key: eventSeries.observationTypeId,
  table: observationTypes,
  id: observationTypes.id,
  text: observationTypes.code,
}

const ALL: readonly OfColumns[] = [category, model, externalIds, series, { ...names, key: eventSeries.id }, types]

/** Returns the dictionary of a table that has a column: its table is another one, or the column has its texts. */
export const dictionaryOf = (table: Table, column: Column): OfColumns | undefined =>
  ALL.find(({ key, id, text }) => key.table === table && (text === column || (id !== key && id.table === column.table)))
