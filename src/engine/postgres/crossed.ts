import { sql } from 'drizzle-orm'
import { at } from '../../base/collections.ts'
import type { Crossed, FoundEntries } from '../shared/summary/assemble.ts'
import { crossedStatisticsOf, refuseManyStatistics, tooManyStatistics } from '../shared/summary/crossed.ts'
import { bump, type Groups, tooManyCrossed } from '../shared/summary/histogram.ts'
import { MAX_CROSSED_BINS, MAX_CROSSED_STATISTICS } from '../summaries.ts'
import type { CountedFacet } from './facets.ts'
import { exponentOf, type Group, groupings, itself, type Numbers, tally } from './groups.ts'
import { selectMatches } from './matches.ts'
import { countedBy, isCoarse, namesOf, type Scan, togetherBy, WEIGHT } from './scan.ts'
import { FENCE, named } from './sql.ts'

/**
 * Counts the rows of listed entries by their bins. `pairs` may have the groups of all entries and bins. Otherwise it reads
 * groups, and adds up the numbers of these entries and of all other rows. Throws a 400 if there are too many bins.
 */
export const readCrossed = async (
  scan: Scan,
  by: CountedFacet,
  found: FoundEntries,
  { binOf }: Groups,
  pairs: readonly Group[],
): Promise<Crossed> => {
  const { snapshot, matches, shape, columns } = scan
  const numbers = namesOf(shape.numbers, 'number')
  const stored = countedBy(scan, by)
  const ids = found.entries.map(({ id }) => id)
  const bins = new Map(ids.map((id) => [id, new Map<number, number>()]))
  let [counted, added] = [0, 0]
  const binIn = ({ least }: Group): number | null => (least === null ? null : binOf(least))
  const usePair = (group: Group): void => {
    const [own, bin] = [bins.get(by.keyOf(group.key)), binIn(group)]
    if (own === undefined || bin === null) return
    if (!own.has(bin)) counted += 1
    if (counted > MAX_CROSSED_BINS) throw tooManyCrossed()
    bump(own, bin, group.rows)
  }
  if (areAll(pairs)) {
    pairs.forEach(usePair)
    return { found, bins, statistics: [] }
  }
  const tallies = numbers.map(() => new Map<number, Map<number | null, Numbers>>())
  const { take, read } = groupings(numbers)
  take(['key', 'bin'], usePair)
  for (const [i, number] of numbers.entries())
    take(['key', 'bin', exponentOf(number)], (group) => {
      const [key, bin] = [by.keyOf(group.key), binIn(group)]
      const own = at(tallies, i).get(key) ?? new Map<number | null, Numbers>()
      at(tallies, i).set(key, own)
      const { size } = own
      tally(own, bin, group, number)
      if (bin !== null) added += own.size - size
      if (added > MAX_CROSSED_STATISTICS) throw tooManyStatistics()
    })
  const listed = sql`(value)::text = ANY(${sql.param(ids.flatMap(by.textsOf))}::text[])`
  const all = { ...columns, value: by.column, ...(stored && WEIGHT) }
  const placed = selectMatches(stored ?? matches, named(all))
  // Groups are fewer than rows, so fewer values are tested.
  const isGrouped = stored === null && numbers.length === 0 && isCoarse(by)
  const values = isGrouped ? togetherBy({ value: sql`value`, bin: sql`bin` }, placed) : sql`${placed} ${FENCE}`
  // All other rows have the key null. The fence keeps PostgreSQL from reading a value out of JSON for each use.
  const rows = sql`SELECT *, CASE WHEN ${listed} THEN value END AS key FROM (${values}) AS placed`
  await read(snapshot, rows, stored !== null || isGrouped)
  const statistics = tallies.map((each) => crossedStatisticsOf(each, ids, itself))
  refuseManyStatistics(statistics)
  return { found, bins, statistics }
}

/** Tests if groups of an earlier pass tell all pairs. A group without a start is in no bin. */
const areAll = (pairs: readonly Group[]): boolean =>
  pairs.length > 0 && pairs.every(({ least, pair }) => least === null || pair !== null)
