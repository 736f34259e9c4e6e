import { type SQL, sql } from 'drizzle-orm'
import { at } from '../../base/collections.ts'
import type { FieldRef } from '../../question/condition.ts'
import type { Selection } from '../../question/question.ts'
import { MILLISECOND } from '../../question/range.ts'
import { type Crossed, type FoundEntries, summaryOf } from '../shared/summary/assemble.ts'
import { crossedStatisticsOf, refuseManyStatistics, tooManyStatistics } from '../shared/summary/crossed.ts'
import { distinctCounter, unlisted } from '../shared/summary/distinct.ts'
import { bump, type CountedGroups, crossedBins, histogram } from '../shared/summary/histogram.ts'
import { type SummaryStatistics, statisticsByBin, statisticsOf } from '../shared/summary/statistics.ts'
import { MAX_CROSSED_STATISTICS, type Shape, type Summary } from '../summaries.ts'
import { attributeIn } from './attributes.ts'
import { placesOf } from './cells.ts'
import { binOf, type Ends, NO_ENDS } from './clock.ts'
import { possibleEnds } from './decide.ts'
import { entriesIn, facetIn, type NumberedFacet } from './facets.ts'
import { epoch, fieldsOf } from './fields.ts'
import {
  exponentOf,
  type GroupRow,
  groupings,
  itself,
  type NumberTally,
  type SelectedColumns,
  type Take,
  tally,
} from './groups.ts'
import { type Matches, matchesOf, selectMatches } from './matches.ts'
import { finite } from './numbers.ts'
import {
  type BinRows,
  columnsOf,
  countedBy,
  isCoarse,
  namesOf,
  readGroups,
  readPass,
  type Scan,
  startIn,
  togetherBy,
  WEIGHT,
} from './scan.ts'
import type { Snapshot } from './snapshot.ts'
import { FENCE, named } from './sql.ts'

/**
 * Summarizes the matching rows. Numbers and different values are groups of many columns, so one scan counts them together with
 * bins and entries.
 */
export const readSummary = async (snapshot: Snapshot, selection: Selection, shape: Shape): Promise<Summary> => {
  const matches = await matchesOf(snapshot, 'events', selection)
  const ends = await endsFor(snapshot, selection, matches, shape)
  const asked = shape.by === null ? shape.facets : [...shape.facets, shape.by]
  const facets = asked.map((facet) => facetIn(snapshot, facet, shape, ends))
  const distinct = shape.distinct.map((field) => facetIn(snapshot, unlisted(field), shape, ends))
  const scan = { snapshot, matches, shape, columns: rowsColumns(snapshot, shape, ends) }
  const { counts, pairs, ...counted } = await countGroups(scan, facets, distinct)
  const entries = await entriesIn(snapshot, facets, counts, counted.statistics)
  const by = shape.by && (await readCrossed(scan, at(facets, -1), at(entries, -1), counted.groups, pairs))
  return summaryOf({ ...counted, facets: entries.slice(0, shape.facets.length), by })
}

/** Returns the ends that numbered bins or the clock of a zone need. */
const endsFor = (snapshot: Snapshot, selection: Selection, matches: Matches, { bins, zone }: Shape): Promise<Ends> => {
  if (typeof bins === 'number' && bins > 1) return endsOf(snapshot, matches)
  return zone === null ? Promise.resolve(NO_ENDS) : possibleEnds(snapshot, selection.where)
}

/**
 * Reads the first and the last start of the matches, in milliseconds since 1970. It counts them, so PostgreSQL reads them
 * as it does for their count. For `min` and `max` alone, it followed the index of starts: 13,000 matches took 10 s.
 */
const endsOf = async (snapshot: Snapshot, matches: Matches): Promise<Ends> => {
  const start = startIn(snapshot)
  const [least, greatest] = [epoch(sql`min(${start})`, MILLISECOND), epoch(sql`max(${start})`, MILLISECOND)]
  const columns = named({ rows: sql`count(*)`, least, greatest })
  const [[row]] = await snapshot.read(
    selectMatches<{ least: number | null; greatest: number | null }>(matches, columns),
  )
  return [row?.least ?? 0, row?.greatest ?? 0]
}

/** Writes a number of a row. It is null if it is not finite. */
const numberIn = ({ views }: Snapshot, field: FieldRef): SQL => {
  const number =
    typeof field === 'object' ? attributeIn(views, field.attribute).number : fieldsOf(views)('events', field).value
  return finite(sql`(${number})::float8`)
}

/** Counts all groups. */
const countGroups = async (scan: Scan, facets: readonly NumberedFacet[], distinct: readonly NumberedFacet[]) => {
  const { snapshot, matches, shape, columns } = scan
  const [keys, values] = [namesOf(facets, 'key'), namesOf(distinct, 'value')]
  const numbers = namesOf(shape.numbers, 'number')
  const counts = facets.map(() => new Map<number, number>())
  const useKey = (i: number, group: GroupRow) =>
    bump(at(counts, i), at(facets, i).keyOf(group[at(keys, i)]), group.rows)
  const counter = histogram(shape)
  const useBin = binUser(counter)
  const { take, read } = groupings(numbers)
  const tallies = numbers.map((number) => talliesOf(number, keys, facets, take))
  const noted = takeValues(values, distinct, keys, facets, take)
  const { part: cells, readBounds } = await placesOf(scan, counter.addCell)
  const pairs: GroupRow[] = []
  if (numbers.length + values.length === 0) {
    await readGroups(scan, facets, { bin: useBin.use, key: useKey, pair: (group) => pairs.push(group) }, cells)
  } else {
    take(['bin'], useBin.use)
    for (const [i, key] of keys.entries()) take([key], (group) => useKey(i, group))
    const all = { ...columns, ...columnsOf(keys, facets), ...columnsOf(values, distinct) }
    await read(snapshot, selectMatches(matches, named(all)))
    if (cells !== null) await readPass(scan, [cells])
  }
  const counted = counter.groups()
  const groups = { ...counted, count: counted.count + useBin.withoutStart() }
  const statistics = tallies.map(({ bins, entries }) => summarized(groups, bins, entries))
  return { groups, bounds: await readBounds(groups), counts, pairs, statistics, distinct: noted() }
}

