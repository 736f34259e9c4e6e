import { type SQL, sql } from 'drizzle-orm'
import { at } from '../../base/collections.ts'
import { MILLISECOND } from '../../question/range.ts'
import { type Facet, MAX_CROSSED_BINS, type Shape } from '../summaries.ts'
import type { NumberedFacet } from './facets.ts'
import { epoch, fieldsOf, ifKnown } from './fields.ts'
import { selectFrom } from './from.ts'
import { type GroupRow, groupings, type SelectedColumns } from './groups.ts'
import { instantOf } from './instants.ts'
import { type Matches, selectMatches } from './matches.ts'
import type { Snapshot } from './snapshot.ts'
import { all, FENCE, listOf, literal, named } from './sql.ts'

/** The matches of a summary. */
export interface Scan {
  readonly snapshot: Snapshot
  readonly matches: Matches
  readonly shape: Shape
  /** The start of a row, its bin, and its numbers. */
  readonly columns: SelectedColumns
}

/** Writes the start of a row. It is null if answers show none: the row is counted, but it is in no bin. */
export const startIn = ({ views }: Snapshot): SQL => ifKnown(fieldsOf(views)('events', 'start'))

export const namesOf = (list: readonly unknown[], name: string): readonly string[] => list.map((_, i) => `${name}${i}`)

export const columnsOf = (names: readonly string[], facets: readonly NumberedFacet[]): SelectedColumns =>
  Object.fromEntries(names.map((name, i) => [name, at(facets, i).column]))

const NO_START = sql`NULL::timestamptz`

/** Further columns of a row of the table of counts. */
export const WEIGHT = { weight: sql`e.weight`, last: NO_START }

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

/** Tests if a facet has few values. An attribute may have another one in each row. */
export const isCoarse = ({ field }: Facet): boolean => typeof field !== 'object' || 'start' in field

export type BinRows = Pick<GroupRow, 'rows' | 'least' | 'greatest'>

/** Columns that group rows, and what receives the groups. */
export interface GroupingSet {
  /** The columns of a row that it reads. */
  readonly reads: SelectedColumns
  /** The columns that group, in terms of those. */
  readonly by: SelectedColumns
  /** They have few values. */
  readonly isCoarse: boolean
  /** The groups have the bounds of `x` and `y`. */
  readonly hasBounds?: true
  readonly use: (group: GroupRow) => void
}

/** What receives the groups of bins and of facets. A pair is a group with one `key` of `by` and one bin. */
interface Uses {
  readonly bin: (group: BinRows) => void
  readonly key: (i: number, group: GroupRow) => void
  readonly pair: (group: GroupRow) => void
}

/**
 * Groups the rows by bin, by each facet and by cell. The table of counts tells what it has. The bins and `by` share a pass of
 * the events, and the facets share one. A single bin or cell needs no pass of its own.
 */
export const readGroups = async (
  scan: Scan,
  facets: readonly NumberedFacet[],
  uses: Uses,
  cells: GroupingSet | null,
): Promise<void> => {
  const { matches, shape, columns } = scan
  const names = namesOf(facets, 'key')
  const months = await monthsOf(scan)
  months?.forEach(uses.bin)
  const keys = facets.map((facet, i) => {
    const [name, isBy] = [at(names, i), i === shape.facets.length]
    const isTimed = months === null && isCoarse(facet) && (isBy || shape.bins === 1)
    const pass = matches.counted !== null && isStored(facet, shape.zone) ? 'counts' : isTimed ? 'time' : 'facets'
    const by = { [name]: sql`${sql.identifier(name)}` }
    const use = (group: GroupRow) => uses.key(i, group)
    return { pass, reads: { [name]: facet.column }, by, isCoarse: isCoarse(facet), use }
  })
  const bins = { pass: 'time', reads: columns, by: { bin: sql`bin` }, isCoarse: true, use: uses.bin }
  const placed = cells && { pass: months === null && shape.level === 0 ? 'time' : 'cells', ...cells }
  const parts = [months === null ? bins : null, ...keys, placed].filter((part) => part !== null)
  for (const [pass, some] of Map.groupBy(parts, ({ pass }) => pass))
    await readPass(scan, some, pass === 'counts' ? matches.counted : null, uses.pair)
}

