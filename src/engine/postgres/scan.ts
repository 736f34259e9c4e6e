import { type SQL, sql } from 'drizzle-orm'
import { at } from '../../base/collections.ts'
import type { Facet, Shape } from '../summaries.ts'
import type { CountedFacet } from './facets.ts'
import { fieldsOf, whole } from './fields.ts'
import { selectFrom } from './from.ts'
import { type Group, groupings } from './groups.ts'
import { instantOf } from './instants.ts'
import { type Matches, selectMatches } from './matches.ts'
import type { Snapshot } from './snapshot.ts'
import { all, FENCE, listOf, named } from './sql.ts'

/** The matches of a summary. */
export interface Scan {
  readonly snapshot: Snapshot
  readonly matches: Matches
  readonly shape: Shape
  /** The start of a row, its bin, and its numbers. */
  readonly columns: Readonly<Record<string, SQL>>
}

/** Writes the start of a row. It is null if answers show none: the row is counted, but it is in no bin. */
export const startIn = ({ views }: Snapshot): SQL => whole(fieldsOf(views)('events', 'start'))

export const namesOf = (list: readonly unknown[], name: string): readonly string[] => list.map((_, i) => `${name}${i}`)

export const columnsOf = (names: readonly string[], facets: readonly CountedFacet[]): Readonly<Record<string, SQL>> =>
  Object.fromEntries(names.map((name, i) => [name, at(facets, i).column]))

/** The columns of a row of the table of counts. */
export const WEIGHT = { weight: sql`e.weight` }

/** Tests if the month of a start, in UTC, is enough for its bin. */
const hasMonths = ({ bins, zone, from }: Shape): boolean =>
  zone === null && from === null && (bins === 1 || bins === 'month' || bins === 'year')

/** Tests if the table of counts has a facet. */
const isStored = ({ field }: Facet, zone: Shape['zone']): boolean => {
  if (typeof field !== 'object') return field === 'series' || field === 'category'
  return 'start' in field && zone === null && (field.start === 'year' || field.start === 'month')
}

/** Returns the matches by the table of counts, if it tells the bins of a facet. */
export const countedBy = ({ matches: { counted }, shape }: Scan, facet: Facet): Matches | null =>
  hasMonths(shape) && isStored(facet, shape.zone) && shape.numbers.length === 0 ? counted : null

/** Groups the rows by bin. */
export const readBins = async (scan: Scan, use: (group: Bin) => void): Promise<void> => {
  const { snapshot, matches, columns } = scan
  const months = await monthsOf(scan)
  if (months !== null) return months.forEach(use)
  const { take, read } = groupings([])
  take(['bin'], use)
  await read(snapshot, selectMatches(matches, named(columns)))
}

export type Bin = Pick<Group, 'rows' | 'least' | 'greatest'>

/** The last month whose starts are all known, in milliseconds since 1970. */
const LAST_MONTH = Date.UTC(275_760, 7)

/** Reads the stored count of each month. Null: it is not enough. */
const monthsOf = async ({ snapshot, matches, shape }: Scan): Promise<readonly Bin[] | null> => {
  if (matches.counted === null || !hasMonths(shape)) return null
  const months: Group[] = []
  const { take, read } = groupings([])
  take(['bin'], (group) => months.push(group))
  const start = startIn(snapshot)
  await read(snapshot, selectMatches(matches.counted, named({ start, bin: start, ...WEIGHT })), true)
  const starts = months.flatMap(({ least }) => least ?? [])
  if (starts.length === 0) return months
  const [first, last] = [Math.min(...starts), Math.max(...starts)]
  if (last > LAST_MONTH) return null
  const [[ends]] = await snapshot.read(endsBetween(snapshot, matches, first, last))
  // All rows of a month are in one bin.
  return months.map(({ rows, least: month }) => {
    const least = month === first ? (ends?.least ?? null) : month
    return { rows, least, greatest: month === last ? (ends?.greatest ?? null) : least }
  })
}

/** Reads the first start in a month and the last start in another one. A month has few rows, whatever index has them. */
const endsBetween = (
  snapshot: Snapshot,
  { withFields, condition }: Matches,
  first: number,
  last: number,
): SQL<Readonly<Record<'least' | 'greatest', number | null>>> => {
  const { value } = fieldsOf(snapshot.views)('events', 'start')
  const within = (month: number) => {
    const from = instantOf(BigInt(month) * 1000n)
    return sql`${value} >= ${from} AND ${value} < ${from} + interval '1 month'`
  }
  const end = (of: SQL, month: number) => {
    const milliseconds = sql`floor(extract(epoch FROM ${of}(${startIn(snapshot)})) * 1000)::bigint`
    return sql`(${selectFrom(withFields([]), milliseconds, all([condition, within(month)]))})`
  }
  return sql`SELECT ${named({ least: end(sql`min`, first), greatest: end(sql`max`, last) })}`
}

/** Groups the rows by each facet, from the table of counts if it has the facet. */
export const readKeys = async (
  { snapshot, matches, shape }: Scan,
  facets: readonly CountedFacet[],
  use: (i: number, group: Group) => void,
): Promise<void> => {
  const { counted } = matches
  const keys = facets.map((facet, i) => ({ i, name: `key${i}`, facet }))
  const stored = keys.filter(({ facet }) => counted !== null && isStored(facet, shape.zone))
  const groupBy = async (some: typeof keys, from: Matches | null) => {
    if (some.length === 0) return
    const names = some.map(({ name }) => name)
    const columns = { start: NO_START, ...Object.fromEntries(some.map(({ name, facet }) => [name, facet.column])) }
    const isGrouped = some.length > 1 && some.every(({ facet }) => isCoarse(facet))
    const { take, read } = groupings([])
    for (const { i, name } of some) take([name], (group) => use(i, group))
    if (from !== null) return read(snapshot, selectMatches(from, named({ ...columns, ...WEIGHT })), true)
    const rows = selectMatches(matches, named(columns))
    await read(snapshot, isGrouped ? togetherBy(names, rows) : rows, isGrouped)
  }
  await groupBy(stored, counted)
  const others = keys.filter((key) => !stored.includes(key))
  await groupBy(others, null)
}

const NO_START = sql`NULL::timestamptz`

/** Tests if a facet has few values. An attribute may have another one in each row. */
export const isCoarse = ({ field }: Facet): boolean => typeof field !== 'object' || 'start' in field

/**
 * Groups rows by some columns together, which have few values. Several processes do so, and only one groups by each of
 * several sets.
 */
export const togetherBy = (names: readonly string[], rows: SQL): SQL => {
  const columns = listOf(names.map((name) => sql.identifier(name)))
  return sql`SELECT ${columns}, min(start) AS start, count(*) AS weight FROM (${rows} ${FENCE}) AS plain GROUP BY ${columns}`
}
