import { at } from '../../collections.ts'
import { numberOf } from '../../filters/sql.ts'
import { type TimeBounds, timeBounds } from '../conditions/bounds.ts'
import { type Criteria, extentOf } from '../conditions/criteria.ts'
import type { Access } from '../conditions/table.ts'
import type { Statistics } from '../run/cache.ts'
import type { Search } from '../search.ts'
import { type LookedUpRows, lookUp } from './columns.ts'
import { keysFrom, keysQueries, type MatchingEntries } from './keys.ts'
import { outlineOf, type Region, regionOf } from './region.ts'
import { statisticsOf } from './statistics.ts'

/**
 * The planner decides with these facts: statistics, matching dictionary entries, time bounds, and cells of the area.
 */
export interface Facts {
  readonly statistics: Statistics
  readonly keys: readonly MatchingEntries[]
  readonly bounds: TimeBounds
  readonly rowsByColumn: LookedUpRows
  /** The cells of the area. Null without an area. */
  readonly region: Region | null
}

/**
 * Reads the facts for a plan. It takes one round trip, and another one if the statistics are stale. Long texts for
 * regular expressions take more.
 */
export const factsOf = async (search: Search): Promise<Facts> => {
  const { criteria, access, read, level } = search
  const { groups, area } = criteria
  const statistics = await statisticsOf(search)
  const outline = area && outlineOf(search, area, statistics)
  const lookedUp = criteria.spans.filter(({ column }) => access.lookedUp.includes(column))
  const queries = [
    ...lookedUp.map((span) => lookUp(search, span)),
    ...keysQueries(groups, level),
    ...(outline ? [outline.nodes] : []),
  ]
  const answers = queries.length === 0 ? [] : await read(...queries)
  const entries = answers.slice(lookedUp.length)
  const keys: MatchingEntries[] = []
  // The groups are read one after the other, because each may bring 8 MB of texts.
  for (const [i, group] of groups.entries())
    keys.push(await keysFrom(read, group, at(entries, i), statistics.total, level))
  return {
    statistics,
    keys,
    bounds: boundsOf(criteria, access),
    rowsByColumn: new Map(lookedUp.map(({ column }, i) => [column, numberOf(at(answers, i))])),
    region: outline && regionOf(search, outline, at(entries, groups.length), statistics),
  }
}

/** Returns the bounds that the conditions set on the time of every match. */
export const boundsOf = (criteria: Criteria, { time }: Access): TimeBounds =>
  timeBounds(extentOf(criteria, time.start), extentOf(criteria, time.end), extentOf(criteria, time.duration))
