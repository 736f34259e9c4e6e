import { type SQL, sql } from 'drizzle-orm'
import { keptFor } from '../../base/collections.ts'
import { faultyViews } from '../../base/errors.ts'
import type { FIELDS } from '../../question/fields.ts'
import type { Row } from '../engine.ts'
import type { Grade } from '../state.ts'
import { describedType, TYPE_OF } from './columns.ts'
import { named } from './sql.ts'

/** The views of an owner. Each is a view or a table in the search path of the role. */
export type ViewName = keyof typeof COLUMNS

/** The types of PostgreSQL that a column may have. */
const TYPES = {
  integer: /^(smallint|integer|bigint)$/,
  double: /^(real|double precision)$/,
  text: /^(text|character.*|uuid|citext|enum)( collated)?$/,
  instant: /^timestamp\(?\d?\)? with time zone$/,
  json: /^jsonb?$/,
  point: /^geometry\(PointZ?,4326\)$/,
} as const

type ColumnType = keyof typeof TYPES

type Columns = Readonly<Record<string, ColumnType | `${ColumnType}?`>>

/** The fields of events that a column of the same name has. */
type OwnField = Exclude<
  keyof (typeof FIELDS)['events'],
  'start' | 'end' | 'duration' | 'series' | `series_${string}` | 'x' | 'y' | 'z'
>

/** The columns of each view. A type with `?` is that of a column that the view may lack. */
export const COLUMNS = {
  observation_type: { id: 'integer', code: 'text', name: 'text', unit: 'text?' },
  event_series: {
    id: 'integer',
    uuid: 'text',
    name: 'text',
    description: 'text',
    observation_type_id: 'integer',
    statistic: 'text',
    color: 'text',
    created: 'instant',
    access_modifier: 'integer?',
    last_modified: 'instant?',
    timestamp_start: 'instant?',
    timestamp_end: 'instant?',
    event_count: 'integer?',
    west: 'double?',
    south: 'double?',
    east: 'double?',
    north: 'double?',
    metadata: 'json?',
    source: 'text?',
    source_url: 'text?',
    license: 'text?',
    contact: 'text?',
  },
  event: {
    id: 'integer',
    event_series_id: 'integer',
    category: 'text',
    value: 'text',
    timestamp_start: 'instant',
    timestamp_end: 'instant',
    geometry: 'point',
    object_type: 'text?',
    object_id: 'integer?',
    external_id: 'text?',
    last_modified: 'instant?',
    attributes: 'json?',
    value_number: 'double?',
  },
} as const satisfies Readonly<Record<string, Columns>> & {
  readonly event: Columns & Readonly<Record<OwnField, unknown>>
}

/** The views of an owner's database, with their faults. */
export interface Views {
  /** The types of the columns of each view, by their names. */
  readonly columns: Readonly<Record<ViewName, ReadonlyMap<string, string>>>
  /** The comments of the columns of the view of events, by their names. */
  readonly comments: ReadonlyMap<string, string>
  /** The tables of grade C that the role reads. */
  readonly hasRevision: boolean
  readonly hasCounts: boolean
  /** The digest SHAPE. */
  readonly shape: string
  /** The fields whose different texts an index finds in steps, and `id`, `duration`, `start` and `place` if they have one. */
  readonly indexes: ReadonlySet<string>
  /** The further columns of the view of events that no answer shows, with their types. */
  readonly leftOut: readonly string[]
  /** Sentences about faults. The service answers only if there are none. */
  readonly faults: readonly string[]
}

const NAMES = Object.keys(COLUMNS) as ViewName[] // it has no other keys

/** A column of a view or of a table of grade C. */
interface ColumnRow {
  readonly view: string
  readonly name: string
  readonly type: string
  readonly comment: string | null
  /** The encoding of the database. */
  readonly encoding: string
  readonly shape: string
}

/**
 * A digest of what the views are: the views and tables with their names, and those that they read. Each of them, its rule
 * and its comments have the transaction that wrote them last. Index steps take 0.4 ms.
 */
export const SHAPE = sql`(WITH RECURSIVE part(id) AS (
  SELECT to_regclass(name)::oid FROM unnest(${sql.param(NAMES)}::text[]) AS name
  UNION SELECT read.refobjid FROM part JOIN pg_rewrite AS rule ON rule.ev_class = part.id
  JOIN pg_depend AS read ON read.classid = 'pg_rewrite'::regclass AND read.objid = rule.oid
    AND read.refclassid = 'pg_class'::regclass
) SELECT md5(string_agg(concat_ws(' ', part.id, of.xmin, rule.xmin, (
  SELECT string_agg(xmin::text, ' ' ORDER BY objsubid) FROM pg_description
  WHERE objoid = part.id AND classoid = 'pg_class'::regclass)), ',' ORDER BY part.id))
FROM part JOIN pg_class AS of ON of.oid = part.id LEFT JOIN pg_rewrite AS rule ON rule.ev_class = part.id)`