/**
 * Reads the groups of some parts in one pass of the events, or of the table of counts. Several processes group coarse parts
 * together, and only one groups by each of several sets.
 */
export const readPass = async (
  { snapshot, matches, shape }: Scan,
  parts: readonly GroupingSet[],
  counted: Matches | null = null,
  usePair: Uses['pair'] | null = null,
): Promise<void> => {
  const { take, read } = groupings([])
  for (const { by, use } of parts) take(Object.keys(by), use)
  const reads = { start: NO_START, ...merged(parts.map(({ reads }) => reads)) }
  if (counted !== null) return read(snapshot, selectMatches(counted, named({ ...reads, ...WEIGHT })), true)
  const rows = selectMatches(matches, named(reads))
  if (!parts.every(({ isCoarse }) => isCoarse)) return read(snapshot, rows)
  const by = merged(parts.map(({ by }) => by))
  const key = `key${shape.facets.length}`
  const hasPairs = usePair !== null && 'bin' in by && key in by
  if (hasPairs) take([key, 'pair'], (group) => usePair({ ...group, key: group[key] }))
  const hasBounds = parts.some(({ hasBounds }) => hasBounds)
  const groups = togetherBy(by, rows, hasBounds ? BOUNDS : {})
  await read(snapshot, hasPairs ? withPairs(groups) : groups, true, hasBounds ? BOUNDS_OF_GROUPS : {})
}

const merged = (list: readonly SelectedColumns[]): SelectedColumns => Object.assign({}, ...list)

/** Adds the bin of a pair. It is null if there are too many pairs for an answer. */
const withPairs = (groups: SQL): SQL =>
  sql`SELECT *, CASE WHEN count(*) OVER () <= ${literal(MAX_CROSSED_BINS)} THEN bin END AS pair FROM (${groups}) AS few`

const boundsOf = (west: SQL, south: SQL, east: SQL, north: SQL): SelectedColumns => ({
  west: sql`min(${west})`,
  south: sql`min(${south})`,
  east: sql`max(${east})`,
  north: sql`max(${north})`,
})

const BOUNDS = boundsOf(sql`x`, sql`y`, sql`x`, sql`y`)
const BOUNDS_OF_GROUPS = boundsOf(sql`west`, sql`south`, sql`east`, sql`north`)

/** Groups rows by some columns together, which have few values. */
export const togetherBy = (by: SelectedColumns, rows: SQL, more: SelectedColumns = {}): SQL => {
  const told = { start: sql`min(start)`, last: sql`max(start)`, weight: sql`count(*)`, ...more }
  const places = listOf(Object.keys(by).map((_, i) => literal(i + 1)))
  return sql`SELECT ${named({ ...by, ...told })} FROM (${rows} ${FENCE}) AS plain GROUP BY ${places}`
}

/** The last month whose starts are all known, in milliseconds since 1970. */
const LAST_MONTH = Date.UTC(275_760, 7)

/** Reads the stored count of each month. Null: it is not enough. */
const monthsOf = async ({ snapshot, matches, shape }: Scan): Promise<readonly BinRows[] | null> => {
  if (matches.counted === null || !hasMonths(shape)) return null
  const months: GroupRow[] = []
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
  const start = startIn(snapshot)
  const end = (of: SQL, month: number) =>
    sql`(${selectFrom(withFields([]), epoch(of, MILLISECOND), all([condition, within(month)]))})`
  return sql`SELECT ${named({ least: end(sql`min(${start})`, first), greatest: end(sql`max(${start})`, last) })}`
}
