import { at, numberAt } from '../../../base/collections.ts'
import { countTallies } from '../../../base/work.ts'
import { cellOf, NOWHERE } from '../../../geometry/cell.ts'
import type { Selection } from '../../../question/question.ts'
import { summaryOf } from '../../shared/summary/assemble.ts'
import { boundsCounter } from '../../shared/summary/bounds.ts'
import { distinctCounter, unlisted } from '../../shared/summary/distinct.ts'
import { bump, histogram } from '../../shared/summary/histogram.ts'
import type { SummaryStatistics } from '../../shared/summary/statistics.ts'
import { MAX_CROSSED_STATISTICS, type Shape, type Summary } from '../../summaries.ts'
import { admit } from '../admit.ts'
import type { Database } from '../database.ts'
import { decide } from '../decide.ts'
import { withoutArea } from '../decideArea.ts'
import { planOf } from '../plan.ts'
import { asksNothing, searchOf } from '../search.ts'
import { tableOf } from '../tables.ts'
import { binCrossing, numberCrossing, readCrossed } from './crossed.ts'
import { readEverything } from './everything.ts'
import { type CountedFacet, countedEntries, facetOf, isStored } from './facets.ts'
import { type EachNumber, NO_PLACE, numberFieldOf, numbersOf, PLACE, readStatistics, START } from './statistics.ts'

/**
 * Summarizes the matching rows that the caller sees. Without filters it reads stored counts. With filters it
 * reads every match once in a compact form and counts it here. It reads the rows with a number once more for each column
 * of numbers, but attributes only once. Throws a 400 for too many bins.
 */
export const fetchSummary = async (db: Database, selection: Selection, shape: Shape): Promise<Summary> => {
  const { read } = db
  const facets = shape.facets.map((facet) => facetOf(facet, shape.zone))
  const by = shape.by && facetOf(shape.by, shape.zone)
  const distinct = shape.distinct.map((field) => facetOf(unlisted(field), null))
  const asked = searchOf(tableOf('events', []), selection, db.level)
  const search = await withoutArea(read, await decide(read, asked))
  await admit(read, planOf(search, read.estimates(), null))
  // Nodes are longer than an hour.
  const isAll = asksNothing(search) && by === null && distinct.length === 0 && shape.bins !== 'hour'
  const areStored = facets.every((facet) => isStored(facet) && typeof facet.order.by === 'string')
  const stored = isAll && areStored ? await readEverything(read, search, shape, facets.filter(isStored)) : null
  const grouped = by === null ? facets : [...facets, by]
  const fields = shape.numbers.map((field) => numberFieldOf(search, field))
  const columns = [...PLACE, START, ...grouped, ...distinct, ...fields.map(({ column }) => column)]
  const each = await numbersOf(read, search, columns)
  const counted = stored ?? (await countEachMatch(each, shape, grouped, by, distinct))
  const { groups, bounds } = counted
  // All of them together have room for an answer.
  const share = Math.floor(MAX_CROSSED_STATISTICS / Math.max(1, fields.length))
  const crossings = by === null ? [] : fields.map(() => numberCrossing(share))
  const statistics: SummaryStatistics[] = []
  for (const [i, field] of fields.entries())
    statistics.push(await readStatistics(each, field, grouped, groups.binOf, crossings[i] ?? null))
  if ('facets' in counted) return summaryOf({ ...counted, by: null, statistics, distinct: [] })
  const entries = await countedEntries(read, search.level, grouped, counted.counts, statistics)
  const first = { bins: counted.crossed, numbers: crossings }
  const crossed = by && (await readCrossed(each, by, at(entries, -1), fields, groups, first))
  return summaryOf({
    groups,
    bounds,
    facets: entries.slice(0, facets.length),
    by: crossed,
    statistics,
    distinct: counted.distinct,
  })
}

/** Counts the matches row by row. The last of the grouped facets is `by`, unless it is null. */
const countEachMatch = async (
  each: EachNumber,
  shape: Shape,
  grouped: readonly CountedFacet[],
  by: CountedFacet | null,
  distinct: readonly CountedFacet[],
) => {
  const { add, groups: counted } = histogram(shape)
  const counts = grouped.map(() => new Map<number, number>())
  const crossing = binCrossing(shape)
  const places = boundsCounter(shape.level)
  const values = distinctCounter(distinct.length, grouped.length)
  const keys = new Float64Array(grouped.length)
  const [firstKey, firstValue] = [3, 3 + grouped.length] // after the place and the start
  await each([...PLACE, START, ...grouped, ...distinct], (numbers, offset) => {
    const [x, y, start] = [numberAt(numbers, offset), numberAt(numbers, offset + 1), numberAt(numbers, offset + 2)]
    add(start, x === NO_PLACE ? NOWHERE : cellOf(x, y))
    if (x !== NO_PLACE) places.add(x, y)
    countTallies(counts.length * (1 + distinct.length) + distinct.length)
    counts.forEach((entries, i) => {
      const key = at(grouped, i).keyOf(numberAt(numbers, offset + firstKey + i))
      keys[i] = key
      bump(entries, key, 1)
      if (grouped[i] === by) crossing.add(start, key)
    })
    for (let i = 0; i < distinct.length; i++) {
      const value = at(distinct, i).keyOf(numberAt(numbers, offset + firstValue + i))
      values.add(i, value)
      for (let facet = 0; facet < keys.length; facet++) values.addTo(i, facet, numberAt(keys, facet), value)
    }
  })
  const groups = counted()
  return {
    groups,
    bounds: places.bounds(groups),
    counts,
    crossed: by && crossing.bins(groups),
    distinct: values.values(),
  }
}
