import { type SQL, sql } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import { numberAt } from '../../base/collections.ts'
import type { RowReader } from './database.ts'
import { withoutArea } from './decideArea.ts'
import { decideTexts } from './decideTexts.ts'
import type { CountedDictionary } from './dictionaries.ts'
import { coveringIndexOf, through } from './indexes.ts'
import { decideLookUps } from './lookUp.ts'
import { eachMatch } from './matches.ts'
import { hasNoArea, isPossible, type List, onlyIds, type Search } from './search.ts'
import { all, inRanges } from './sql.ts'

/** Replaces conditions that depend on more than one row or on texts by the ids of the rows that meet them. */
export const decideRows = async (read: RowReader, asked: Search, page: List | null = null): Promise<Search> => {
  const { entries, latest, lookUps, tests } = asked
  if (latest === null && tests.length + lookUps.length === 0 && entries.every(({ test }) => test === undefined))
    return asked
  // The latest rows follow from all matches, and not from one page.
  const search = await decideTexts(read, await decideLookUps(read, asked), latest === null ? page : null)
  if (latest === null) return search
  const matching = { ...search, latest: null }
  const ids = canSeek(matching, latest)
    ? (await read(latestQuery(matching, latest)))[0].map(({ id }) => id)
    : await latestMatches(read, matching, latest)
  return onlyIds(matching, ids)
}

/** Reads all matches, and returns the ids of the latest ones. */
const latestMatches = async (
  read: RowReader,
  asked: Search,
  { key }: CountedDictionary,
): Promise<readonly number[]> => {
  const search = await withoutArea(read, asked)
  const latest = new Map<number, readonly [start: number, id: number]>()
  const columns = [sql`${key}`, sql`${events.start}`, sql`${events.id}`]
  await eachMatch(read, search, columns, (numbers, offset) => {
    const entry = numberAt(numbers, offset)
    const [start, id] = [numberAt(numbers, offset + 1), numberAt(numbers, offset + 2)]
    const [last, lastId] = latest.get(entry) ?? [Number.NEGATIVE_INFINITY, 0]
    if (start > last || (start === last && id > lastId)) latest.set(entry, [start, id])
  })
  return Array.from(latest.values(), ([, id]) => id)
}

/** Returns true if the index of the dictionary finds the latest rows. */
const canSeek = (search: Search, of: CountedDictionary): boolean =>
  search.plain.length === 0 &&
  hasNoArea(search) &&
  isPossible(search) &&
  [...search.ranges.keys()].every((column) => column === events.start || column === events.end) &&
  search.entries.every(({ dictionary }) => dictionary === of)

/**
 * Reads the id of the latest row of each entry of a dictionary, at the end of the entry's index. So the cost follows the
 * number of entries, unless many rows at that end do not match. The search has conditions on times and on this
 * dictionary only.
 */
const latestQuery = (
  { level, ranges, entries }: Search,
  { key, table, id, counts }: CountedDictionary,
): SQL<{ readonly id: number }> => {
  const rows = through(coveringIndexOf(key, events.start))
  const matching = all([
    sql`${key} = entry.id`,
    ...Array.from(ranges, ([column, extents]) => inRanges(column, extents)),
  ])
  const named = entries.map(({ match }) => match.sql)
  return sql`SELECT (SELECT max(${events.id}) FROM ${rows} WHERE ${all([matching, sql`${events.start} = entry.last`])}) AS id
    FROM (SELECT entry.id, (SELECT max(${events.start}) FROM ${rows} WHERE ${matching}) AS last
      FROM (SELECT ${id} AS id FROM ${table} WHERE ${all([sql`${counts(level)} > 0`, ...named])}) AS entry) AS entry
    WHERE entry.last IS NOT NULL`
}
