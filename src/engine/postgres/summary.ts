import { type SQL, sql } from 'drizzle-orm'
import { at } from '../../base/collections.ts'
import { CELL_LEVELS, cellIn } from '../../geometry/cell.ts'
import type { Field } from '../../question/condition.ts'
import type { Selection } from '../../question/question.ts'
import { summaryOf } from '../shared/summary/assemble.ts'
import { boundsCounter } from '../shared/summary/bounds.ts'
import { distinctCounter, unlisted } from '../shared/summary/distinct.ts'
import { bump, type Groups, histogram } from '../shared/summary/histogram.ts'
import { type SummaryStatistics, statisticsByBin, statisticsOf } from '../shared/summary/statistics.ts'
import type { Shape, Summary } from '../summaries.ts'
import { cellIn as cellSql } from './area.ts'
import { attributeIn } from './attributes.ts'
import { binOf, type Ends } from './clock.ts'
import { readCrossed } from './crossed.ts'
import { type CountedFacet, entriesIn, facetIn } from './facets.ts'
import { fieldsOf, whole } from './fields.ts'
import { exponentOf, groupings, itself, type Numbers, type Take, tally } from './groups.ts'
import { type Matches, matchesOf, selectMatches } from './matches.ts'
import { finite } from './numbers.ts'
import type { Snapshot } from './snapshot.ts'
import { named } from './sql.ts'

/** Summarizes the matching rows. One scan finds their first and last start, and the next one counts all groups. */
export const readSummary = async (snapshot: Snapshot, selection: Selection, shape: Shape): Promise<Summary> => {
  const matches = await matchesOf(snapshot, 'events', selection)
  const ends = await endsOf(snapshot, matches)
  const asked = shape.by === null ? shape.facets : [...shape.facets, shape.by]
  const facets = asked.map((facet) => facetIn(snapshot, facet, shape, ends))
  const distinct = shape.distinct.map((field) => facetIn(snapshot, unlisted(field), shape, ends))
  const columns = rowsColumns(snapshot, shape, ends)
  const { counts, ...counted } = await countGroups(snapshot, matches, shape, columns, facets, distinct)
  const entries = await entriesIn(snapshot, facets, counts, counted.statistics)
  const scan = { snapshot, matches, columns, numbers: namesOf(shape.numbers, 'number') }
  const by = shape.by && (await readCrossed(scan, at(facets, -1), at(entries, -1), counted.groups))
  return summaryOf({ ...counted, facets: entries.slice(0, shape.facets.length), by })
}

/** Writes the start of a row. It is null if answers show none: the row is counted, but it is in no bin. */
const startIn = ({ views }: Snapshot): SQL => whole(fieldsOf(views)('events', 'start'))

/**
 * Reads the first and the last start of the matches, in milliseconds since 1970. It counts them, so PostgreSQL reads them
 * as it does for their count. For `min` and `max` alone, it followed the index of starts: 13,000 matches took 10 s.
 */
const endsOf = async (snapshot: Snapshot, matches: Matches): Promise<Ends> => {
  const start = startIn(snapshot)
  const milliseconds = (end: SQL) => sql`floor(extract(epoch FROM ${end}(${start})) * 1000)::bigint`
  const columns = named({ rows: sql`count(*)`, least: milliseconds(sql`min`), greatest: milliseconds(sql`max`) })
  const [[row]] = await snapshot.read(
    selectMatches<{ least: number | null; greatest: number | null }>(matches, columns),
  )
  return [row?.least ?? 0, row?.greatest ?? 0]
}

/** Writes a number of a row. It is null if it is not finite. */
const numberIn = ({ views }: Snapshot, field: Field): SQL => {
  const number =
    typeof field === 'object' ? attributeIn(views, field.attribute).number : fieldsOf(views)('events', field).value
  return finite(sql`(${number})::float8`)
}

const namesOf = (list: readonly unknown[], name: string): readonly string[] => list.map((_, i) => `${name}${i}`)

