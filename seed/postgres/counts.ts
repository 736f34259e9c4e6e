import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { type Client, escapeLiteral } from 'pg'
import { ACCESS_LEVELS } from '../../src/base/access.ts'
import { at } from '../../src/base/collections.ts'
import { OTHER_COUNTS } from '../../src/engine/postgres/check.ts'
import { statementOf } from '../../src/engine/postgres/sql.ts'
import { DEFINITIONS } from '../../src/engine/postgres/views.ts'
import { LoadError, reasonOf } from '../load/error.ts'
import { ROOT } from '../local/wrangler.ts'
import { partsOf, type ViewPart } from './definition.ts'
import { filled } from './script.ts'

/** Grade C reads these columns of an event. */
const COUNTED = ['id', 'event_series_id', 'category', 'timestamp_start'] as const

/** A table with the trigger that runs after its writes. */
interface Trigger {
  readonly table: string
  readonly name: 'event_changed' | 'event_series_changed'
  /** The trigger reads these columns of a row. */
  readonly columns: string
}

/**
 * Writes schema/postgres/grade-c.sql for the views in a schema. Throws LoadError if triggers cannot count their rows, and the
 * error of the server.
 */
export const countsScript = async (client: Client, schema: string): Promise<string> => {
  await client.query('BEGIN READ WRITE')
  try {
    const definitions = await definitionsIn(client, schema)
    const event = await partOf(client, `${schema}.event`)
    const series = await partOf(client, `${schema}.event_series`)
    const type = await partOf(client, `${schema}.observation_type`)
    const ofEvents = await triggerOf(client, `${schema}.event`, event)
    const { levels, ofSeries } = levelsOf(`${schema}.event_series`, series, event.tables)
    const counted = [ofEvents, ...ofSeries]
    const known = counted.map(({ table }) => table)
    if (known[0] === known[1]) throw refusal(`${schema}.event_series`, 'it reads the table of the events')
    // All levels see a write of another table, and it may change events or series that have no write.
    const others = [...event.tables, ...series.tables, ...type.tables].filter((table) => !known.includes(table))
    const ofOthers = Array.from(new Set(others), (table) =>
      otherTrigger(table, type, [...event.tables, ...series.tables]),
    )
    const triggers = [...counted, ...ofOthers]
    const tables = triggers.map(({ table }) => table)
    await refuseSilent(client, tables)
    const script = readFileSync(join(ROOT, 'schema/postgres/grade-c.sql'), 'utf8')
    return filled(script, {
      schema,
      event: ofEvents.table,
      columns: ofEvents.columns,
      levels,
      tables: tables.join(', '),
      triggers: triggers.map(rowOf).join(', '),
      definitions,
      places: String(event.columns.get('geometry')?.table === ofEvents.table),
    })
  } finally {
    await client.query('ROLLBACK')
  }
}

/** A write of a table changes more than the rows of a view. */
const OTHER = '-1 AS kind, 0 AS id, 0 AS level, NULL::text AS uuid'

/** Returns the trigger of another table. It may have the types. */
const otherTrigger = (table: string, type: ViewPart, others: readonly string[]): Trigger => {
  const id = type.columns.get('id')
  const isType = id?.table === table && !others.includes(table)
  const columns = isType ? `0 AS kind, (${id.sql})::bigint AS id, 0 AS level, NULL::text AS uuid` : OTHER
  return { table, name: 'event_series_changed', columns }
}

/** Returns a sentence about counts that the service does not use. It is empty without one. */
export const staleCounts = async (client: Client, schema: string): Promise<string> => {
  await client.query('BEGIN')
  try {
    const definitions = await definitionsIn(client, schema)
    const noted = "SELECT obj_description(to_regclass('event_revision'), 'pg_class') AS noted"
    const { rows } = await client.query<{ noted: string | null }>(noted)
    const { noted: counted } = at(rows, 0)
    return counted === null || counted === definitions ? '' : `-- ${OTHER_COUNTS}\n`
  } finally {
    await client.query('ROLLBACK')
  }
}

/** Returns the digest of the views, which the service compares. */
const definitionsIn = async (client: Client, schema: string): Promise<string> => {
  await client.query(`SET LOCAL search_path = ${schema}`)
  const { text, values } = statementOf(sql`SELECT ${DEFINITIONS} AS digest`)
  const { rows } = await client.query<{ digest: string }>(text, values)
  return at(rows, 0).digest
}

/** Throws LoadError for a table whose writes may run no triggers of statements. */
const refuseSilent = async (client: Client, tables: readonly string[]): Promise<void> => {
  const { rows } = await client.query<{ table: string }>(
    `SELECT oid::regclass::text AS table FROM pg_class WHERE oid = ANY($1::regclass[]) AND (relkind <> 'r' OR relrowsecurity
      OR EXISTS (SELECT FROM pg_inherits WHERE oid IN (inhparent, inhrelid))
      OR EXISTS (SELECT FROM pg_subscription_rel WHERE srrelid = oid))`,
    [tables],
  )
  const [found] = rows
  if (found !== undefined)
    throw refusal(
      found.table,
      'it has partitions or policies of rows, is a partition, or a subscription or a server fills it',
    )
}

