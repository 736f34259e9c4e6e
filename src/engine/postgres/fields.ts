import { type SQL, sql } from 'drizzle-orm'
import { ACCESS_LEVELS } from '../../base/access.ts'
import { keptFor } from '../../base/collections.ts'
import { MICROSECONDS, MILLISECONDS } from '../../filters/temporal.ts'
import { type FieldName, kindOf, type ListName, type ValueKind } from '../../question/fields.ts'
import { TICKS } from '../../question/range.ts'
import { attributesText, describedColumns } from './attributes.ts'
import { finite, numberOfText } from './numbers.ts'
import { double } from './sql.ts'
import { instantOf } from './times.ts'
import type { ViewName, Views } from './views.ts'

/** A field of a list in SQL. */
export interface StoredField {
  readonly kind: ValueKind
  /**
   * The value in conditions and orders. An instant is a `timestamptz`, and a duration is an interval. An index has it, so it
   * may be one that no answer shows.
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

/** The name of each view in a statement. */
export const ALIASES = { event: sql`e`, event_series: sql`s`, observation_type: sql`t` } as const

/** The view of each list. */
export const VIEW_OF: Readonly<Record<ListName, ViewName>> = {
  events: 'event',
  series: 'event_series',
  types: 'observation_type',
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

/** Computes a value of a series from those of its events that meet a condition. */
const ofEvents = (value: SQL, condition: SQL): SQL =>
  sql`(SELECT ${value} FROM event AS own WHERE own.event_series_id = s.id AND ${condition})`

/** The greatest double. */
const GREATEST = double(Number.MAX_VALUE)

/** The last instant that answers show, in microseconds since 1970. Those with microseconds are safe integers. */
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
    metadata: (views) => sourceOf(views),
  },
  observation_type: {},
}

/** Writes the description of a series from its columns, and from the columns of the view of events. */
const sourceOf = (views: Views): SQL => {
  const names = ['source', 'source_url', 'license', 'contact'].filter((name) => views.columns.event_series.has(name))
  const described = describedColumns(views)
  const fields = described.length === 0 ? [] : [sql`'fields', ${JSON.stringify(described)}::json`]
  const parts = [...names.map((name) => sql`${name}::text, s.${sql.identifier(name)}`), ...fields]
  return parts.length === 0 ? sql`NULL::text` : sql`json_build_object(${sql.join(parts, sql`, `)})`
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

/** Returns a value, and the test that answers show it. Null: they show each that is not null. */
const valueIn = (
  views: Views,
  view: ViewName,
  column: string,
  kind: ValueKind,
): { readonly value: SQL; readonly isShown: ((unit: bigint) => SQL) | null } => {
  const type = views.columns[view].get(column)
  const computed = COMPUTED[view][column]
  const isOwn = column === 'x' || column === 'y' || column === 'z' || column === 'attributes'
  if (type === undefined || isOwn) return { value: computed?.(views) ?? ABSENT[kind], isShown: null }
  const value = sql`${ALIASES[view]}.${sql.identifier(column)}`
  // A series without an access modifier is hidden.
  if (column === 'access_modifier')
    return { value: sql`coalesce(${value}, ${sql.param(ACCESS_LEVELS.Hidden)}::int)`, isShown: null }
  if (kind === 'text' && type !== 'text') {
    const text = sql`${value}::text`
    return { value: type.endsWith(' collated') ? sql`(${text} COLLATE "C")` : text, isShown: null }
  }
  // The shortest text of a real is the number that answers show.
  if (type === 'real') return { value: finite(sql`${value}::text::float8`), isShown: null }
  if (kind === 'instant') return { value, isShown: (unit) => isKnownInstant(value, unit) }
  const isDouble = sql`(${value} IS NOT NULL AND ${value} >= -${GREATEST} AND ${value} <= ${GREATEST})`
  return { value, isShown: kind === 'number' ? () => isDouble : null }
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
  const { value, isShown } = valueIn(views, view, column, kind)
  const unit = kind !== 'instant' ? 1n : column.startsWith('timestamp_') ? MILLIS : MICROS
  const isFine = unit === MILLIS && !/^timestamp\([0-3]\)/.test(views.columns[view].get(column) ?? '')
  const known = isShown === null ? sql`${value} IS NOT NULL` : isShown(unit)
  const written = kind === 'instant' ? epoch(value, unit) : kind === 'json' ? sql`(${value})::text` : value
  const shown = isShown === null ? written : sql`CASE WHEN ${known} THEN ${written} END`
  return {
    kind,
    value,
    known,
    isTotal: isShown === null,
    shown,
    view: view === VIEW_OF[list] ? null : view,
    unit,
    isFine,
  }
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
