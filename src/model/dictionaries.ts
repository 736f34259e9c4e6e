import { type Column, lte, type SQL, sql } from 'drizzle-orm'
import { categories, eventSeries, events, objectModels } from '../../schema/tables.ts'
import type { Dictionary as FilteredDictionary } from '../filters/filter.ts'
import { visibleCount } from './visible.ts'

/** A table with the different texts of a column. The rows of the list refer to it by `key`. */
export interface TextDictionary extends FilteredDictionary {
  readonly key: Column
  readonly table: typeof categories | typeof objectModels
  readonly id: Column
  readonly text: Column
  /** The text as the lookups without case compare it, and as CASEI does. */
  readonly folded: Column
  readonly caseFolded: Column
}

const dictionary = <K extends Column, T extends typeof categories | typeof objectModels>(key: K, table: T) => ({
  key,
  table,
  id: table.id,
  text: table.text,
  folded: table.folded,
  caseFolded: table.caseFolded,
  counts: visibleCount(table),
})

export const category = dictionary(events.categoryId, categories)
export const model = dictionary(events.objectModelId, objectModels)

/** The series, as a dictionary of their names for filters. */
export const series = {
  key: events.eventSeriesId,
  table: eventSeries,
  id: eventSeries.id,
  text: eventSeries.name,
  folded: eventSeries.nameFolded,
  counts: (level: number): SQL =>
    sql`CASE WHEN ${lte(eventSeries.accessModifier, level)} THEN ${eventSeries.eventCount} ELSE 0 END`,
}
