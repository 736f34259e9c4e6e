import { type Column, getTableColumns, type SQLWrapper, sql } from 'drizzle-orm'
import { eventSeries, events, observationTypes } from '../../../schema/tables.ts'
import { eventLength } from '../../../schema/trees.ts'
import { MICROSECONDS, MILLISECONDS } from '../../filters/temporal.ts'
import { type FieldName, kindOf, type ListName } from '../../question/fields.ts'
import { TICKS } from '../../question/range.ts'
import { category, type Dictionary, externalIds, model, series, type TextDictionary } from './dictionaries.ts'

/** The column of a field. With a dictionary, it is a column of the dictionary's table. */
interface Stored {
  readonly column: SQLWrapper
  readonly dictionary?: Dictionary
  /** True if one value names one entry of the dictionary, or a few. */
  readonly isUnique?: boolean
}

/** A column of integers. One unit of it is `unit` of a question: a number of ticks, or 1. */
export interface StoredInteger extends Stored {
  readonly kind: 'integer'
  readonly unit: bigint
}

export interface StoredDouble extends Stored {
  readonly kind: 'double'
}

export interface StoredText extends Stored {
  readonly kind: 'text'
  /** The same text as the lookups without case compare it, and as CASEI does. Absent: SQL folds it. */
  readonly folded?: SQLWrapper
  readonly caseFolded?: SQLWrapper
  /** True if the text is a uuid. Its beginnings are then ranges of an index. */
  readonly isUuid?: boolean
}

export type StoredField = StoredInteger | StoredDouble | StoredText

const integer = (column: SQLWrapper, unit = 1n): StoredInteger => ({ kind: 'integer', column, unit })
const text = (column: SQLWrapper): StoredText => ({ kind: 'text', column })
const entry = ({ text, folded, caseFolded, ...dictionary }: TextDictionary): StoredText => ({
  kind: 'text',
  column: text,
  folded,
  caseFolded,
  dictionary: { ...dictionary, text },
  isUnique: true,
})

const [MILLIS, MICROS] = [MILLISECONDS * TICKS, MICROSECONDS * TICKS]

/** The names of the series. Each series is its own entry. */
const names: Dictionary = { key: eventSeries.id, table: eventSeries, id: eventSeries.id, text: eventSeries.name }

/** Fields of the series of an event, and of the observation type of a series. */
const ofSeries = { dictionary: series }
const ofType = {
  dictionary: {
    key: eventSeries.observationTypeId,
    table: observationTypes,
    id: observationTypes.id,
    text: observationTypes.code,
  },
}

/** Fields whose column needs more than its name: a unit, a dictionary, or another name. */
const FIELDS: Readonly<Record<ListName, { readonly [N in FieldName]?: StoredField }>> = {
  events: {
    category: entry(category),
    start: integer(events.start, MILLIS),
    end: integer(events.end, MILLIS),
    duration: integer(eventLength, MILLIS),
    series: { ...integer(series.id), ...ofSeries, isUnique: true },
    series_uuid: { ...text(eventSeries.uuid), ...ofSeries, isUnique: true, isUuid: true },
    series_name: {
      ...text(series.text),
      ...ofSeries,
      folded: series.folded,
      caseFolded: series.caseFolded,
      isUnique: true,
    },
    series_color: { ...text(eventSeries.color), ...ofSeries },
    series_access_modifier: { ...integer(eventSeries.accessModifier), ...ofSeries },
    series_observation_type: { ...integer(eventSeries.observationTypeId), ...ofSeries },
    series_observation_type_code: { ...text(codeOfType()), ...ofSeries },
    external_id: { ...text(events.externalId), dictionary: externalIds, isUnique: true },
    object_type: entry(model),
    last_modified: integer(events.lastModified, MICROS),
  },
  series: {
    uuid: { ...text(eventSeries.uuid), isUuid: true },
    name: {
      ...text(eventSeries.name),
      folded: eventSeries.nameFolded,
      caseFolded: eventSeries.nameCaseFolded,
      dictionary: names,
      isUnique: true,
    },
    start: integer(eventSeries.start, MILLIS),
    end: integer(eventSeries.end, MILLIS),
    observation_type: integer(eventSeries.observationTypeId),
    observation_type_code: { ...text(observationTypes.code), ...ofType },
    observation_type_name: { ...text(observationTypes.name), ...ofType },
    unit: { ...text(observationTypes.unit), ...ofType },
    created: integer(eventSeries.created, MICROS),
    last_modified: integer(eventSeries.lastModified, MICROS),
  },
  types: {},
}

function codeOfType(): SQLWrapper {
  const { id, code }: { readonly id: Column; readonly code: Column } = observationTypes
  return sql`(SELECT ${code} FROM ${observationTypes} WHERE ${id} = ${eventSeries.observationTypeId})`
}

/** The table of each list. */
export const LIST_TABLES = { events, series: eventSeries, types: observationTypes }

/** Returns the column of a field. By default it is the column with its name. Throws if the list has none. */
export const storedField = (list: ListName, name: FieldName): StoredField => {
  const stored = FIELDS[list][name]
  if (stored !== undefined) return stored
  const column = Object.values<Column>(getTableColumns(LIST_TABLES[list])).find((each) => each.name === name)
  const kind = kindOf(name)
  if (column === undefined || kind === 'instant') throw new RangeError(`The list of ${list} has no column ${name}.`)
  if (kind === 'number') return { kind: 'double', column }
  return kind === 'integer' ? integer(column) : text(column)
}

/** Returns the column of the list's own table that has a field, or the key of its dictionary. */
export const ownColumn = ({ column, dictionary }: Stored): SQLWrapper =>
  dictionary === undefined || dictionary.key === dictionary.id ? column : dictionary.key

/** Returns the dictionary of a field in another table. Null: the list's own table has the field. */
export const joinedTo = ({ column, dictionary }: Stored): Dictionary | null =>
  dictionary === undefined || dictionary.key === dictionary.id || dictionary.id === column ? null : dictionary
