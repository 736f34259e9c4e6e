import { type Client, escapeIdentifier } from 'pg'
import { at } from '../../src/base/collections.ts'
import { LoadError } from '../load/error.ts'

/** A node of a plan of PostgreSQL, as EXPLAIN (VERBOSE, FORMAT JSON) shows it. */
interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly Schema?: string
  readonly Alias?: string
  /** The columns as SQL. Each column of a table has the alias of the table. */
  readonly Output?: readonly string[]
  readonly 'Hash Cond'?: string
  readonly 'Join Type'?: string
  readonly 'Parent Relationship'?: string
  readonly Plans?: readonly Plan[]
}

/** An expression of the columns of one table, without its alias. A constant has no table. */
export interface ColumnSource {
  readonly table: string | null
  readonly sql: string
}

/** A part of a view: its rows come from one table, and from tables that are joined to it. */
export interface ViewPart {
  readonly tables: readonly string[]
  /** The columns of the view. Null: the column is an expression of several tables. */
  readonly columns: ReadonlyMap<string, ColumnSource | null>
  /** The equal sides of each join. */
  readonly joins: readonly (readonly [ColumnSource, ColumnSource])[]
  /** The table whose rows are all in the view. Null: none surely is. */
  readonly whole: string | null
}

/** Returns the schema of the views, which is events_api or one that the role searches. Throws LoadError if there are none. */
export const schemaOfViews = async (client: Client): Promise<string> => {
  const { rows } = await client.query<{ schema: string }>(
    `SELECT relnamespace::regnamespace::text AS schema FROM pg_class
      WHERE oid = coalesce(to_regclass('events_api.event'), to_regclass('event'))`,
  )
  const [found] = rows
  if (found !== undefined) return found.schema
  throw new LoadError('the database has no view event: make the views of docs/postgres.md first')
}

/** The plan of a view reads a table in a way that its columns do not follow. */
const OPAQUE = /Aggregate|Group|Unique|SetOp|Limit|WindowAgg|Recursive|CTE|Foreign/

/**
 * Reads the parts of a view. The plan of PostgreSQL has each column of the view as an expression of tables. Each table of
 * UNION ALL makes a part, and all partitions of a table make one. Call it within a transaction: it changes settings. Throws
 * the error of the server.
 */
export const partsOf = async (client: Client, view: string): Promise<readonly ViewPart[]> => {
  // An empty search_path names the schema of each function. Hash joins tell which columns they compare, and a plan without
  // indexes has each condition as a filter.
  await client.query(`SET LOCAL search_path = ''; SET LOCAL enable_nestloop = off; SET LOCAL enable_mergejoin = off;
    SET LOCAL enable_indexscan = off; SET LOCAL enable_indexonlyscan = off; SET LOCAL enable_bitmapscan = off;
    SET LOCAL max_parallel_workers_per_gather = 0; SET LOCAL enable_partitionwise_join = off`)
  const named = await client.query<{ name: string }>(
    'SELECT quote_ident(attname) AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped',
    [view],
  )
  const names = named.rows.map(({ name }) => name)
  // Only a query of several names writes an alias before each column.
  const explain = `EXPLAIN (VERBOSE, COSTS OFF, FORMAT JSON) SELECT ${names.join(', ')} FROM (SELECT * FROM ${view}) AS v`
  const { rows } = await client.query<{ 'QUERY PLAN': readonly [{ readonly Plan: Plan }] }>(explain)
  const plans = rows.flatMap((row) => branchesOf(row['QUERY PLAN'][0].Plan))
  const parts = new Map<string, ViewPart>()
  for (const plan of plans) {
    const isOpaque = nodesOf(plan).some((node) => OPAQUE.test(node['Node Type']))
    const part = partIn(plan, isOpaque ? [] : names, await tablesOf(client, plan))
    parts.set(JSON.stringify([[...part.columns], part.joins]), part)
  }
  return [...parts.values()]
}

/** Returns the plans of the parts of UNION ALL, and of partitions. */
const branchesOf = (plan: Plan): readonly Plan[] => {
  const { Plans = [] } = plan
  const [only] = Plans
  if (plan['Node Type'] === 'Append') return Plans.flatMap(branchesOf)
  const isProjection = plan['Node Type'] === 'Result' && only?.['Node Type'] === 'Append'
  return isProjection ? branchesOf(only) : [plan]
}

const nodesOf = (plan: Plan): readonly Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

