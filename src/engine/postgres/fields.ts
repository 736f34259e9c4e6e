import { type SQL, sql } from 'drizzle-orm'
import { ACCESS_LEVELS } from '../../base/access.ts'
import { keptFor } from '../../base/collections.ts'
import { MICROSECONDS, MILLISECONDS } from '../../filters/temporal.ts'
import { type FieldName, kindOf, type ListName, type ValueKind } from '../../question/fields.ts'
import { TICKS } from '../../question/range.ts'
import { attributesText, describedColumns } from './attributes.ts'
import { numberOfText } from './numbers.ts'
import type { ViewName, Views } from './views.ts'

/** A field of a list in SQL. */
export interface StoredField {
  readonly kind: ValueKind
  /** The value in conditions and orders. An instant is a `timestamptz`, and a duration is an interval. */
  readonly value: SQL
  /** The value as a row of an answer has it. */
  readonly shown: SQL
  /** The joined view that has the field. Null: the list's own view has it. */
  readonly view: 'event_series' | 'observation_type' | null
  /** The ticks of one unit of an instant or a duration. */
  readonly unit: bigint
  /** The times have parts of a millisecond, which answers do not show. */
  readonly isFine: boolean
  readonly isNullable: boolean
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

/** The columns that are null for some rows. */
const NULLABLE: ReadonlySet<string> = new Set<FieldName>([
  ...([
    'x',
    'y',
    'z',
    'value_number',
    'external_id',
    'object_type',
    'object_id',
    'last_modified',
    'attributes',
  ] as const),
  ...(['unit', 'west', 'south', 'east', 'north', 'metadata'] as const),
])

/** Computes a value of a series from its events. */
const ofEvents = (value: SQL): SQL => sql`(SELECT ${value} FROM event AS own WHERE own.event_series_id = s.id)`

/** Computes a value if the view has no column with its name. */
const COMPUTED: Readonly<Record<ViewName, { readonly [column: string]: (views: Views) => SQL }>> = {
  event: {
    x: () => sql`ST_X(e.geometry)`,
    y: () => sql`ST_Y(e.geometry)`,
    z: () => sql`ST_Z(e.geometry)`,
    value_number: () => numberOfText(sql`e.value`),
    attributes: attributesText,
  },
  event_series: {
    access_modifier: () => sql`0`,
    timestamp_start: () => ofEvents(sql`min(own.timestamp_start)`),
    timestamp_end: () => ofEvents(sql`max(own.timestamp_end)`),
    event_count: () => ofEvents(sql`count(*)`),
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

const valueIn = (views: Views, view: ViewName, column: string, kind: ValueKind): SQL => {
  const type = views.columns[view].get(column)
  const computed = COMPUTED[view][column]
  const isOwn = column === 'x' || column === 'y' || column === 'z' || column === 'attributes'
  if (type === undefined || isOwn) return computed?.(views) ?? ABSENT[kind]
  const value = sql`${ALIASES[view]}.${sql.identifier(column)}`
  // A series without an access modifier is hidden.
  if (column === 'access_modifier') return sql`coalesce(${value}, ${sql.param(ACCESS_LEVELS.Hidden)}::int)`
  return kind === 'text' && type !== 'text' ? sql`${value}::text` : value
}

/** Writes an instant in milliseconds or microseconds since 1970. */
export const epoch = (instant: SQL, unit: bigint): SQL => {
  const units = unit === MILLIS ? sql`1000` : sql`1000000`
  return sql`CASE WHEN isfinite(${instant}) THEN floor(extract(epoch FROM ${instant}) * ${units})::bigint END`
}

/** Writes an instant without the parts of a millisecond that answers do not show. */
export const whole = ({ value, isFine }: Pick<StoredField, 'value' | 'isFine'>): SQL =>
  isFine ? sql`date_trunc('milliseconds', ${value})` : value

const fieldIn = (views: Views, list: ListName, name: FieldName): StoredField => {
  const kind = kindOf(name)
  const [view, column] = PLACES[list][name] ?? [VIEW_OF[list], name]
  const base = {
    kind,
    view: view === VIEW_OF[list] ? null : view,
    unit: 1n,
    isFine: false,
    isNullable: NULLABLE.has(name),
  }
  if (name === 'duration') return durationIn(views)
  const value = valueIn(views, view, column, kind)
  if (kind !== 'instant') return { ...base, value, shown: shownOf(value, kind) } as StoredField
  const unit = column.startsWith('timestamp_') ? MILLIS : MICROS
  const isFine = unit === MILLIS && !/^timestamp\([0-3]\)/.test(views.columns[view].get(column) ?? '')
  return {
    ...base,
    value,
    shown: epoch(value, unit),
    unit,
    isFine,
    isNullable: base.isNullable || list === 'series',
  } as StoredField
}

const shownOf = (value: SQL, kind: ValueKind): SQL => (kind === 'json' ? sql`(${value})::text` : value)

/** An infinite instant has no duration, and its difference is an error. An index of the difference excludes them. */
const durationIn = (views: Views): StoredField => {
  const [start, end] = [fieldIn(views, 'events', 'start'), fieldIn(views, 'events', 'end')]
  const difference = sql`(${whole(end)} - ${whole(start)})`
  const isSafe = !start.isFine && views.indexes.has('duration')
  return {
    ...start,
    kind: 'duration',
    value: isSafe
      ? difference
      : sql`CASE WHEN isfinite(${start.value}) AND isfinite(${end.value}) THEN ${difference} END`,
    isNullable: !isSafe,
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