const rowOf = ({ table, name, columns }: Trigger): string =>
  `(${escapeLiteral(table)}::regclass, '${name}', ${escapeLiteral(columns)})`

const refusal = (view: string, why: string) =>
  new LoadError(`grade C cannot count ${view}: ${why}. Grade B serves it without --grade c`)

/** Returns the only part of a view. Each row comes from one table. */
const partOf = async (client: Client, view: string): Promise<ViewPart> => {
  const parts = await partsOf(client, view)
  const [part] = parts
  if (parts.length > 1) throw refusal(view, 'it has rows of several tables')
  if (part === undefined || part.columns.size === 0) throw refusal(view, 'it groups its rows')
  return part
}

/** Returns the trigger of the table of events. */
const triggerOf = async (client: Client, view: string, part: ViewPart): Promise<Trigger> => {
  const table = part.columns.get('id')?.table ?? null
  if (table === null) throw refusal(view, 'its id is a constant, or comes from several tables')
  if (part.whole !== table)
    throw refusal(view, 'it may leave out or repeat rows of its table, by a condition, a join or a group')
  const columns = COUNTED.map((name) => {
    const term = part.columns.get(name) ?? null
    if (term === null || (term.table !== null && term.table !== table))
      throw refusal(view, `its ${name} comes from another table than its id`)
    return { name, term }
  })
  const place = part.columns.get('geometry')
  const hasPlaces = place?.table === table
  const read = columns.flatMap(({ term }) => (term.table === null ? [] : term.sql))
  await refuseUnstable(client, view, table, hasPlaces ? [...read, `(${place.sql})::text`] : read)
  const cell = hasPlaces ? `event_cell_of(ST_X(${place.sql}), ST_Y(${place.sql}))` : 'NULL::integer'
  const written = columns.map(({ name, term: { sql } }) =>
    // Texts are counted by their code points, as the service compares them.
    name === 'category' ? `((${sql})::text COLLATE "C") AS category` : `${sql} AS ${name}`,
  )
  const external = textOf(part, 'external_id', table)
  return { table, name: 'event_changed', columns: [...written, `${cell} AS cell`, external].join(', ') }
}

/** Writes a column of a view as a text. It is null if it does not come from the table. */
const textOf = ({ columns }: ViewPart, name: string, table: string): string => {
  const term = columns.get(name)
  return `${term?.table === table ? `(${term.sql})::text` : 'NULL::text'} AS ${name}`
}

/** Throws LoadError for an expression whose value may change without a write. PostgreSQL makes no index on it. */
const refuseUnstable = async (client: Client, view: string, table: string, terms: readonly string[]): Promise<void> => {
  await client.query(`CREATE TEMP TABLE counted (LIKE ${table})`)
  for (const term of terms) {
    await client.query('SAVEPOINT tried')
    try {
      await client.query(`CREATE INDEX ON pg_temp.counted USING hash ((${term}))`)
    } catch (error) {
      throw refusal(view, `${term} may change without a write: ${reasonOf(error)}`)
    }
  }
}

/**
 * Returns the query of the level of each series, and the trigger of their table, if they have one. `ofEvents` are the tables of
 * the events.
 */
const levelsOf = (
  view: string,
  part: ViewPart,
  ofEvents: readonly string[],
): { readonly levels: string; readonly ofSeries: readonly Trigger[] } => {
  const [id, level] = [part.columns.get('id') ?? null, part.columns.get('access_modifier')]
  if (id === null || level === null) throw refusal(view, 'a column comes from several tables')
  // Without the column all series are Public. Null is Hidden.
  const read = (number: string, level: string | undefined) =>
    `${number} AS id, ${level === undefined ? '0' : `coalesce((${level})::integer, ${ACCESS_LEVELS.Hidden})`} AS level`
  const { table } = id
  if (table === null) return { levels: `SELECT ${read('id', level && 'access_modifier')} FROM ${view}`, ofSeries: [] }
  if (level && level.table !== table) throw refusal(view, 'its access_modifier comes from another table')
  const columns = read(id.sql, level?.sql)
  // The columns of events may come from the table, too.
  const kind = ofEvents.includes(table) ? -1 : 1
  const written = `${kind} AS kind, ${columns}, ${textOf(part, 'uuid', table)}`
  const trigger: Trigger = { table, name: 'event_series_changed', columns: written }
  return { levels: `SELECT ${columns} FROM ${table}`, ofSeries: [trigger] }
}
