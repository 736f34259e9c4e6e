import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Dictionary } from '../../filters/filter.ts'
import { each, integerOf } from '../db/sql.ts'
import type { Search } from '../search.ts'
import type { Row } from '../table.ts'
import type { Groups } from './histogram.ts'

/** What rows are counted by: the entries of a dictionary that they refer to. */
export interface Facet {
  readonly dictionary: Dictionary & Required<Pick<Dictionary, 'counts'>>
  /** What is told of an entry. */
  readonly columns: Readonly<Record<string, SQLWrapper>>
}

/** The entries that the most rows refer to, these first, equals by their ids; and how many entries more there are. */
export interface FacetCounts {
  readonly entries: readonly Readonly<Record<string, unknown>>[]
  readonly more: number
}

/** What was counted of rows. */
export interface Counted {
  readonly groups: Groups
  /** In the order of the facets that were asked for. */
  readonly facets: readonly FacetCounts[]
}

/** How many entries of a facet are told. */
export const MAX_ENTRIES = 100

/** A query of the entries of a facet by the counts that are kept of all that the caller sees. */
export const keptEntriesQuery = ({ level }: Pick<Search, 'level'>, facet: Facet): SQL => {
  const { id, table, counts } = facet.dictionary
  return sql`SELECT ${columnsOf(facet)}, ${counts(level)} AS count, count(*) OVER () AS entries FROM ${table}
    WHERE ${counts(level)} > 0 ORDER BY count DESC, ${id} LIMIT ${integerOf(MAX_ENTRIES)}`
}

/** What such a query answers. */
export const keptEntries = (facet: Facet, rows: readonly Row[]): FacetCounts => ({
  entries: rows.map((row) => entryOf(facet, row, row.count)),
  more: (rows[0]?.entries ?? 0) - rows.length,
})

/** The number of the entry that a row refers to, -1 where it refers to none. */
export const keyOf = ({ dictionary }: Facet): SQL => sql`coalesce(${dictionary.key}, -1)`

/**
 * Reads what is told of the entries that the most rows refer to, of each facet by how many rows refer to each entry.
 */
export const countedEntries = async (
  search: Search,
  facets: readonly Facet[],
  counts: readonly ReadonlyMap<number, number>[],
): Promise<FacetCounts[]> => {
  const most = counts.map((rows) => [...rows].sort(([a, m], [b, n]) => n - m || a - b).slice(0, MAX_ENTRIES))
  const queries = facets.map((facet, i) => {
    const { id, table } = facet.dictionary
    const ids = (most[i] ?? []).map(([key]) => key)
    return sql`SELECT ${id} AS "entryId", ${columnsOf(facet)} FROM ${table} WHERE ${id} IN (${each(ids)})`
  })
  const answers = queries.length === 0 ? [] : await search.read(...queries)
  return facets.map((facet, i): FacetCounts => {
    const told = new Map((answers[i] ?? []).map((row) => [row.entryId as number, row]))
    const entries = (most[i] ?? []).map(([key, rows]) => entryOf(facet, told.get(key) ?? {}, rows))
    return { entries, more: (counts[i]?.size ?? 0) - entries.length }
  })
}

const columnsOf = ({ columns }: Facet): SQL =>
  sql.join(
    Object.entries(columns).map(([name, column]) => sql`${column} AS ${sql.identifier(name)}`),
    sql`, `,
  )

const entryOf = ({ columns }: Facet, row: Row, count: number) => ({
  ...Object.fromEntries(Object.keys(columns).map((name) => [name, row[name]])),
  count,
})
