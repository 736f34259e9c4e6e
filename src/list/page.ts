import { type SQL, sql } from 'drizzle-orm'
import type { Condition } from '../filters/filter.ts'
import { covering } from '../geometry/covering.ts'
import type { Area } from '../geometry/within.ts'
import type { Database } from './database.ts'
import { invalidPage, type Plan } from './plan.ts'
import type { Resource, Row } from './resource.ts'

/** One page of the rows that match, and how many match in all. */
export interface Page {
  readonly count: number
  /** From 1. */
  readonly number: number
  readonly last: number
  readonly rows: readonly Row[]
}

/** Fetches the page that a plan asks for, of the rows that a caller of this level sees. Throws notFound past the end. */
export const fetchPage = async (db: Database, resource: Resource, plan: Plan, level: number): Promise<Page> => {
  const visible = resource.visible(level)
  const { where, areas } = await decide(db, plan.conditions)
  if (visible !== null) where.push(visible)
  const matches = await matchesOf(db, resource, all(where), areas)
  const [first] = plan.page === 'last' ? await db.read(matches.count) : []
  const number = plan.page === 'last' ? lastOf(countOf(first), plan.pageSize) : plan.page
  const [counted, rows = []] = await db.read(matches.count, select(resource, matches.where, plan, number))
  const count = countOf(counted)
  const last = lastOf(count, plan.pageSize)
  if (number > last) throw invalidPage()
  return { count, number, last, rows }
}

/** The one item that a key names among those that the caller sees, or null; also null when it names several. */
export const fetchItem = async (db: Database, resource: Resource, key: string, level: number): Promise<Row | null> => {
  const named = resource.find(key)
  if (named === null) return null
  const visible = resource.visible(level)
  const where = all(visible === null ? [named] : [named, visible])
  const [rows = []] = await db.read(
    sql`SELECT ${columnsOf(resource)} FROM ${resource.table} ${resource.joins ?? sql``} WHERE ${where} LIMIT 2`,
  )
  return rows.length === 1 ? (rows[0] ?? null) : null
}

/** Which rows match, and the query that counts them. */
interface Matches {
  readonly count: SQL
  readonly where: SQL
}

/** Sorts conditions by who decides them; those on texts are decided here and now. */
const decide = async (db: Database, conditions: readonly Condition[]): Promise<{ where: SQL[]; areas: Area[] }> => {
  const where = conditions.flatMap((condition) => ('sql' in condition ? [condition.sql] : []))
  const areas = conditions.flatMap((condition) => ('area' in condition ? [condition.area] : []))
  const onTexts = conditions.flatMap((condition) => ('texts' in condition ? [condition] : []))
  const answers = onTexts.length === 0 ? [] : await db.read(...onTexts.map(({ texts }) => texts))
  onTexts.forEach((condition, i) => {
    const matching = (answers[i] ?? []).filter(({ text }) => condition.matches(text))
    where.push(condition.where(each(matching.map(({ id }) => id))))
  })
  return { where, areas }
}

const matchesOf = async (db: Database, resource: Resource, where: SQL, areas: readonly Area[]): Promise<Matches> => {
  const [area] = areas
  if (area === undefined) return { count: sql`SELECT count(*) AS count FROM ${resource.table} WHERE ${where}`, where }
  const { place, table, id } = resource
  if (place === undefined) throw new Error(`${resource.path} has no place`)
  const { interior, boundary } = covering(area)
  const inRanges = (ranges: readonly (readonly [number, number])[]) =>
    sql`json_each(${JSON.stringify(ranges)}) AS span CROSS JOIN ${table} INDEXED BY ${sql.identifier(place.index)}
      WHERE ${place.cell} BETWEEN span.value ->> 0 AND span.value ->> 1 AND ${where}`
  const [candidates = []] = await db.read(
    sql`SELECT ${id} AS id, ${place.x} AS x, ${place.y} AS y FROM ${inRanges(boundary)}`,
  )
  const hits = candidates.filter(({ x, y }) => area.contains(x, y)).map((row) => row.id)
  return {
    count: sql`SELECT ${hits.length} + count(*) AS count FROM ${inRanges(interior)}`,
    where: sql`${id} IN (SELECT ${id} FROM ${inRanges(interior)} UNION ALL ${each(hits)})`,
  }
}

const select = (resource: Resource, where: SQL, { order, pageSize }: Plan, number: number): SQL => {
  const { table, id, joins = sql`` } = resource
  const direction = sql.raw(order.descending ? 'DESC' : 'ASC')
  const by = order.column === null ? sql`${id} ${direction}` : sql`${order.column} ${direction}, ${id}`
  return sql`SELECT ${columnsOf(resource)} FROM ${table} ${joins}
    WHERE ${where} ORDER BY ${by} LIMIT ${pageSize} OFFSET ${(number - 1) * pageSize}`
}

const columnsOf = ({ columns }: Resource): SQL =>
  sql.join(
    Object.entries(columns).map(([name, column]) => sql`${column} AS ${sql.identifier(name)}`),
    sql`, `,
  )

const all = (conditions: readonly SQL[]): SQL =>
  conditions.length === 0 ? sql`1` : sql.join([...conditions], sql` AND `)

/** A parameter of D1 holds at most 2 MB. */
const MAX_IDS = 100_000

/** Ids as rows, passed as JSON: a statement takes 100 parameters, a list has any length. */
const each = (ids: readonly number[]): SQL => {
  const parts = [sql`SELECT value FROM json_each(${JSON.stringify(ids.slice(0, MAX_IDS))})`]
  for (let from = MAX_IDS; from < ids.length; from += MAX_IDS)
    parts.push(sql`SELECT value FROM json_each(${JSON.stringify(ids.slice(from, from + MAX_IDS))})`)
  return sql.join(parts, sql` UNION ALL `)
}

const countOf = (rows: readonly Row[] | undefined): number => rows?.[0]?.count ?? 0

const lastOf = (count: number, pageSize: number): number => Math.max(1, Math.ceil(count / pageSize))
