import { type SQL, sql } from 'drizzle-orm'
import { ACCESS_LEVELS } from '../../base/access.ts'
import { keptFor } from '../../base/collections.ts'
import { type FieldName, kindOf, type ListName, type ValueKind } from '../../question/fields.ts'
import { MILLISECOND } from '../../question/range.ts'
import { FURTHER, inView, type Stored, storedOf, type ViewName } from '../stored.ts'
import { attributesText, describedColumns } from './attributes.ts'
import { ALIASES, viewOf } from './context.ts'
import { instantOf } from './instants.ts'
import { finite, numberOfText, ofReal } from './numbers.ts'
import { absent, double, listOf } from './sql.ts'
import type { Views } from './views.ts'

/** A field of a list in SQL. */
export interface StoredField {
  readonly kind: ValueKind
  /** The name of the column in its view. */
  readonly column: string
  /**
   * The value in conditions and orders. An instant is a `timestamptz`, and a duration is an interval. An index contains
   * it, and answers may not show it.
   */
  readonly value: SQL
  /** Tests if answers show the value. It is never null. */
  readonly known: SQL
  /** Answers show each value that is not null. */
  readonly isTotal: boolean
  /** The value as a row of an answer has it. */
  readonly shown: SQL
  /** The joined view that has the field. A field of a series may be in `event`. Null: the list's own view has it. */
  readonly view: ViewName | null
  /** The ticks of one unit of an instant or a duration. */
  readonly unit: bigint
  /** The times have parts of a millisecond, which answers do not show. */
  readonly isFine: boolean
}

/** The greatest double. */
const GREATEST = double(Number.MAX_VALUE)

/** The last instant that answers show, in microseconds since 1970. Instants in microseconds are safe integers. */
const lastOf = (unit: bigint): bigint =>
  unit === MILLISECOND ? 8_640_000_000_000_000_000n : BigInt(Number.MAX_SAFE_INTEGER)

const isKnownInstant = (instant: SQL, unit: bigint): SQL =>
  sql`(${instant} IS NOT NULL AND ${instant} > ${instantOf(-lastOf(unit))} AND ${instant} <= ${instantOf(lastOf(unit))})`

type Computed = (views: Views) => SQL

/** Writes a value of a series from its events that have a known time. An index of series and times has it at an end. */
const ofTimes = (end: SQL, column: SQL): SQL =>
  sql`(SELECT ${end}(${column}) FROM event AS own WHERE own.event_series_id = s.id AND ${isKnownInstant(column, MILLISECOND)})`

const [OWN_START, OWN_END] = [sql`own.timestamp_start`, sql`own.timestamp_end`]

/** The columns of a view of series that its events tell. The table of counts tells them for one series at a time. */
const COUNTED: { readonly [column: string]: { readonly grouped: SQL; readonly single: SQL } } = {
  event_count: {
    grouped: sql`count(*)`,
    single: sql`(SELECT coalesce(sum(own.count), 0)::bigint FROM event_count AS own WHERE own.event_series_id = s.id)`,
  },
  timestamp_start: {
    grouped: sql`min(${OWN_START}) FILTER (WHERE ${isKnownInstant(OWN_START, MILLISECOND)})`,
    single: ofTimes(sql`min`, OWN_START),
  },
  timestamp_end: {
    grouped: sql`max(${OWN_END}) FILTER (WHERE ${isKnownInstant(OWN_END, MILLISECOND)})`,
    single: ofTimes(sql`max`, OWN_END),
  },
}

/**
 * Returns how the events tell a column that the view of series lacks. Without the table of counts, one pass over the events
 * groups them: in steps, each of 50 series would count its own. Undefined: the view has the column, or nothing tells it.
 */
const countedIn = (views: Views, view: ViewName, column: string) =>
  view === 'event_series' && !views.columns[view].has(column) ? COUNTED[column] : undefined

/** Writes the columns that the view of series lacks, by series. With `ids`, it reads only the events of these series. */
export const groupedEvents = (views: Views, ids: SQL | null): SQL => {
  const columns = Object.entries(COUNTED)
    .filter(([column]) => countedIn(views, 'event_series', column) !== undefined)
    .map(([column, { grouped }]) => sql`${grouped} AS ${sql.identifier(column)}`)
  const among = ids === null ? sql`` : sql` WHERE own.event_series_id = ANY(ARRAY(${ids}))`
  return sql`SELECT ${listOf([sql`own.event_series_id AS id`, ...columns])} FROM event AS own${among} GROUP BY 1`
}

/** Values of events that no column has by itself. */
const COMPUTED: { readonly [N in FieldName]?: Computed } = {
  x: () => finite(sql`ST_X(e.geometry)`),
  y: () => finite(sql`ST_Y(e.geometry)`),
  z: () => finite(sql`ST_Z(e.geometry)`),
  attributes: attributesText,
}

/** Values in place of a column that a view lacks. Others are null. */
const INSTEAD: Readonly<Record<ViewName, { readonly [column: string]: Computed }>> = {
  event: { value_number: () => numberOfText(sql`e.value`) },
  event_series: {
    access_modifier: () => sql`0`,
    metadata: (views) => descriptionOf(views),
  },
  observation_type: {},
}

