import { type SQL, sql } from 'drizzle-orm'
import { badRequest } from '../../errors.ts'
import { numbersTable } from '../db/sql.ts'
import type { Search } from '../search.ts'
import type { Row } from '../table.ts'
import { entriesQuery, type Group, groupCondition } from './conditions.ts'

/** The dictionary entries that match a group of conditions. */
export interface Keys {
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

const mostOf = ({ tests }: Group): number => (tests.length > 0 ? MAX_TEXTS : MAX_ENTRIES)

/** Reads the entries of a group. The limit is one more than allowed, to notice if there are too many. */
export const keysQuery = ({ level }: Search, group: Group): SQL =>
  sql`${entriesQuery(group, level)} LIMIT ${mostOf(group) + 1}`

/** Builds the keys from that answer. `total` is the number of all rows. */
export const keysFrom = (group: Group, rows: readonly Row[], total: number): Keys => {
  if (rows.length > mostOf(group)) {
    if (group.tests.length > 0)
      throw badRequest(`There are more than ${MAX_TEXTS} texts to match. Use another lookup, such as icontains.`)
    return { group, ids: null, rows: total / 3, counted: false, condition: groupCondition(group) }
  }
  const entries = rows.filter(({ text }) => group.tests.every((test) => test(text)))
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
