import { type SQL, sql } from 'drizzle-orm'
import { badRequest } from '../../errors.ts'
import { each } from '../db/sql.ts'
import type { Search } from '../search.ts'
import type { Row } from '../table.ts'
import { entriesQuery, type Group, groupCondition } from './conditions.ts'

/** What a group of conditions on a dictionary comes to. */
export interface Keys {
  readonly group: Group
  /** The ids of its entries; null where they are too many to be listed: then it stays a condition. */
  readonly ids: readonly number[] | null
  /** How many rows the caller sees of them: exact where `counted`. */
  readonly rows: number
  readonly counted: boolean
  readonly condition: SQL
}

/** How many entries of a dictionary are listed by their ids. */
const MAX_ENTRIES = 1000
/** How many texts a regular expression is matched with here. */
const MAX_TEXTS = 100_000

const mostOf = ({ tests }: Group): number => (tests.length > 0 ? MAX_TEXTS : MAX_ENTRIES)

/** The query of the entries of a group, one more than are taken. */
export const keysQuery = ({ level }: Search, group: Group): SQL =>
  sql`${entriesQuery(group, level)} LIMIT ${mostOf(group) + 1}`

/** The keys that its answer gives, of a table of so many rows. */
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
    condition: sql`+${group.dictionary.key} IN (${each(ids)})`,
  }
}

/** The ids of the entries of a group, as a query. */
export const keysIn = (group: Group, level: number): SQL => sql`SELECT id FROM (${entriesQuery(group, level)})`
