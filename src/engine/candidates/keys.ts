import { type SQL, sql } from 'drizzle-orm'
import { badRequest } from '../../errors.ts'
import { integerOf, namedColumns, numbersTable } from '../../filters/sql.ts'
import { entriesQuery, entryCondition, type Group, groupCondition, rowsOf } from '../conditions/criteria.ts'
import type { Row, Table } from '../conditions/table.ts'
import type { Read } from '../run/database.ts'
import { columnsUpTo, completed, MAX_BYTES } from '../run/long.ts'

/** The dictionary entries that match a group of conditions. */
export interface MatchingEntries {
  readonly group: Group
  /** The ids of the entries. It is null if there are too many entries. The condition is then a subquery. */
  readonly ids: readonly number[] | null
  /** The rows of these entries that the caller sees. The number is exact if `counted`, else it is an estimate. */
  readonly rows: number
  readonly counted: boolean
  readonly condition: SQL
}

/** The most dictionary entries that are listed by id. */
const MAX_ENTRIES = 1000
/** The most texts that the Worker tests with a regular expression. */
const MAX_TEXTS = 100_000

const mostOf = (group: Group): number => (isTested(group) ? MAX_TEXTS : MAX_ENTRIES)

/** Returns true if the Worker tests the texts of a group. */
export const isTested = ({ tests }: Group): boolean => tests.length > 0

/**
 * Returns the queries for the entries of these groups, for one read. The limit is one more than allowed, to notice if
 * there are too many.
 */
export const keysQueries = (groups: readonly Group[], level: number): SQL[] => {
  const readsOfTexts = groups.filter(isTested).length
  return groups.map((group) => {
    const entries = isTested(group) ? textsQuery(group, level, readsOfTexts) : entriesQuery(group, level)
    return sql`${entries} LIMIT ${mostOf(group) + 1}`
  })
}

/**
 * Reads the entries of a group with their texts. The queries of a read share 8 MB, and each entry has an equal share. A
 * longer text is null. The greatest id serves as the number of entries, because the database reads only one row for it.
 */
const textsQuery = (group: Group, level: number, queries: number): SQL => {
  const { id, table } = group.dictionary
  const entries = sql`min((SELECT max(${id}) FROM ${table}), ${integerOf(MAX_TEXTS + 1)})`
  const share = sql`SELECT ${integerOf(Math.floor(MAX_BYTES / queries))} / ${entries} AS bytes`
  return sql`SELECT ${namedColumns(columnsUpTo(textsOf(group, level), sql`share.bytes`))} FROM (${share}) AS share CROSS JOIN ${table}
    WHERE ${entryCondition(group, level)}`
}

/** Returns the entries of a group as a table. */
const textsOf = (group: Group, level: number): Table => {
  const { id, table, text } = group.dictionary
  return { table, id, columns: { id, rows: rowsOf(group, level), text }, visible: () => null }
}

/**
 * Applies the tests of a group to its entries, and returns those that pass. It reads the texts that the query left out,
 * at most 8 MB at once.
 */
const testedEntries = async (read: Read, group: Group, rows: readonly Row[], level: number): Promise<Row[]> => {
  const entries: Row[] = []
  for await (const batch of completed(read, textsOf(group, level), rows, level))
    for (const { id, rows, text } of batch) if (group.tests.every((test) => test(text))) entries.push({ id, rows })
  return entries
}

/** Builds the keys of a group from the answer of its query. `total` is the number of all rows. */
export const keysFrom = async (
  read: Read,
  group: Group,
  rows: readonly Row[],
  total: number,
  level: number,
): Promise<MatchingEntries> => {
  if (rows.length > mostOf(group)) {
    if (isTested(group))
      throw badRequest(`There are more than ${MAX_TEXTS} texts to match. Use another lookup, such as icontains.`)
    return { group, ids: null, rows: total / 3, counted: false, condition: groupCondition(group) }
  }
  const entries = isTested(group) ? await testedEntries(read, group, rows, level) : rows
  const ids = entries.map(({ id }): number => id)
  const counted = group.dictionary.counts !== undefined
  return {
    group,
    ids,
    rows: counted ? entries.reduce((sum, { rows }) => sum + rows, 0) : total / 3,
    counted,
    condition: sql`+${group.dictionary.key} IN (${numbersTable(ids)})`,
  }
}

/** Selects the ids of the entries of a group. */
export const keysIn = (group: Group, level: number): SQL => sql`SELECT id FROM (${entriesQuery(group, level)})`
