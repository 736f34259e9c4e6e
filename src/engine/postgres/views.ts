import { type SQL, sql } from 'drizzle-orm'
import { keptFor } from '../../base/collections.ts'
import { faultyViews } from '../../base/errors.ts'
import { type FieldName, kindOf, type ValueKind } from '../../question/fields.ts'
import { FURTHER, inView, STORED, type Stored, type ViewName } from '../stored.ts'
import { named } from './sql.ts'

/** The types of PostgreSQL that a column may have, and the one to enter. */
const TYPES = {
  integer: [/^(smallint|integer|bigint)$/, 'bigint'],
  number: [/^(real|double precision)$/, 'double precision'],
  text: [/^(text|character.*|uuid|citext|enum)( collated)?$/, 'text'],
  instant: [/^timestamp\(?\d?\)? with time zone$/, 'timestamptz'],
  duration: [/^interval$/, 'interval'],
  json: [/^jsonb?$/, 'json or jsonb'],
  point: [/^geometry\(PointZ?,4326\)$/, 'geometry(Point, 4326) or geometry(PointZ, 4326)'],
} as const satisfies Readonly<Record<ValueKind | 'point', readonly [RegExp, string]>>

interface ViewColumn extends Pick<Stored, 'need'> {
  readonly kind: keyof typeof TYPES
}

const columnsOf = (view: ViewName): ReadonlyMap<string, ViewColumn> => {
  const columns = new Map<string, ViewColumn>()
  for (const [name, stored] of Object.values(STORED).flatMap((fields) => Object.entries(fields))) {
    const place = inView(stored)
    const column = { kind: kindOf(name as FieldName), ...stored } // fields have no other names
    if (place.view === view && stored.need !== 'computed') columns.set(place.column, column)
  }
  for (const [name, column] of Object.entries<ViewColumn>(FURTHER[view])) columns.set(name, column)
  return columns
}

/** The columns of each view, by their names. */
export const COLUMNS = {
  observation_type: columnsOf('observation_type'),
  event_series: columnsOf('event_series'),
  event: columnsOf('event'),
}

/** The views of an owner's database, with their faults. */
export interface Views {
  /** The types of the columns of each view, by their names. */
  readonly columns: Readonly<Record<ViewName, ReadonlyMap<string, string>>>
  /** The comments of the columns of the view of events, by their names. */
  readonly comments: ReadonlyMap<string, string | null>
  /** The tables that the views read. */
  readonly tables: readonly string[]
  /** The role reads the revisions and counts of grade C. Null: they belong to other definitions of the views, or to another version. */
  readonly hasCounts: boolean | null
  /** The role also reads the counts of cells. */
  readonly hasCells: boolean
  /** The role also reads the changes. */
  readonly hasChanges: boolean
  /** The digest SHAPE. */
  readonly shape: string
  /** The fields whose different texts an index finds in steps, and `id`, `duration`, `start` and `place` if they have one. */
  readonly indexes: ReadonlySet<string>
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
  /** The JSON of the tables of the views. Null: there are none. */
  readonly tables: string | null
  /** The counts belong to these definitions. Null: there are none. */
  readonly isCounted: boolean | null
}

/** Writes the views, and the views and tables that they read, under the name `part`. */
const PARTS = sql`WITH RECURSIVE part(id) AS (
  SELECT to_regclass(name)::oid FROM unnest(${sql.param(NAMES)}::text[]) AS name
  UNION SELECT read.refobjid FROM part JOIN pg_rewrite AS rule ON rule.ev_class = part.id
  JOIN pg_depend AS read ON read.classid = 'pg_rewrite'::regclass AND read.objid = rule.oid
    AND read.refclassid = 'pg_class'::regclass
)`

/**
 * Writes a digest of the views, and of the views and tables that they read. It has the transactions that last wrote each
 * of them, its rule and its comments, and the definitions that are counted. Index steps take 0.4 ms.
 */
export const SHAPE = sql`(${PARTS} SELECT md5(concat(string_agg(concat_ws(' ', part.id, of.xmin, rule.xmin, (
  SELECT string_agg(xmin::text, ' ' ORDER BY objsubid) FROM pg_description
  WHERE objoid = part.id AND classoid = 'pg_class'::regclass)), ',' ORDER BY part.id), obj_description(to_regclass('event_revision'), 'pg_class')))
FROM part JOIN pg_class AS of ON of.oid = part.id LEFT JOIN pg_rewrite AS rule ON rule.ev_class = part.id)`

