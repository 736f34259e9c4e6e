import { type SQL, sql } from 'drizzle-orm'
import { at } from '../../base/collections.ts'
import { CELL_LEVELS, cellIn } from '../../geometry/cell.ts'
import type { Field } from '../../question/condition.ts'
import type { Selection } from '../../question/question.ts'
import { MAX_CROSSED_BINS } from '../limits.ts'
import {
  type CrossedBins,
  crossedOf,
  type SummaryStatistics,
  statisticsOf,
  summaryOf,
  type Tally,
} from '../shared/summary/assemble.ts'
import { boundsCounter } from '../shared/summary/bounds.ts'
import { bump, type Groups, histogram, tooManyBins } from '../shared/summary/histogram.ts'
import type { Shape, Summary } from '../summaries.ts'
import { cellIn as cellSql } from './area.ts'
import { attributeIn } from './attributes.ts'
import { binOf, type Ends } from './clock.ts'
import { type CountedFacet, entriesIn, facetIn } from './facets.ts'
import { fieldsOf, whole } from './fields.ts'
import { bitsOf, exponentOf, type Group, groupsOf, unitsOf } from './groups.ts'
import { type Matches, matchesOf, selectMatches } from './matches.ts'
import { finite } from './numbers.ts'
import type { Snapshot } from './snapshot.ts'
import { integer, named } from './sql.ts'