/** Writes the description of a series from its columns, and from the columns of the view of events. */
const descriptionOf = (views: Views): SQL => {
  const names = Object.keys(FURTHER.event_series).filter((name) => views.columns.event_series.has(name))
  const described = describedColumns(views)
  const fields = described.length === 0 ? [] : [sql`'fields', ${JSON.stringify(described)}::json`]
  const parts = [...names.map((name) => sql`${name}::text, s.${sql.identifier(name)}`), ...fields]
  return parts.length === 0 ? sql`NULL::text` : sql`json_build_object(${listOf(parts)})`
}

/** Writes a column of the groups of events. A series without events has no group. */
const ofGroup = (column: string, kind: ValueKind): SQL => {
  const value = sql`grouped.${sql.identifier(column)}`
  return kind === 'integer' ? sql`coalesce(${value}, 0)` : value
}

/** Returns a value, and the test that answers show it. Without a test, they show each value that is not null. */
const valueIn = (views: Views, name: FieldName, stored: Stored): { readonly value: SQL; readonly test?: SQL } => {
  const { unit = 1n } = stored
  const [{ view, column }, kind] = [inView(stored), kindOf(name)]
  const type = views.columns[view].get(column)
  const counted = countedIn(views, view, column)
  if (counted !== undefined) return { value: views.hasCounts ? counted.single : ofGroup(column, kind) }
  const computed = COMPUTED[name] ?? (type === undefined ? INSTEAD[view][column] : undefined)
  if (computed !== undefined) return { value: computed(views) }
  if (type === undefined) return { value: absent(kind) }
  const value = sql`${ALIASES[view]}.${sql.identifier(column)}`
  // A series without an access modifier is hidden.
  if (column === 'access_modifier') return { value: sql`coalesce(${value}, ${sql.param(ACCESS_LEVELS.Hidden)}::int)` }
  if (kind === 'text' && type.endsWith(' collated')) return { value: sql`(${value}::text COLLATE "C")` }
  if (kind === 'text' && type !== 'text') return { value: sql`${value}::text` }
  if (type === 'real') return { value: ofReal(value) }
  if (kind === 'instant') return { value, test: isKnownInstant(value, unit) }
  if (kind !== 'number') return { value }
  return { value, test: sql`(${value} IS NOT NULL AND ${value} >= -${GREATEST} AND ${value} <= ${GREATEST})` }
}

/** Writes an instant in milliseconds or microseconds since 1970. */
export const epoch = (instant: SQL, unit: bigint): SQL =>
  sql`floor(extract(epoch FROM ${instant}) * ${unit === MILLISECOND ? sql`1000` : sql`1000000`})::bigint`

type Value = Pick<StoredField, 'value' | 'known' | 'isFine'>

/** Writes a value that is null if answers do not show it. An instant may have parts of a millisecond. */
export const ifKnown = ({ value, known }: Value): SQL => sql`CASE WHEN ${known} THEN ${value} END`

/** Writes a value as answers show it: an instant in whole milliseconds, and null for a value that they do not show. */
export const whole = ({ value, known, isFine }: Value): SQL =>
  ifKnown({ value: isFine ? sql`date_trunc('milliseconds', ${value})` : value, known, isFine })

const fieldIn = (views: Views, list: ListName, name: FieldName): StoredField => {
  if (name === 'duration') return durationIn(views)
  const [kind, stored] = [kindOf(name), storedOf(list, name)]
  const { unit = 1n } = stored
  const { view, column } = inView(stored)
  const isFine = unit === MILLISECOND && !/^timestamp\([0-3]\)/.test(views.columns[view].get(column) ?? '')
  const { value, test } = valueIn(views, name, stored)
  const known = test ?? sql`${value} IS NOT NULL`
  const written = kind === 'instant' ? epoch(value, unit) : kind === 'json' ? sql`(${value})::text` : value
  const shown = test === undefined ? written : sql`CASE WHEN ${test} THEN ${written} END`
  const isGrouped = !views.hasCounts && countedIn(views, view, column) !== undefined
  const joined = isGrouped ? 'event' : view === viewOf(list) ? null : view
  return { kind, column, value, known, isTotal: test === undefined, shown, view: joined, unit, isFine }
}

/** The difference of infinite instants is an error. An index of the difference excludes them. */
const durationIn = (views: Views): StoredField => {
  const [start, end] = [fieldIn(views, 'events', 'start'), fieldIn(views, 'events', 'end')]
  const isSafe = !start.isFine && views.indexes.has('duration')
  const known = sql`(${start.known} AND ${end.known})`
  return {
    ...start,
    kind: 'duration',
    value: isSafe ? sql`(${end.value} - ${start.value})` : sql`(${whole(end)} - ${whole(start)})`,
    known,
    isTotal: !isSafe,
    shown: sql`(${end.shown} - ${start.shown})`,
    isFine: false,
  }
}

/** Writes fields as answers show them, by their names. */
export const shownIn = (views: Views, list: ListName, names: readonly FieldName[]): Readonly<Record<string, SQL>> =>
  Object.fromEntries(names.map((name) => [name, fieldsOf(views)(list, name).shown]))

/** Returns the field of a list in the views of an owner. Each is written once. */
export const fieldsOf = keptFor((views: Views) => {
  const known = new Map<string, StoredField>()
  return (list: ListName, name: FieldName): StoredField => {
    const key = `${list}.${name}`
    const field = known.get(key) ?? fieldIn(views, list, name)
    known.set(key, field)
    return field
  }
})