/** Writes the tables of the views. */
const TABLES = sql`(${PARTS} SELECT json_agg(id::regclass::text ORDER BY id::regclass::text)
  FROM part JOIN pg_class AS of ON of.oid = part.id WHERE of.relkind NOT IN ('v', 'S'))::text`

/** Raise it with a change of schema/postgres/grade-c.sql: the service does not read counts and changes of another version. */
export const COUNTS_VERSION = 1

/**
 * Writes the version of grade C and a digest of the definitions of the views. The script of grade C notes them in a comment,
 * because its counts fit only these.
 */
export const DEFINITIONS = sql`(${PARTS} SELECT ${COUNTS_VERSION}::integer || ' ' || md5(string_agg(concat_ws(' ', part.id, md5(rule.ev_action::text)), ',' ORDER BY part.id))
  FROM part LEFT JOIN pg_rewrite AS rule ON rule.ev_class = part.id)`

/** Tests if triggers of grade C follow each table of the views. The writes of a partition or a child run no such trigger. */
const IS_FOLLOWED = sql`(${PARTS} SELECT bool_and(EXISTS (SELECT FROM pg_trigger
    WHERE tgrelid = part.id AND tgname = 'event_inserted' AND tgenabled = 'A')
  AND NOT EXISTS (SELECT FROM pg_inherits WHERE part.id IN (inhparent, inhrelid)))
  FROM part JOIN pg_class AS of ON of.oid = part.id WHERE of.relkind NOT IN ('v', 'S'))`

/**
 * Writes the type of a column. A domain has the type below it. A text whose collation takes different texts as equal is
 * `collated`.
 */
const TYPE_OF = sql`(WITH RECURSIVE below(oid, typmod) AS (SELECT a.atttypid, a.atttypmod UNION ALL
    SELECT t.typbasetype, t.typtypmod FROM below JOIN pg_type t ON t.oid = below.oid WHERE t.typtype = 'd')
  SELECT CASE WHEN t.typtype = 'e' THEN 'enum' WHEN t.typcategory = 'A' THEN 'array' ELSE format_type(t.oid, below.typmod) END
  FROM below JOIN pg_type t ON t.oid = below.oid WHERE t.typtype <> 'd')
  || CASE WHEN (SELECT collisdeterministic FROM pg_collation WHERE oid = a.attcollation) IS FALSE THEN ' collated' ELSE '' END`