/** Summarizes the matching rows. One scan finds their first and last start, and the next one counts all groups. */
export const readSummary = async (snapshot: Snapshot, selection: Selection, shape: Shape): Promise<Summary> => {
  const matches = await matchesOf(snapshot, 'events', selection)
  const ends = await endsOf(snapshot, matches)
  const bin = binOf(startIn(snapshot), shape, ends)
  const asked = shape.by === null ? shape.facets : [...shape.facets, shape.by]
  const facets = asked.map((facet) => facetIn(snapshot, facet, shape, ends))
  const { groups, bounds, counts, statistics } = await countGroups(snapshot, matches, shape, bin, facets)
  const entries = await entriesIn(snapshot, facets, counts, statistics)
  if (shape.by === null) return summaryOf({ groups, bounds }, { facets: entries, crossed: null }, statistics)
  const [by, listed] = [at(facets, -1), at(entries, -1)]
  const ids = listed.entries.map(({ id }) => id)
  const crossed = crossedOf(groups, listed, await crossGroups(snapshot, matches, by, ids, bin, groups))
  return summaryOf({ groups, bounds }, { facets: entries.slice(0, -1), crossed }, statistics)
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

/** Counts all groups in one scan. */
const countGroups = async (
  snapshot: Snapshot,
  matches: Matches,
  shape: Shape,
  bin: SQL,
  facets: readonly CountedFacet[],
) => {
  const keys = facets.map((_, i) => `key${i}`)
  const numbers = shape.numbers.map((_, i) => `number${i}`)
  const columns = ['bin', 'cell', ...keys, ...numbers.map(exponentOf)]
  const counter = histogram(shape)
  const places = boundsCounter(shape.level)
  const counts = facets.map(() => new Map<number, number>())
  const takes = new Map<number, (group: Group) => void>()
  const sets: (readonly string[])[] = []
  const take: Take = (set, use) => {
    sets.push(set)
    takes.set(bitsOf(columns, set), use)
  }
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
  for (const [i, key] of keys.entries())
    take([key], (group) => bump(at(counts, i), at(facets, i).keyOf(group[key]), group.rows))
  const tallies = numbers.map((number) => talliesOf(number, keys, facets, take))
  const placed = selectMatches(matches, rowsColumns(snapshot, shape, bin, facets))
  // The fence keeps PostgreSQL from computing the coordinates for each use.
  const rows = sql`SELECT *, ${cellSql(shape.level)} AS cell FROM (${placed} OFFSET 0) AS placed`
  await snapshot.each(groupsOf(rows, columns, numbers, sets), (group) => takes.get(group.set)?.(group))
  const counted = counter.groups()
  const groups = { ...counted, count: counted.count + withoutStart }
  const statistics = tallies.map(({ bins, entries }) => summarized(groups, bins, entries))
  return { groups, bounds: places.bounds(groups), counts, statistics }
}

/** Groups rows by a set of columns, and gives each group to a function. */
type Take = (set: readonly string[], use: (group: Group) => void) => void

type Numbers = Tally<bigint>

/** A sum is a multiple of the least double already. */
const itself = (units: bigint): bigint => units

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

/** Writes the columns of the rows that are grouped. */
const rowsColumns = (snapshot: Snapshot, shape: Shape, bin: SQL, facets: readonly CountedFacet[]): SQL =>
  named({
    start: startIn(snapshot),
    x: fieldsOf(snapshot.views)('events', 'x').value,
    y: fieldsOf(snapshot.views)('events', 'y').value,
    bin,
    ...Object.fromEntries(facets.map(({ column }, i) => [`key${i}`, column])),
    ...Object.fromEntries(shape.numbers.map((field, i) => [`number${i}`, numberIn(snapshot, field)])),
  })

const SIDE = 2 ** CELL_LEVELS

/** Returns the number of the first finest cell in a cell of a level. */
const finestOf = (cell: number, level: number): number => {
  const size = 2 ** (CELL_LEVELS - level)
  return cellIn(Math.floor(cell / SIDE) * size, (cell % SIDE) * size)
}

/** Adds a group of numbers with one exponent. */
const tally = <K>(tallies: Map<K, Numbers>, key: K, group: Group, number: string): void => {
  const exponent = group[exponentOf(number)]
  if (exponent === null) return
  const [min, max] = [Number(group[`${number}_least`]), Number(group[`${number}_greatest`])]
  const known = tallies.get(key) ?? { count: 0, min, max, sum: 0n }
  tallies.set(key, known)
  known.count += group.rows
  known.min = Math.min(known.min, min)
  known.max = Math.max(known.max, max)
  known.sum += unitsOf(String(group[`${number}_sum`]), Number(exponent))
}

const summarized = (
  { binOf }: Groups,
  starts: ReadonlyMap<number | null, Numbers>,
  entries: readonly ReadonlyMap<number, Numbers>[],
): SummaryStatistics => {
  const bins = new Map<number, Numbers[]>()
  for (const [start, tally] of starts)
    if (start !== null) bins.set(binOf(start), [...(bins.get(binOf(start)) ?? []), tally])
  return {
    whole: statisticsOf([...starts.values()], itself),
    bins: [...bins].sort(([a], [b]) => a - b).map(([start, tallies]) => [start, statisticsOf(tallies, itself)]),
    facets: entries.map(
      (tallies) => new Map(Array.from(tallies, ([key, tally]) => [key, statisticsOf([tally], itself)])),
    ),
  }
}

/** Counts the rows of listed entries by their bins. Throws a 400 if there are too many bins. */
const crossGroups = async (
  snapshot: Snapshot,
  matches: Matches,
  by: CountedFacet,
  ids: readonly number[],
  bin: SQL,
  { binOf }: Groups,
): Promise<CrossedBins> => {
  const start = startIn(snapshot)
  const rows = selectMatches(matches, named({ key: by.column, bin, start }))
  const listed = sql`(key)::text = ANY(${sql.param(ids.flatMap(by.textsOf))}::text[])`
  const query = sql<{ readonly key: unknown; readonly rows: number; readonly least: number | null }>`
    SELECT key, count(*) AS rows, floor(extract(epoch FROM min(start)) * 1000)::bigint AS least
    FROM (${rows}) AS matched WHERE ${listed} GROUP BY key, bin LIMIT ${integer(MAX_CROSSED_BINS + 1)}`
  const [groups] = await snapshot.read(query)
  if (groups.length > MAX_CROSSED_BINS) throw tooManyBins()
  const bins = new Map<number, Map<number, number>>()
  for (const { key, rows, least } of groups) {
    const id = by.keyOf(key)
    const known = bins.get(id) ?? new Map<number, number>()
    bins.set(id, known)
    if (least !== null) bump(known, binOf(least), rows)
  }
  return bins
}
