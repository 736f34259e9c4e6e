import { type SQL, sql } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import type { CountedDictionary } from '../../filters/filter.ts'
import { all, inRanges } from '../../filters/sql.ts'
import { isPossible, type Search } from '../conditions/search.ts'
import { through } from '../events.ts'
import { coveringIndexOf } from './paths.ts'

/** Returns true if the index of the dictionary finds the latest rows. */
export const canSeek = (search: Search, of: CountedDictionary): boolean => {
  const { plain, ranges, groups, area, decided } = search
  return (
    plain.length === 0 &&
    area === null &&
    decided === null &&
    isPossible(search) &&
    [...ranges.keys()].every((column) => column === events.start || column === events.end) &&
    groups.every((group) => group.dictionary === of)
  )
}

/**
 * Reads the id of the latest row of each entry of a dictionary, at the end of the entry's index. So the cost follows the
 * number of entries, unless many rows at that end do not match. The search has conditions on times and on this
 * dictionary only.
 */
export const latestQuery = (
  { level, ranges, groups }: Search,
  { key, table: entries, id, counts }: CountedDictionary,
): SQL<{ readonly id: number }> => {
  const rows = through(coveringIndexOf(key, events.start))
  const matching = all([
    sql`${key} = entry.id`,
    ...Array.from(ranges, ([column, extents]) => inRanges(column, extents)),
  ])
  const named = groups.map(({ match }) => match)
  return sql`SELECT (SELECT max(${events.id}) FROM ${rows} WHERE ${all([matching, sql`${events.start} = entry.last`])}) AS id
    FROM (SELECT entry.id, (SELECT max(${events.start}) FROM ${rows} WHERE ${matching}) AS last
      FROM (SELECT ${id} AS id FROM ${entries} WHERE ${all([sql`${counts(level)} > 0`, ...named])}) AS entry) AS entry
    WHERE entry.last IS NOT NULL`
}