/** Reads the columns of the views, and of the tables of grade C. */
export const VIEWS_QUERY: SQL<ColumnRow> = sql`SELECT ${named({
  view: sql`wanted.name`,
  name: sql`a.attname`,
  type: TYPE_OF,
  comment: sql`col_description(a.attrelid, a.attnum)`,
  encoding: sql`current_setting('server_encoding')`,
  shape: SHAPE,
})} FROM unnest(${sql.param([...NAMES, 'event_revision', 'event_count'])}::text[]) AS wanted(name)
  JOIN pg_attribute a ON a.attrelid = to_regclass(wanted.name) AND a.attnum > 0 AND NOT a.attisdropped
  WHERE has_table_privilege(a.attrelid, 'SELECT') ORDER BY a.attnum`

/** Checks the columns that a role sees. */
export const viewsIn = (rows: readonly ColumnRow[]): Views => {
  const columnsOf = (view: string) =>
    new Map(rows.filter((row) => row.view === view).map(({ name, type }) => [name, type]))
  const columns = {
    observation_type: columnsOf('observation_type'),
    event_series: columnsOf('event_series'),
    event: columnsOf('event'),
  }
  const comments = rows.flatMap(({ view, name, comment }) =>
    view === 'event' && comment !== null ? [[name, comment] as const] : [],
  )
  return {
    columns,
    comments: new Map(comments),
    hasRevision: columnsOf('event_revision').has('revision'),
    hasCounts: columnsOf('event_count').has('count'),
    shape: rows[0]?.shape ?? '',
    indexes: new Set(),
    leftOut: furtherIn(columns.event, false).map(([name, type]) => `${name} (${type})`),
    faults: [...encodingFaults(rows), ...NAMES.flatMap((view) => faultsOf(view, columns[view]))],
  }
}

/** PostgreSQL compares and folds texts by the encoding. Counts would be wrong in silence. */
const encodingFaults = ([row]: readonly ColumnRow[]): readonly string[] =>
  row === undefined || row.encoding === 'UTF8'
    ? []
    : [
        `The database has the encoding ${row.encoding}. It must be UTF8: run CREATE DATABASE name TEMPLATE template0 ENCODING 'UTF8', and restore a dump there.`,
      ]

const faultsOf = (view: ViewName, columns: ReadonlyMap<string, string>): readonly string[] => {
  if (columns.size === 0) return [`The role sees no view ${view}. Create it, and run reader.sql.`]
  return Object.entries<string>(COLUMNS[view]).flatMap(([name, wanted]) => {
    const type = columns.get(name)
    const kind = wanted.replace('?', '') as ColumnType // it has the name of a type
    if (type === undefined) return wanted === kind ? [`The view ${view} has no column ${name}. ${enter(kind)}`] : []
    const [, schema, bare = type] = /^(.+?)\.(.*)$/.exec(type) ?? []
    if (!TYPES[kind].test(bare)) return [`The column ${name} of the view ${view} is ${type}. ${enter(kind, type)}`]
    return schema === undefined ? [] : [`The column ${name} of the view ${view} is ${type}. ${unsearched(schema)}`]
  })
}

const unsearched = (schema: string) =>
  `The role does not search the schema ${schema} of this type: run reader.sql, which adds it to the search_path.`

const WANTED: Readonly<Record<ColumnType, string>> = {
  integer: 'bigint',
  double: 'double precision',
  text: 'text',
  instant: 'timestamptz',
  json: 'json or jsonb',
  point: 'geometry(Point, 4326) or geometry(PointZ, 4326)',
}