/** Reads the columns of the views, and of the tables of grade C. */
export const VIEWS_QUERY: SQL<ColumnRow> = sql`SELECT ${named({
  view: sql`wanted.name`,
  name: sql`a.attname`,
  type: TYPE_OF,
  comment: sql`col_description(a.attrelid, a.attnum)`,
  encoding: sql`current_setting('server_encoding')`,
  shape: SHAPE,
  tables: TABLES,
  isCounted: sql`obj_description(to_regclass('event_revision'), 'pg_class') = ${DEFINITIONS} AND ${IS_FOLLOWED}`,
})} FROM unnest(${sql.param([...NAMES, 'event_revision', 'event_count', 'event_cell', 'event_change', 'event_mark'])}::text[]) AS wanted(name)
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
  const ofEvents = rows.filter(({ view }) => view === 'event')
  const hasCounts = columnsOf('event_revision').has('revision') && columnsOf('event_count').has('count')
  const isCounted = hasCounts && rows[0]?.isCounted === true
  return {
    columns,
    comments: new Map(ofEvents.map(({ name, comment }) => [name, comment])),
    tables: JSON.parse(rows[0]?.tables ?? '[]'),
    hasCounts: hasCounts && (isCounted || null),
    hasCells: isCounted && columnsOf('event_cell').has('count'),
    hasChanges: isCounted && columnsOf('event_change').has('kind') && columnsOf('event_mark').has('key'),
    shape: rows[0]?.shape ?? '',
    indexes: new Set(),
    faults: [...encodingFaults(rows), ...NAMES.flatMap((view) => faultsOf(view, columns[view]))],
  }
}

/** PostgreSQL compares and folds texts by the encoding. Counts would be wrong in silence. */
const encodingFaults = (rows: readonly ColumnRow[]): readonly string[] =>
  [...new Set(rows.map(({ encoding }) => encoding))]
    .filter((encoding) => encoding !== 'UTF8')
    .map((encoding) => `The database has the encoding ${encoding}. It must be UTF8: ${NEW_DATABASE}`)

const NEW_DATABASE = "run CREATE DATABASE name TEMPLATE template0 ENCODING 'UTF8', and restore a dump there."

const faultsOf = (view: ViewName, columns: ReadonlyMap<string, string>): readonly string[] => {
  if (columns.size === 0) return [`The role sees no view ${view}. Create it, and run reader.sql.`]
  return [...COLUMNS[view]].flatMap(([name, { kind, need }]) => {
    const type = columns.get(name)
    if (type === undefined) return need === 'needed' ? [`The view ${view} has no column ${name}. ${enter(kind)}`] : []
    const [, schema, bare = type] = /^(.+?)\.(.*)$/.exec(type) ?? []
    if (!TYPES[kind][0].test(bare)) return [`The column ${name} of the view ${view} is ${type}. ${enter(kind, type)}`]
    return schema === undefined ? [] : [`The column ${name} of the view ${view} is ${type}. ${unsearched(schema)}`]
  })
}

const unsearched = (schema: string) =>
  `The role does not search the schema ${schema} of this type: run reader.sql, which adds it to the search_path.`

/** Says which type a column must have, and what to write after or around a column of another type. */
const enter = (kind: keyof typeof TYPES, type = ''): string => {
  const must = `It must be ${TYPES[kind][1]}.`
  if (/^timestamp\b.*without/.test(type))
    return `${must} Write AT TIME ZONE 'Europe/Amsterdam' after it, or another zone.`
  if (kind === 'point' && /^geo/.test(type))
    return `${must} Write ${pointOf(type)}::geometry(Point, 4326), with the column for the dots.`
  if (kind === 'integer' && /^(uuid|text|character.*)$/.test(type))
    return `${must} Write ('x' || left(md5(...::text), 13))::bit(52)::bigint, with the key for the dots.`
  return must
}

/** Writes a point in the system 4326 of a geometry of another type. */
const pointOf = (type: string): string => {
  const [, shape = 'Point', system] = /^geometry\((\w+?)Z?M?(?:,(\d+))?\)$/.exec(type) ?? []
  const point = shape === 'Point' ? '...' : 'ST_PointOnSurface(...)'
  if (system === '4326' || !type.includes('(')) return point
  return system === undefined ? `ST_SetSRID(${point}, 4326)` : `ST_Transform(${point}, 4326)`
}

/** The types of people's own columns, in the words of a description of columns (src/model/metadata.ts). */
const DESCRIBED = {
  integer: /^(smallint|integer|bigint)$/,
  number: /^(real|double precision|numeric.*)$/,
  boolean: /^boolean$/,
  date: /^date$/,
  datetime: /^timestamp/,
  string: /^(text|character.*|uuid|(.*\.)?citext|enum|time(\(.\))? .*)( collated)?$/,
  object: /^jsonb?$/,
  array: /^array$/,
} as const

export type OwnType = keyof typeof DESCRIBED

/** Returns the description of a type of PostgreSQL. Undefined: its columns are left out. */
export const describedType = (type: string): OwnType | undefined => {
  const [described] = Object.entries(DESCRIBED).find(([, pattern]) => pattern.test(type)) ?? []
  return described as OwnType | undefined // a name of the list
}

/** Returns the further columns of the view of events with their types: the attributes, or the columns that no answer shows. */
export const furtherColumns = ({ columns }: Views, areShown: boolean): ReadonlyMap<string, string> => {
  const further = [...columns.event].filter(([name]) => !COLUMNS.event.has(name))
  return new Map(further.filter(([, type]) => (describedType(type) !== undefined) === areShown))
}

/** Returns the attributes that are columns of the view of events, with their types. */
export const ownColumns = keptFor((views: Views) => furtherColumns(views, true))

/** Returns views without faults. Throws a 503 for others. Everyone may read it, so it names only the address. */
export const withoutFaults = (views: Views): Views => {
  const { faults } = views
  if (faults.length === 0) return views
  console.error(JSON.stringify({ level: 'error', message: 'postgres: the views have faults', faults }))
  throw faultyViews()
}