/** Returns the name of the table of each alias. The alias of a partition has the name of the partitioned table. */
const tablesOf = async (client: Client, plan: Plan): Promise<ReadonlyMap<string, string>> => {
  const tables = new Map<string, string>()
  for (const { Schema, Alias, 'Relation Name': name } of nodesOf(plan)) {
    if (Schema === undefined || Alias === undefined || name === undefined) continue
    const { rows } = await client.query<{ own: string; whole: string | null }>(
      'SELECT oid::regclass::text AS own, pg_partition_root(oid)::text AS whole FROM to_regclass($1) AS oid',
      [`${escapeIdentifier(Schema)}.${escapeIdentifier(name)}`],
    )
    const { own, whole } = at(rows, 0)
    tables.set(Alias, whole ?? own)
    // Above its partitions, a plan has the alias of the whole table. Each partition has a number behind it.
    if (whole !== null) tables.set(Alias.replace(/_\d+$/, ''), whole)
  }
  return tables
}

const partIn = (plan: Plan, names: readonly string[], tables: ReadonlyMap<string, string>): ViewPart => {
  const nodes = nodesOf(plan)
  const output = plan.Output ?? []
  const columns = names.map((name, i) => [name, termOf(output[i] ?? '', tables)] as const)
  const joins = nodes.flatMap((node) => sidesIn(node['Hash Cond'] ?? '', tables))
  const scanned = nodes.flatMap(({ Alias }) => (Alias === undefined ? [] : (tables.get(Alias) ?? [])))
  const isOnce = new Set(scanned).size === scanned.length
  const alias = names.length === 0 || !isOnce ? null : preservedIn(plan)
  return {
    tables: [...new Set(scanned)],
    columns: new Map(columns),
    joins,
    whole: (alias && tables.get(alias)) ?? null,
  }
}

/** Returns the alias of the table whose rows a plan surely keeps, and neither leaves out nor repeats by a condition. */
const preservedIn = (plan: Plan): string | null => {
  const { 'Node Type': type, 'Join Type': join, Alias, Plans = [] } = plan
  const conditions = ['Filter', 'One-Time Filter', 'Index Cond', 'Sampling Method']
  if (conditions.some((name) => name in plan)) return null
  if (Plans.some((each) => !/Outer|Inner/.test(each['Parent Relationship'] ?? ''))) return null
  if (type === 'Seq Scan') return Alias ?? null
  const side = { Left: 'Outer', Right: 'Inner' }[join ?? ''] ?? (/^(Hash|Materialize|Sort)$/.test(type) ? 'Outer' : '')
  const kept = Plans.find((each) => each['Parent Relationship'] === side)
  return kept === undefined ? null : preservedIn(kept)
}

/** Matches a text, an alias before a column, or a quoted name. */
const NAMES = /'(?:[^']|'')*'|(?:"((?:[^"]|"")*)"|([a-z_][\w$]*))\.(?=["a-z_])|"(?:[^"]|"")*"/g

/** Returns an expression without its alias. Null: it has columns of several tables. */
const termOf = (expression: string, tables: ReadonlyMap<string, string>): ColumnSource | null => {
  const found = new Set<string>()
  const sql = expression.replace(NAMES, (whole, quoted?: string, plain?: string) => {
    const table = tables.get(quoted?.replaceAll('""', '"') ?? plain ?? '')
    if (table === undefined) return whole
    found.add(table)
    return ''
  })
  const [table = null, ...others] = found
  // A subquery has its result under a name of the plan.
  const isInner = /\bSubPlan \d|\$\d/.test(withoutTexts(sql))
  return others.length > 0 || isInner ? null : { table, sql: bare(sql) }
}

/** Returns an expression of the same length without the characters of its texts and quoted names. */
const withoutTexts = (sql: string): string =>
  sql.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"/g, ({ length }) => "'".repeat(length))

/** Returns an expression without parentheses around the whole of it. */
const bare = (sql: string): string => {
  let depth = 0
  for (const [i, character] of withoutTexts(sql).split('').entries()) {
    if (character === '(') depth += 1
    if (character === ')') depth -= 1
    if (depth === 0 && i < sql.length - 1) return sql
  }
  return sql.startsWith('(') ? bare(sql.slice(1, -1)) : sql
}

/** A comparison of two expressions, with functions that have no further ones within. */
const EQUALITY = /\(([^()=]*(?:\([^()]*\)[^()=]*)*) = ([^()=]*(?:\([^()]*\)[^()=]*)*)\)/g

/** Returns the sides of each comparison in the condition of a join. */
const sidesIn = (condition: string, tables: ReadonlyMap<string, string>): ViewPart['joins'] =>
  Array.from(condition.matchAll(EQUALITY), ([, left = '', right = '']) => [
    termOf(left, tables),
    termOf(right, tables),
  ]).flatMap(([one, other]) => (one && other ? [[one, other] as const] : []))
