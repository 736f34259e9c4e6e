import { type Column, type SQLWrapper, sql } from 'drizzle-orm'
import { eventSeries, events, observationTypes } from '../../../schema/tables.ts'
import { eventLength } from '../../../schema/trees.ts'
import { type FieldName, kindOf, type ListName } from '../../question/fields.ts'
import { storedOf } from '../stored.ts'
import { type Dictionary, dictionaryOf, series, types } from './dictionaries.ts'

/** How D1 has a field. */
export interface StoredField {
  readonly kind: 'integer' | 'double' | 'text'
  /** With a dictionary, it is a column of the dictionary's table. */
  readonly column: SQLWrapper
  readonly dictionary?: Dictionary
  /** True if one value names one entry of the dictionary, or a few. */
  readonly isUnique?: boolean
  /** One unit of an integer is so many units of a question: a number of ticks, or 1. */
  readonly unit: bigint
  /** The text as the lookups without case compare it, and as CASEI does. Absent: SQL folds it. */
  readonly folded?: SQLWrapper
  readonly caseFolded?: SQLWrapper
  /** True for a text that is a uuid. Its beginnings are then ranges of an index. */
  readonly isUuid: boolean
}

/** The table of each list. */
export const LIST_TABLES = { events, series: eventSeries, types: observationTypes }

/** Returns how D1 has a field. Throws if the list has no such field. */
export const storedField = (list: ListName, name: FieldName): StoredField => {
  const { d1, unit = 1n, isUuid = false } = storedOf(list, name)
  const kind = kindOf(name)
  // Filters use the expression of the duration, as covering indexes have it.
  const place = d1.generated === undefined ? placeOf(list, d1) : { column: eventLength }
  if (kind === 'number') return { ...place, kind: 'double', unit, isUuid }
  return { ...place, kind: kind === 'text' || kind === 'json' ? 'text' : 'integer', unit, isUuid }
}

type Place = Omit<StoredField, 'kind' | 'unit' | 'isUuid'>

/** Returns how the rows of a list reach a column. */
const placeOf = (list: ListName, column: Column): Place => {
  const table = LIST_TABLES[list]
  const dictionary = dictionaryOf(table, column)
  if (dictionary === undefined) return column.table === table ? { column } : throughSeries(column)
  const { id, text, folded, caseFolded } = dictionary
  const isUnique = column === id || column === text || column.isUnique
  return { column, dictionary, isUnique, ...(column === text && folded && caseFolded && { folded, caseFolded }) }
}

/** Returns how events reach a column of the observation type of their series. */
const throughSeries = (column: Column): Place => {
  const { table, id, key } = types
  return { column: sql`(SELECT ${column} FROM ${table} WHERE ${id} = ${key})`, dictionary: series }
}

/** Returns the column of the list's own table that has a field, or the key of its dictionary. */
export const ownColumn = ({ column, dictionary }: StoredField): SQLWrapper =>
  dictionary === undefined || dictionary.key === dictionary.id ? column : dictionary.key

/** Returns the dictionary of a field in another table. Null: the list's own table has the field. */
export const joinedTo = ({ column, dictionary }: StoredField): Dictionary | null =>
  dictionary === undefined || dictionary.key === dictionary.id || dictionary.id === column ? null : dictionary
