import { type Column, type SQLWrapper, sql } from 'drizzle-orm'
import { eventSeries, events, observationTypes } from '../../../schema/tables.ts'
import { eventLength } from '../../../schema/trees.ts'
import { FIELDS, type FieldName, kindOf, type ListName } from '../../question/fields.ts'
import { storedOf } from '../stored.ts'
import { type Dictionary, dictionaryOf, series, types } from './dictionaries.ts'

/** How D1 has a field. */
export interface FieldColumn {
  readonly kind: 'integer' | 'double' | 'text'
  /** With a dictionary, it is a column of the dictionary's table. */
  readonly column: SQLWrapper
  readonly dictionary?: Dictionary
  /** The column of the list's own table that has the field, or the key of its dictionary. */
  readonly own: SQLWrapper
  /** The dictionary of a field in another table. Null: the list's own table has the field. */
  readonly joined: Dictionary | null
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

const fieldIn = (list: ListName, name: FieldName): FieldColumn => {
  const { d1, unit = 1n, isUuid = false } = storedOf(list, name)
  const kind = kindOf(name)
  // Filters use the expression of the duration, as covering indexes have it.
  const place: Place = d1.generated === undefined ? placeOf(list, d1) : { column: eventLength }
  const { column, dictionary } = place
  const isOwn = dictionary === undefined || dictionary.key === dictionary.id
  const own = isOwn ? column : dictionary.key
  const joined = isOwn || dictionary.id === column ? null : dictionary
  const stored = { ...place, own, joined, unit, isUuid }
  if (kind === 'number') return { ...stored, kind: 'double' }
  return { ...stored, kind: kind === 'text' || kind === 'json' ? 'text' : 'integer' }
}

type Place = Pick<FieldColumn, 'column' | 'dictionary' | 'isUnique' | 'folded' | 'caseFolded'>

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

const fieldsOf = (list: ListName) =>
  new Map((Object.keys(FIELDS[list]) as FieldName[]).map((name) => [name, fieldIn(list, name)]))

const KNOWN = { events: fieldsOf('events'), series: fieldsOf('series'), types: fieldsOf('types') }

/** Returns how D1 has a field. Throws if the list has no such field. */
export const storedField = (list: ListName, name: FieldName): FieldColumn => {
  const field = KNOWN[list].get(name)
  if (field === undefined) throw new RangeError(`The list of ${list} has no field ${name}.`)
  return field
}
