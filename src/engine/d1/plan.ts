import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import { eventLength } from '../../../schema/trees.ts'
import { at, type ValueRange } from '../../base/collections.ts'
import { COUNTED_PATHS, LONGEST_NUMBER, MAX_LIST, MAX_LISTED, SAMPLED, UNKNOWN_FRACTION } from '../limits.ts'
import { type Estimates, fractionOf, rowsInExtent, rowsInRanges } from './estimates.ts'
import { cellsPath, listPath, type Path, pathsOf, rowsInTime } from './paths.ts'
import { type CellsAndIds, extentOf, type Search, timesOf } from './search.ts'
import { all, integerOf } from './sql.ts'
import { whereOf } from './where.ts'

/** How to find the matches of a search. */
export interface Plan {
  readonly search: Search
  /** The paths to the matches. With a choice the database reads one of them, else all of them: they share no row. */
  readonly paths: readonly Path[]
  /** The path with the fewest estimated rows, besides those that `choice` counts. Null: all paths are read. */
  readonly best: Path | null
  /**
   * Selects `path`, the number of the path with the fewest rows, `rows`, their number, and `part`, the fraction of
   * all rows that the counted conditions leave. Null: the Worker has chosen.
   */
  readonly choice: SQL | null
  /** The estimated rows of the path, and the estimated matches. */
  readonly rows: number
  readonly matches: number
  /** The fraction of all rows that probably meets the conditions which no `choice` counts. */
  readonly share: number
}

/** The cells that cover an area, with the estimated rows. */
export interface Cover {
  /** Cells that lie in the area, and cells that its boundary meets. */
  readonly interior: readonly ValueRange[]
  readonly boundary: readonly ValueRange[]
  readonly inside: number
  readonly atBoundary: number
}

/** Plans a search. `cover` covers its area. */
export const planOf = (search: Search, estimates: Estimates, cover: Cover | null): Plan => {
  if (search.only !== null) return planOfOnly(search, search.only, estimates)
  return planFor(search, estimates, cover, cover && cellsPath(cellsOf(cover), cover.inside + cover.atBoundary))
}

/** Plans a search by the paths of its conditions, and by a path of cells. */
export const planFor = (search: Search, estimates: Estimates, cover: Cover | null, cells: Path | null): Plan => {
  const possible = [...pathsOf(search, estimates), ...(cells === null ? [] : [cells])]
  const known = possible.filter(({ counted }) => counted === undefined)
  const best = known.reduce((least, path) => (path.rows < least.rows ? path : least))
  const counted = possible.filter((path) => path.counted !== undefined).slice(0, COUNTED_PATHS)
  const { total } = estimates
  const share = shareOf(search, estimates, cover)
  return {
    search,
    paths: [...counted, best],
    best,
    choice: counted.length === 0 ? null : choiceOf(counted, best.rows, total),
    rows: Math.min(best.rows, ...counted.map(({ rows }) => rows)),
    matches: counted.reduce((left, { rows }) => left * fractionOf(rows, total), total * share),
    share,
  }
}

/** Returns all cells of a covering. */
export const cellsOf = ({ interior, boundary }: Cover): readonly ValueRange[] =>
  [...interior, ...boundary].sort((a, b) => a[0] - b[0])

/** Plans to read the rows of cells inside an area, and some rows by id. */
const planOfOnly = (search: Search, { cells, ids }: CellsAndIds, estimates: Estimates): Plan => {
  const inside = rowsInRanges(estimates.cells, cells)
  const paths = [
    ...(cells.length > 0 ? [cellsPath(cells, inside)] : []),
    ...(ids.length > 0 || cells.length === 0 ? [listPath(ids)] : []),
  ]
  const rows = inside + ids.length
  const share = fractionOf(rows, estimates.total)
  return { search, paths, best: null, choice: null, rows, matches: rows, share }
}

const choiceOf = (counted: readonly Path[], rows: number, total: number): SQL => {
  const names = (name: string) => counted.map((_, i) => sql.raw(`${name}${i}`))
  const [ns, rs] = [names('n'), names('r')]
  const numbers = counted.map((path, i) => sql`(${path.counted?.number}) AS ${at(ns, i)}`)
  const costs = counted.map((path, i) => sql`${at(ns, i)} * ${path.counted?.fraction} AS ${at(rs, i)}`)
  const least = sql`min(${listOf([...rs, sql`${rows}`])})`
  const cases = rs.map((cost, i) => sql`WHEN ${cost} THEN ${integerOf(i)}`)
  const fractions = ns.map((number) => sql`min(1.0, ${number} / ${Math.max(1, total)})`)
  return sql`SELECT CASE ${least} ${sql.join(cases, sql` `)} ELSE ${integerOf(counted.length)} END AS path,
      ${least} AS "rows", ${sql.join(fractions, sql` * `)} AS part
    FROM (SELECT ${listOf([...ns, ...costs])} FROM (SELECT ${listOf(numbers)}))`
}

