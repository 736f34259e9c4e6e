import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Dictionary } from '../../filters/filter.ts'
import { integerOf, numbersTable } from '../db/sql.ts'
import type { Search } from '../search.ts'
import type { Row } from '../table.ts'
import type { Groups } from './histogram.ts'

/** A facet: rows are counted by the dictionary entry that they refer to. */
export interface Facet {
  readonly dictionary: Dictionary & Required<Pick<Dictionary, 'counts'>>
  /** The members of an entry in the answer. */
  readonly columns: Readonly<Record<string, SQLWrapper>>
}

/**
 * `entries` has the entries with the most rows, sorted by rows and then by id. `more` is the number of other entries.
 */
export interface FacetCounts {
  readonly entries: readonly Readonly<Record<string, unknown>>[]
  readonly more: number
}

/** The counts of a summary. */
export interface Counted {
  readonly groups: Groups
  /** They are in the order of the requested facets. */
  readonly facets: readonly FacetCounts[]
}

/** The most entries per facet in an answer. */
export const MAX_ENTRIES = 100

/** Reads the entries of a facet by the stored counts of all visible rows. */
export const storedEntriesQuery = ({ level }: Pick<Search, 'level'>, facet: Facet): SQL => {
  const { id, table, counts } = facet.dictionary
  return sql`SELECT ${columnsOf(facet)}, ${counts(level)} AS count, count(*) OVER () AS entries FROM ${table}
    WHERE ${counts(level)} > 0 ORDER BY count DESC, ${id} LIMIT ${integerOf(MAX_ENTRIES)}`
}

/** Converts the answer of `storedEntriesQuery`. */
export const storedEntries = (facet: Facet, rows: readonly Row[]): FacetCounts => ({
  entries: rows.map((row) => entryOf(facet, row, row.count)),
  more: (rows[0]?.entries ?? 0) - rows.length,
})

/** Selects the id of the entry that a row refers to, or -1 without an entry. */
export const keyOf = ({ dictionary }: Facet): SQL => sql`coalesce(${dictionary.key}, -1)`

/** Reads the members of the entries with the most rows. `counts` has the rows of each entry, for each facet. */
export const countedEntries = async (
  search: Search,
  facets: readonly Facet[],
  counts: readonly ReadonlyMap<number, number>[],
): Promise<FacetCounts[]> => {
  const most = counts.map((rows) => [...rows].sort(([a, m], [b, n]) => n - m || a - b).slice(0, MAX_ENTRIES))
  const queries = facets.map((facet, i) => {
    const { id, table } = facet.dictionary
    const ids = (most[i] ?? []).map(([key]) => key)
    return sql`SELECT ${id} AS "entryId", ${columnsOf(facet)} FROM ${table} WHERE ${id} IN (${numbersTable(ids)})`
  })
  const answers = queries.length === 0 ? [] : await search.read(...queries)
  return facets.map((facet, i): FacetCounts => {
    const byId = new Map((answers[i] ?? []).map((row) => [row.entryId as number, row]))
    const entries = (most[i] ?? []).map(([key, rows]) => entryOf(facet, byId.get(key) ?? {}, rows))
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