/** Counts all groups in one scan. */
const countGroups = async (
  snapshot: Snapshot,
  matches: Matches,
  shape: Shape,
  shown: Readonly<Record<string, SQL>>,
  facets: readonly CountedFacet[],
  distinct: readonly CountedFacet[],
) => {
  const [keys, values] = [namesOf(facets, 'key'), namesOf(distinct, 'value')]
  const numbers = namesOf(shape.numbers, 'number')
  const { take, read } = groupings(['bin', 'cell', ...keys, ...values, ...numbers.map(exponentOf)], numbers)
  const places = takePlaces(shape, take)
  const counts = facets.map(() => new Map<number, number>())
  for (const [i, key] of keys.entries())
    take([key], (group) => bump(at(counts, i), at(facets, i).keyOf(group[key]), group.rows))
  const tallies = numbers.map((number) => talliesOf(number, keys, facets, take))
  const noted = takeValues(values, distinct, keys, facets, take)
  const columns = { ...shown, ...columnsOf(keys, facets), ...columnsOf(values, distinct) }
  // The fence keeps PostgreSQL from computing the coordinates for each use.
  const placed = sql`SELECT *, ${cellSql(shape.level)} AS cell
    FROM (${selectMatches(matches, named(columns))} OFFSET 0) AS placed`
  await read(snapshot, placed)
  const groups = places.groups()
  const statistics = tallies.map(({ bins, entries }) => summarized(groups, bins, entries))
  return { groups, bounds: places.bounds(groups), counts, statistics, distinct: noted() }
}

const columnsOf = (names: readonly string[], facets: readonly CountedFacet[]): Readonly<Record<string, SQL>> =>
  Object.fromEntries(names.map((name, i) => [name, at(facets, i).column]))

/** Counts the rows by bin and by cell. */
const takePlaces = (shape: Shape, take: Take) => {
  const counter = histogram(shape)
  const places = boundsCounter(shape.level)
  let withoutStart = 0
  take(['bin'], ({ rows, least, greatest }) => {
    if (least === null || greatest === null) {
      withoutStart += rows
      return
    }
    counter.addStart(rows, least)
    counter.addStart(0, greatest)
  })
  take(['cell'], (group) => {
    const { cell, rows, west, south, east, north } = group
    if (cell === null || west === null || south === null || east === null || north === null) return
    counter.addCell(rows, finestOf(Number(cell), shape.level))
    places.add(west, south)
    places.add(east, north)
  })
  const groups = (): Groups => {
    const counted = counter.groups()
    return { ...counted, count: counted.count + withoutStart }
  }
  return { groups, bounds: places.bounds }
}

/** Notes the different values of some columns, in all rows and in each entry of each facet. */
const takeValues = (
  values: readonly string[],
  distinct: readonly CountedFacet[],
  keys: readonly string[],
  facets: readonly CountedFacet[],
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
const talliesOf = (number: string, keys: readonly string[], facets: readonly CountedFacet[], take: Take) => {
  const bins = new Map<number | null, Numbers>()
  const entries = facets.map(() => new Map<number, Numbers>())
  take(['bin', exponentOf(number)], (group) => tally(bins, group.least, group, number))
  for (const [i, key] of keys.entries())
    take([key, exponentOf(number)], (group) => {
      const id = at(facets, i).keyOf(group[key])
      if (id >= 0) tally(at(entries, i), id, group, number)
    })
  return { bins, entries }
}

/** Writes the columns of the rows that are grouped, except those of facets. */
const rowsColumns = (snapshot: Snapshot, shape: Shape, ends: Ends): Readonly<Record<string, SQL>> => {
  const numbers = shape.numbers.map((field, i) => [`number${i}`, numberIn(snapshot, field)])
  return {
    start: startIn(snapshot),
    x: fieldsOf(snapshot.views)('events', 'x').value,
    y: fieldsOf(snapshot.views)('events', 'y').value,
    bin: binOf(startIn(snapshot), shape, ends),
    ...Object.fromEntries(numbers),
  }
}

const SIDE = 2 ** CELL_LEVELS

/** Returns the number of the first finest cell in a cell of a level. */
const finestOf = (cell: number, level: number): number => {
  const size = 2 ** (CELL_LEVELS - level)
  return cellIn(Math.floor(cell / SIDE) * size, (cell % SIDE) * size)
}

const summarized = (
  { binOf }: Groups,
  starts: ReadonlyMap<number | null, Numbers>,
  entries: readonly ReadonlyMap<number, Numbers>[],
): SummaryStatistics => ({
  whole: statisticsOf([...starts.values()], itself),
  bins: statisticsByBin(
    Array.from(starts, ([start, each]) => [start === null ? null : binOf(start), each]),
    itself,
  ),
  facets: entries.map((tallies) => new Map(Array.from(tallies, ([key, each]) => [key, statisticsOf([each], itself)]))),
})