const listOf = (parts: readonly SQL[], separator = sql`, `): SQL => sql.join([...parts], separator)

/** Estimates the fraction of all rows that meets the conditions, except those that a choice counts. */
const shareOf = (search: Search, estimates: Estimates, cover: Cover | null): number => {
  const { plain, ranges } = search
  const { total, ids } = estimates
  const inArea = cover === null ? 1 : fractionOf(cover.inside + cover.atBoundary / 2, total)
  const share = inArea * UNKNOWN_FRACTION ** plain.length
  if (ranges.size === 0) return share
  const known: readonly SQLWrapper[] = [events.id, events.start, events.end, eventLength]
  const others = [...ranges.keys()].filter((column) => !known.includes(column))
  const withIds = fractionOf(rowsInExtent(ids, extentOf(search, events.id)), total)
  const inTime = fractionOf(rowsInTime(timesOf(search), estimates) ?? total, total)
  return share * withIds * inTime * UNKNOWN_FRACTION ** others.length
}

/** Writes a statement about the matches of a plan. `named` are the names and the queries of its other tables. */
export const planStatement = <R>({ choice }: Plan, body: SQL<R>, named: Readonly<Record<string, SQL>> = {}): SQL<R> => {
  const tables = Object.entries({ ...(choice && { choice }), ...named }).map(
    ([name, query]) => sql`${sql.identifier(name)} AS MATERIALIZED (${query})`,
  )
  return tables.length === 0 ? body : sql<R>`WITH ${listOf(tables)} ${body}`
}

/**
 * Selects columns of all matches of a plan. It belongs in a `planStatement`. `more` is a further condition. It reads
 * rows only if `gate` has one.
 */
export const matchesOf = (
  { search, paths, choice }: Plan,
  columns: SQL,
  more: SQL | null = null,
  gate: SQL | null = null,
): SQL => {
  const selects = paths.map(({ from, enter, entry }, i) => {
    const chosen =
      choice === null ? NONE : sql`(SELECT 1 FROM choice WHERE path = ${integerOf(i)}) AS chosen CROSS JOIN`
    const open = gate === null ? NONE : sql`${gate} AS gate CROSS JOIN`
    return sql`SELECT ${columns} FROM ${open} ${chosen} ${from} WHERE ${all([enter, whereOf(search, entry), more])}`
  })
  return listOf(selects, sql` UNION ALL `)
}

const NONE = sql``

/** Counts all matches of a plan. */
export const countMatches = (plan: Plan): SQL<{ readonly count: number }> =>
  planStatement(plan, sql`SELECT count(*) AS count FROM (${matchesOf(plan, sql`1`)})`)

/** Returns the most rows of one list, given the numbers of a row. */
export const mostListed = ({ length }: readonly SQLWrapper[]): number =>
  Math.min(MAX_LISTED, Math.floor(MAX_LIST / (LONGEST_NUMBER * length)))

/** The numbers of matches as a text. */
export interface ListRow {
  readonly count: number
  readonly list: string | null
}

/** Parses the numbers of a list. `JSON.parse` is faster than a loop over the characters. */
export const numbersIn = (row: Pick<ListRow, 'list'> | undefined): Float64Array =>
  new Float64Array(JSON.parse(`[${row?.list ?? ''}]`))

/** Returns the names of the columns n0, n1 and so on. */
const namesOf = (columns: readonly SQL[]): SQL[] => columns.map((_, i) => sql.raw(`n${i}`))

const named = (columns: readonly SQL[]): SQL =>
  listOf(namesOf(columns).map((name, i) => sql`${at(columns, i)} AS ${name}`))

/** Lists numbers of the matches. It reads one row more than allowed, to notice that there are too many. */
export const listQuery = (plan: Plan, columns: readonly SQL[], most: number): SQL<ListRow> =>
  planStatement(
    plan,
    sql`SELECT count(*) AS count, group_concat(${listOf(namesOf(columns), sql` || ',' || `)}) AS list
      FROM (SELECT * FROM (${matchesOf(plan, named(columns))}) LIMIT ${integerOf(most + 1)})`,
  )

/**
 * Lists the keys of a sample of the matches. It is random, because ids may have any pattern. With the id in it, SQLite draws
 * for each row, and not once for each range. `more` is a further condition on the rows.
 */
export const sampleQuery = (plan: Plan, key: SQLWrapper, more: SQL | null): SQL<Pick<ListRow, 'list'>> => {
  const sample = all([sql`random() % ${integerOf(SAMPLED)} = ${events.id} & 0`, more])
  const matches = matchesOf(plan, sql`${key} AS value`, sample)
  return planStatement(
    plan,
    sql`SELECT group_concat(value) AS list FROM (SELECT * FROM (${matches}) LIMIT ${integerOf(MAX_LISTED)})`,
  )
}
