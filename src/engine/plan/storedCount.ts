import { type SQL, sql } from 'drizzle-orm'
import { all, asCount, type ColumnRange, integerOf } from '../../filters/sql.ts'
import type { Facts } from '../candidates/facts.ts'
import { byClass, type Path } from '../candidates/paths.ts'
import { ANY, type TimeBounds, timeBounds } from '../conditions/bounds.ts'
import { asksOnlyArea, extentOf } from '../conditions/criteria.ts'
import type { Statistics } from '../run/cache.ts'
import { type Search, totalQuery } from '../search.ts'
import { countInIds, countInTime } from '../sql/counts.ts'

/**
 * Returns a query that reads the count from stored counts. They exist for all rows, for entries of one dictionary, for
 * ids and for times. Returns null for other conditions.
 */
export const storedCount = (
  search: Search,
  { keys, bounds, region }: Pick<Facts, 'keys' | 'bounds' | 'region'>,
): SQL | null => {
  const { criteria, access, table, level } = search
  const { plain, spans, lists } = criteria
  if (!bounds.possible) return asCount(sql`0`)
  if (region !== null || plain.length + lists.length > 0) return null
  if (asksOnlyArea(criteria)) return totalQuery(search)
  const [key] = keys
  if (keys.length === 1 && spans.length === 0) return key?.counted === true ? asCount(integerOf(key.rows)) : null
  const [span] = spans
  if (keys.length === 0 && spans.length === 1 && span?.column === table.id)
    return asCount(countInIds(table, access, span.extent, level))
  const { start, end } = access.time
  if (keys.length > 0 || spans.some(({ column }) => column !== start && column !== end)) return null
  return countOfTime(search, extentOf(criteria, start), extentOf(criteria, end), (tree, extent) =>
    countInTime(table, access, tree, extent, level),
  )
}

/** Tests with stored counts if the caller sees any start and any end within the bounds. Returns null without bounds. */
const anyInBounds = ({ table, access, level }: Search, bounds: TimeBounds): SQL | null => {
  const trees = (['start', 'end'] as const).filter((tree) => bounds[tree].some((bound) => bound !== null))
  if (trees.length === 0) return null
  return all(trees.map((tree) => sql`${countInTime(table, access, tree, bounds[tree], level)} > 0`))
}

/** A path with more expected rows than this is entered without that test. */
const MAX_CHECKED = 1000

/**
 * Returns a path that reads nothing if the caller sees no row in these times. Otherwise the response time would reveal
 * hidden rows.
 */
export const unlessEmpty = (search: Search, { statistics, bounds }: Facts, path: Path): Path => {
  const isSeen = path.keys?.group.dictionary.key === search.access.owner
  if (search.visible === null || isSeen || (byClass(search, bounds, statistics)?.rows ?? Infinity) > MAX_CHECKED)
    return path
  const anySeen = anyInBounds(search, bounds)
  return anySeen === null
    ? path
    : { ...path, source: sql`(SELECT 1 WHERE ${anySeen}) AS something CROSS JOIN ${path.source}` }
}

/**
 * Counts by start and end, because no row ends before it starts. An overlap has the rows that start early enough, minus
 * the rows that end too early. A period has the rows that start in it, minus the rows that end later. Returns null for
 * other combinations.
 */
const countOfTime = (
  search: Search,
  start: ColumnRange,
  end: ColumnRange,
  count: (tree: 'start' | 'end', extent: ColumnRange) => SQL,
): SQL | null => {
  if (end.every((bound) => bound === null)) return asCount(count('start', start))
  if (start.every((bound) => bound === null)) return asCount(count('end', end))
  const [first, before] = start
  const [after, last] = end
  if (first === null && last === null && before !== null && after !== null && after <= before + 1n)
    return asCount(sql`${count('start', start)} - (${count('end', [null, after - 1n])})`)
  if (before !== null || after !== null || first === null || last === null) return null
  const endsLater = timeBounds([first, last], [last + 1n, null], ANY)
  const path = byClass(search, endsLater, NOTHING_KNOWN)
  const lateRows = all([path?.enter ?? null, search.visible, sql`${search.access.time.end} > ${sql.raw(String(last))}`])
  return (
    path && asCount(sql`${count('start', [first, last])} - (SELECT count(*) FROM ${path.source} WHERE ${lateRows})`)
  )
}

const NOTHING_KNOWN: Statistics = { total: 0, inCells: () => 0, inStart: () => 0, inId: () => 0, inClass: () => 0 }