const enter = (kind: ColumnType, type = ''): string => {
  const must = `It must be ${WANTED[kind]}.`
  if (/^timestamp\b.*without/.test(type))
    return `${must} Write AT TIME ZONE 'Europe/Amsterdam' after it, or another zone.`
  return /^geometry\(PointZ?,(?!4326)/.test(type) ? `${must} Add a generated column with ST_Transform.` : must
}

const furtherIn = (columns: ReadonlyMap<string, string>, isOwn: boolean) =>
  [...columns].filter(
    ([name, type]) => !Object.hasOwn(COLUMNS.event, name) && (describedType(type) !== undefined) === isOwn,
  )

/** Returns the further columns of the view of events, which are attributes, with their types. */
export const ownColumns = keptFor(
  ({ columns: { event } }: Views): ReadonlyMap<string, string> => new Map(furtherIn(event, true)),
)

/** Throws a 503 if the views do not have what the service needs. Everyone may read it, so it names only the address. */
export const refuseFaults = ({ faults }: Views): void => {
  if (faults.length === 0) return
  console.error(JSON.stringify({ level: 'error', message: 'postgres: the views have faults', faults }))
  throw faultyViews()
}

/** Returns the fault of views whose columns are right, but which the server cannot read. PostgreSQL may have advice. */
export const unreadable = (error: Error & { readonly code?: string; readonly hint?: string | undefined }): string => {
  const advice = error.code === '42501' ? 'The owner of a view needs SELECT on its tables.' : (error.hint ?? '')
  return `PostgreSQL cannot read the views: ${error.message}. ${advice}`.trim()
}

/** Statements that are fast only with an index. */
const PROBES: Readonly<Record<string, SQL>> = {
  category: sql`SELECT category FROM event WHERE category > '' ORDER BY category LIMIT 1`,
  object_type: sql`SELECT object_type FROM event WHERE object_type > '' ORDER BY object_type LIMIT 1`,
  id: sql`SELECT id FROM event ORDER BY id LIMIT 1`,
  duration: sql`SELECT id FROM event ORDER BY timestamp_end - timestamp_start LIMIT 1`,
  start: sql`SELECT id FROM event ORDER BY timestamp_start LIMIT 1`,
  series: sql`SELECT id FROM event ORDER BY event_series_id, timestamp_start LIMIT 1`,
  place: sql`SELECT id FROM event WHERE geometry && ST_MakeEnvelope(0, 0, 1, 1, 4326)`,
}

/**
 * Asks the server for its plans of the probes, at the end of a transaction. It looks for indexes, although small tables
 * need none.
 */
export const probesOf = ({ columns }: Views): readonly SQL[] => [
  sql`SELECT set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true),
    set_config('enable_incremental_sort', 'off', true)`,
  ...probed(columns.event).map((name) => sql`EXPLAIN ${PROBES[name]}`),
]

/** Only the text of a plain text is in its index. */
const probed = (columns: ReadonlyMap<string, string>): readonly string[] =>
  Object.keys(PROBES).filter((name) => {
    const isText = name === 'category' || name === 'object_type'
    return !isText || /^(text|character varying[^ ]*)$/.test(columns.get(name) ?? '')
  })

/** The probes that grade B needs, with the columns of their indexes. */
const GRADE_B = {
  start: 'timestamp_start, id',
  series: 'event_series_id, timestamp_start',
  place: 'geometry gist_geometry_ops_2d',
} as const

const missingIn = ({ indexes }: Views) => Object.entries(GRADE_B).filter(([name]) => !indexes.has(name))

/** Returns the grade of a database: A has views, B also indexes, and C also its state and counts. */
export const gradeOf = (views: Views): Grade => {
  if (views.hasRevision && views.hasCounts) return 'C'
  return missingIn(views).length === 0 ? 'B' : 'A'
}

/** Returns sentences about what an owner can improve in views without faults. */
export const adviceOf = (views: Views): readonly string[] => {
  const indexes = missingIn(views).map(
    ([, columns]) =>
      `PostgreSQL finds no index on (${columns}) of the view event. Grade B needs one, see docs/postgres.md.`,
  )
  if (views.leftOut.length === 0) return indexes
  return [
    ...indexes,
    `No answer shows these columns of the view event: ${views.leftOut.join(', ')}. Show them as text.`,
  ]
}

/**
 * Returns the views with the indexes that the plans use. A plan that sorts or reads all rows has none. If all events of a
 * view have one constant series, an index of the starts is enough for `series`.
 */
export const withIndexes = (views: Views, answers: readonly (readonly Row[])[]): Views => {
  const names = probed(views.columns.event)
  const isIndexed = (_: string, i: number) => {
    const plan = (answers[i + 1] ?? []).map((line) => String(line['QUERY PLAN'])).join('\n')
    return /Index/.test(plan) && !/^(.*-> +)?Sort\b|Seq Scan on|Nested Loop|Hash Join/m.test(plan)
  }
  return { ...views, indexes: new Set(names.filter(isIndexed)) }
}