/** Adds bins to a histogram, and counts the rows without a start. */
const binUser = ({ addStart }: ReturnType<typeof histogram>) => {
  let without = 0
  const use = ({ rows, least, greatest }: BinRows): void => {
    if (least === null || greatest === null) {
      without += rows
      return
    }
    addStart(rows, least)
    addStart(0, greatest)
  }
  return { use, withoutStart: () => without }
}

/** Notes the different values of some columns, in all rows and in each entry of each facet. */
const takeValues = (
  values: readonly string[],
  distinct: readonly NumberedFacet[],
  keys: readonly string[],
  facets: readonly NumberedFacet[],
  take: Take,
) => {
  const counter = distinctCounter(values.length, keys.length)
  for (const [i, value] of values.entries()) {
    const { keyOf } = at(distinct, i)
    take([value], (group) => counter.add(i, keyOf(group[value])))
    for (const [j, key] of keys.entries())
      take([key, value], (group) => counter.addTo(i, j, at(facets, j).keyOf(group[key]), keyOf(group[value])))
  }
  return counter.values
}

/** Returns the tallies of a number: those of the bins, and those of the entries of each facet. */
const talliesOf = (number: string, keys: readonly string[], facets: readonly NumberedFacet[], take: Take) => {
  const bins = new Map<number | null, NumberTally>()
  const entries = facets.map(() => new Map<number, NumberTally>())
  take(['bin', exponentOf(number)], (group) => tally(bins, group.least, group, number))
  for (const [i, key] of keys.entries())
    take([key, exponentOf(number)], (group) => {
      const id = at(facets, i).keyOf(group[key])
      if (id >= 0) tally(at(entries, i), id, group, number)
    })
  return { bins, entries }
}

/** Writes the columns of the rows that are grouped, except those of facets. */
const rowsColumns = (snapshot: Snapshot, shape: Shape, ends: Ends): SelectedColumns => {
  const numbers = shape.numbers.map((field, i) => [`number${i}`, numberIn(snapshot, field)])
  const start = startIn(snapshot)
  return { start, bin: binOf(start, shape, ends), ...Object.fromEntries(numbers) }
}

const summarized = (
  { binOf }: CountedGroups,
  starts: ReadonlyMap<number | null, NumberTally>,
  entries: readonly ReadonlyMap<number, NumberTally>[],
): SummaryStatistics => ({
  whole: statisticsOf([...starts.values()], itself),
  bins: statisticsByBin(
    Array.from(starts, ([start, each]) => [start === null ? null : binOf(start), each]),
    itself,
  ),
  facets: entries.map((tallies) => new Map(Array.from(tallies, ([key, each]) => [key, statisticsOf([each], itself)]))),
})

/**
 * Counts the rows of listed entries by their bins. `pairs` may have the groups of all entries and bins. Otherwise it reads
 * groups, and adds up the numbers of these entries and of all other rows. Throws a 400 if there are too many bins.
 */
const readCrossed = async (
  scan: Scan,
  by: NumberedFacet,
  found: FoundEntries,
  { binOf }: CountedGroups,
  pairs: readonly GroupRow[],
): Promise<Crossed> => {
  const { snapshot, matches, shape, columns } = scan
  const numbers = namesOf(shape.numbers, 'number')
  const stored = countedBy(scan, by)
  const ids = found.entries.map(({ id }) => id)
  const { bins, add } = crossedBins(ids)
  let added = 0
  const binIn = ({ least }: GroupRow): number | null => (least === null ? null : binOf(least))
  const usePair = (group: GroupRow): void => {
    const bin = binIn(group)
    if (bin !== null) add(by.keyOf(group.key), bin, group.rows)
  }
  if (areAll(pairs)) {
    pairs.forEach(usePair)
    return { found, bins, statistics: [] }
  }
  const tallies = numbers.map(() => new Map<number, Map<number | null, NumberTally>>())
  const { take, read } = groupings(numbers)
  take(['key', 'bin'], usePair)
  for (const [i, number] of numbers.entries())
    take(['key', 'bin', exponentOf(number)], (group) => {
      const [key, bin] = [by.keyOf(group.key), binIn(group)]
      const own = at(tallies, i).get(key) ?? new Map<number | null, NumberTally>()
      at(tallies, i).set(key, own)
      const { size } = own
      tally(own, bin, group, number)
      if (bin !== null) added += own.size - size
      if (added > MAX_CROSSED_STATISTICS) throw tooManyStatistics()
    })
  const listed = sql`(value)::text = ANY(${sql.param(ids.flatMap(by.textsOf))}::text[])`
  const placed = selectMatches(stored ?? matches, named({ ...columns, value: by.column, ...(stored && WEIGHT) }))
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
const areAll = (pairs: readonly GroupRow[]): boolean =>
  pairs.length > 0 && pairs.every(({ least, pair }) => least === null || pair !== null)
