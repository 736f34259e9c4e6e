import { type SQL, sql } from 'drizzle-orm'
import { ACCESS_LEVELS } from '../../base/access.ts'
import { keptFor } from '../../base/collections.ts'
import { MICROSECONDS, MILLISECONDS } from '../../filters/temporal.ts'
import { type FieldName, kindOf, type ListName, type ValueKind } from '../../question/fields.ts'
import { TICKS } from '../../question/range.ts'
import { attributesText, describedColumns } from './attributes.ts'
import { ALIASES, VIEW_OF } from './context.ts'
import { instantOf } from './instants.ts'
import { finite, numberOfText, ofReal } from './numbers.ts'
import { double, listOf } from './sql.ts'
import type { ViewName, Views } from './views.ts'

/** A field of a list in SQL. */
export interface StoredField {
  readonly kind: ValueKind
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
  /** The joined view that has the field. Null: the list's own view has it. */
  readonly view: ViewName | null
  /** The ticks of one unit of an instant or a duration. */
  readonly unit: bigint
  /** The times have parts of a millisecond, which answers do not show. */
  readonly isFine: boolean
}

const [MILLIS, MICROS] = [MILLISECONDS * TICKS, MICROSECONDS * TICKS]

/** The views have these fields under other names, or other views have them. */
const PLACES: Readonly<Record<ListName, { readonly [N in FieldName]?: readonly [view: ViewName, column: string] }>> = {
  events: {
    start: ['event', 'timestamp_start'],
    end: ['event', 'timestamp_end'],
    series: ['event', 'event_series_id'],
    series_uuid: ['event_series', 'uuid'],
    series_name: ['event_series', 'name'],
    series_color: ['event_series', 'color'],
    series_access_modifier: ['event_series', 'access_modifier'],
    series_observation_type: ['event_series', 'observation_type_id'],
    series_observation_type_code: ['observation_type', 'code'],
  },
  series: {
    start: ['event_series', 'timestamp_start'],
    end: ['event_series', 'timestamp_end'],
    observation_type: ['event_series', 'observation_type_id'],
    observation_type_code: ['observation_type', 'code'],
    observation_type_name: ['observation_type', 'name'],
    unit: ['observation_type', 'unit'],
  },
  types: {},
}

/** Computes a value of a series from its events that meet a condition. */
const ofEvents = (value: SQL, condition: SQL): SQL =>
  sql`(SELECT ${value} FROM event AS own WHERE own.event_series_id = s.id AND ${condition})`

/** The greatest double. */
const GREATEST = double(Number.MAX_VALUE)

/** The last instant that answers show, in microseconds since 1970. Instants in microseconds are safe integers. */
const lastOf = (unit: bigint): bigint =>
  unit === MILLIS ? 8_640_000_000_000_000_000n : BigInt(Number.MAX_SAFE_INTEGER)

const isKnownInstant = (instant: SQL, unit: bigint): SQL =>
  sql`(${instant} IS NOT NULL AND ${instant} > ${instantOf(-lastOf(unit))} AND ${instant} <= ${instantOf(lastOf(unit))})`

/** Computes a value if the view has no column with its name. */
const COMPUTED: Readonly<Record<ViewName, { readonly [column: string]: (views: Views) => SQL }>> = {
  event: {
    x: () => finite(sql`ST_X(e.geometry)`),
    y: () => finite(sql`ST_Y(e.geometry)`),
    z: () => finite(sql`ST_Z(e.geometry)`),
    value_number: () => numberOfText(sql`e.value`),
    attributes: attributesText,
  },
  event_series: {
    access_modifier: () => sql`0`,
    timestamp_start: () => ofEvents(sql`min(own.timestamp_start)`, isKnownInstant(sql`own.timestamp_start`, MILLIS)),
    timestamp_end: () => ofEvents(sql`max(own.timestamp_end)`, isKnownInstant(sql`own.timestamp_end`, MILLIS)),
    event_count: () => ofEvents(sql`count(*)`, sql`true`),
    metadata: (views) => descriptionOf(views),
  },
  observation_type: {},
}

/** Writes the description of a series from its columns, and from the columns of the view of events. */
const descriptionOf = (views: Views): SQL => {
  const names = ['source', 'source_url', 'license', 'contact'].filter((name) => views.columns.event_series.has(name))
  const described = describedColumns(views)
  const fields = described.length === 0 ? [] : [sql`'fields', ${JSON.stringify(described)}::json`]
  const parts = [...names.map((name) => sql`${name}::text, s.${sql.identifier(name)}`), ...fields]
  return parts.length === 0 ? sql`NULL::text` : sql`json_build_object(${listOf(parts)})`
}

/** The type of a column that no view has. */
const ABSENT: Readonly<Record<ValueKind, SQL>> = {
  integer: sql`NULL::bigint`,
  number: sql`NULL::float8`,
  text: sql`NULL::text`,
  instant: sql`NULL::timestamptz`,
  duration: sql`NULL::interval`,
  json: sql`NULL::text`,
}

/** Returns a value, and the test that answers show it. Without a test, they show each value that is not null. */
const valueIn = (
  views: Views,
  view: ViewName,
  column: string,
  kind: ValueKind,
  unit: bigint,
): { readonly value: SQL; readonly test?: SQL } => {
  const type = views.columns[view].get(column)
  const computed = COMPUTED[view][column]
  const isOwn = column === 'x' || column === 'y' || column === 'z' || column === 'attributes'
  if (type === undefined || isOwn) return { value: computed?.(views) ?? ABSENT[kind] }
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
  sql`floor(extract(epoch FROM ${instant}) * ${unit === MILLIS ? sql`1000` : sql`1000000`})::bigint`

/** Writes a value as answers show it: an instant in whole milliseconds, and null for a value that they do not show. */
export const whole = ({ value, known, isFine }: Pick<StoredField, 'value' | 'known' | 'isFine'>): SQL =>
  sql`CASE WHEN ${known} THEN ${isFine ? sql`date_trunc('milliseconds', ${value})` : value} END`

const fieldIn = (views: Views, list: ListName, name: FieldName): StoredField => {
  const kind = kindOf(name)
  const [view, column] = PLACES[list][name] ?? [VIEW_OF[list], name]
  if (name === 'duration') return durationIn(views)
  const unit = kind !== 'instant' ? 1n : column.startsWith('timestamp_') ? MILLIS : MICROS
  const isFine = unit === MILLIS && !/^timestamp\([0-3]\)/.test(views.columns[view].get(column) ?? '')
  const { value, test } = valueIn(views, view, column, kind, unit)
  const known = test ?? sql`${value} IS NOT NULL`
  const written = kind === 'instant' ? epoch(value, unit) : kind === 'json' ? sql`(${value})::text` : value
  const shown = test === undefined ? written : sql`CASE WHEN ${test} THEN ${written} END`
  const joined = view === VIEW_OF[list] ? null : view
  return { kind, value, known, isTotal: test === undefined, shown, view: joined, unit, isFine }
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
