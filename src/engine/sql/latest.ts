import { type SQL, sql } from 'drizzle-orm'
import type { CountedDictionary } from '../../filters/filter.ts'
import { all, NOTHING, within } from '../../filters/sql.ts'
import { isEmpty } from '../conditions/criteria.ts'
import type { Search } from '../conditions/search.ts'
import { indexOn } from '../conditions/table.ts'
import { fromIndex } from './columns.ts'

/**
 * Reads the id of the latest row of each entry of a dictionary, at the end of the entry's index. So the cost follows the
 * number of entries, unless many rows at that end do not match. The search has conditions on times and on this
 * dictionary only.
 */
export const latestQuery = (
  { table, access, level, criteria }: Search,
  { key, table: entries, id, counts }: CountedDictionary,
): SQL<{ readonly id: number }> => {
  const { start } = access.time
  const rows = fromIndex(table, indexOn(access, key, true))
  const spans = criteria.spans.map(({ column, extent }) => (isEmpty(extent) ? NOTHING : within(column, extent)))
  const matching = all([sql`${key} = entry.id`, ...spans])
  const named = criteria.groups.map(({ match }) => match)
  return sql`SELECT (SELECT max(${table.id}) FROM ${rows} WHERE ${all([matching, sql`${start} = entry.last`])}) AS id
    FROM (SELECT entry.id, (SELECT max(${start}) FROM ${rows} WHERE ${matching}) AS last
      FROM (SELECT ${id} AS id FROM ${entries} WHERE ${all([sql`${counts(level)} > 0`, ...named])}) AS entry) AS entry
    WHERE entry.last IS NOT NULL`
}
