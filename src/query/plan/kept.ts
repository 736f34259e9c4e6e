import { type SQL, sql } from 'drizzle-orm'
import type { Extent } from '../../filters/lookups.ts'
import type { Statistics } from '../db/cache.ts'
import { countInIds, countInTime } from '../db/counts.ts'
import { all, asCount, integerOf } from '../db/sql.ts'
import { type Search, totalQuery } from '../search.ts'
import { ANY, type TimeBounds, timeBounds } from './bounds.ts'
import { asksOnlyArea, extentOf } from './conditions.ts'
import type { Facts } from './facts.ts'
import { byClass, type Path } from './paths.ts'

/** The count where it is kept: of everything, of entries of one dictionary, of ids, of a time. */
export const keptCount = (
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

/** Whether the caller sees anything that starts and anything that ends in time, by kept counts; null where any time will do. */
const isAnythingIn = ({ table, access, level }: Search, bounds: TimeBounds): SQL | null => {
  const asked = (['start', 'end'] as const).filter((tree) => bounds[tree].some((bound) => bound !== null))
  if (asked.length === 0) return null
  return all(asked.map((tree) => sql`${countInTime(table, access, tree, bounds[tree], level)} > 0`))
}

/** Up to how many rows of a time, as far as is known, it is asked first whether there are any. */
const MAYBE_NONE = 1000

/** A path that is not entered where the caller sees nothing in the time that is asked for: what is hidden there takes no time. */
export const whereSomethingIs = (search: Search, { statistics, bounds }: Facts, path: Path): Path => {
  const isSeen = path.keys?.group.dictionary.key === search.access.owner
  if (search.visible === null || isSeen || (byClass(search, bounds, statistics)?.rows ?? Infinity) > MAYBE_NONE)
    return path
  const isAny = isAnythingIn(search, bounds)
  return isAny === null
    ? path
    : { ...path, source: sql`(SELECT 1 WHERE ${isAny}) AS something CROSS JOIN ${path.source}` }
}

/**
 * Counts by start and end without reading what is counted, as no row ends before it starts: an overlap is what starts in
 * time less what ends too early; a period what starts in it less what ends after it. Null for other combinations.
 */
const countOfTime = (
  search: Search,
  start: Extent,
  end: Extent,
  count: (tree: 'start' | 'end', extent: Extent) => SQL,
): SQL | null => {
  if (end.every((bound) => bound === null)) return asCount(count('start', start))
  if (start.every((bound) => bound === null)) return asCount(count('end', end))
  const [first, before] = start
  const [after, last] = end
  if (first === null && last === null && before !== null && after !== null && after <= before + 1n)
    return asCount(sql`${count('start', start)} - (${count('end', [null, after - 1n])})`)
  if (before !== null || after !== null || first === null || last === null) return null
  const beyond = timeBounds([first, last], [last + 1n, null], ANY)
  const path = byClass(search, beyond, NOTHING_KNOWN)
  const late = all([path?.enter ?? null, search.visible, sql`${search.access.time.end} > ${sql.raw(String(last))}`])
  return path && asCount(sql`${count('start', [first, last])} - (SELECT count(*) FROM ${path.source} WHERE ${late})`)
}

const NOTHING_KNOWN: Statistics = { total: 0, inCells: () => 0, inStart: () => 0, inId: () => 0, inClass: () => 0 }
