import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { DURATION_CLASSES, durationClass } from '../../../schema/durations.ts'
import { events, objectModels } from '../../../schema/tables.ts'
import { eventLength } from '../../../schema/trees.ts'
import { at, type ValueRange } from '../../base/collections.ts'
import { LOOK_UP, MAX_COUNTED, NAMED_ROWS, RARE, UNKNOWN_FRACTION } from '../limits.ts'
import { type Estimates, fractionOf, rowsIn, rowsInExtent } from './estimates.ts'
import { ENTERED, indexOf, LOOKED_UP, through } from './indexes.ts'
import type { Entry } from './part.ts'
import { ANY, durationsOf, intersection, isBounded, isEmpty, numbersOf, type TimeBounds } from './ranges.ts'
import { extentOf, type Search, timesOf } from './search.ts'
import { all, type ColumnRange, inRanges, integer, integerOf, numbersTable, rangesTable } from './sql.ts'
import { entriesOf } from './where.ts'

/** An access path: the rows that the database reads to find matches. */
export interface Path {
  readonly name: 'all' | 'ids' | 'entries' | 'time' | 'cells' | 'column' | 'pairs'
  /** `from` stands after FROM. `enter` is the condition that enters the index. */
  readonly from: SQL
  readonly enter: SQL | null
  /** The estimated rows read. A row that is found in an index and then read from the table counts twice. */
  readonly rows: number
  /**
   * Selects a number that only the database knows. The path reads this fraction of so many rows. With `hasHidden`, the
   * number has rows that the caller does not see. Absent: `rows` is good.
   */
  readonly counted?: { readonly number: SQL; readonly fraction: number; readonly hasHidden: boolean }
  /** The condition that every row of the path meets already. */
  readonly entry?: Entry
}

/** Returns all paths of a search. The first one reads all rows. */
export const pathsOf = (search: Search, estimates: Estimates): readonly Path[] => {
  const { entries, ranges } = search
  const all: Path = { name: 'all', from: through(null), enter: null, rows: estimates.total * LOOK_UP }
  const others = [
    ...entries.map((entry) => entriesPath(search, entry, estimates)),
    ...(ranges.size === 0 ? [] : rangePaths(search, estimates)),
  ]
  return [all, ...others.filter((path) => path !== null)]
}

/** Enters an index with dictionary entries, and then with the start or with the id of the object. */
const entriesPath = (search: Search, entry: Entry, estimates: Estimates): Path | null => {
  const { dictionary, match, few } = entry
  const { key, id, table, counts } = dictionary
  const keys = sql`(${entriesOf(entry, search.level)}) AS keys CROSS JOIN`
  const isKey = sql`${key} = keys.id`
  if (key === id) {
    // Each row is its own entry.
    const rows = few ? LOOK_UP : LOOK_UP * estimates.total
    return { name: 'entries', from: sql`${keys} ${through(null)}`, enter: isKey, rows, entry }
  }
  const [index, second] = ENTERED.get(key) ?? []
  if (index === undefined || second === undefined || counts === undefined) return null
  const isTimed = second === events.start
  const { start, end } = timesOf(search)
  const extents = isTimed ? [start] : (search.ranges.get(second) ?? [ANY])
  const fraction = isTimed
    ? fractionOf(rowsInExtent(estimates.starts, start), estimates.total)
    : search.ranges.has(second)
      ? RARE
      : 1
  const least = isTimed && start[0] === null ? end[0] : null
  const enter = all([
    isKey,
    inRanges(second, extents),
    least === null ? null : sql`${second} >= ${integer(least)} - ${LONGEST_STORED}`,
  ])
  return {
    name: 'entries',
    from: sql`${keys} ${through(index)}`,
    enter,
    rows: Math.min(few ? NAMED_ROWS : estimates.total / 3, estimates.total) * fraction,
    counted: {
      number: sql`SELECT coalesce(sum(${counts(search.level)}), 0) FROM ${table} WHERE ${match.sql}`,
      fraction,
      hasHidden: false,
    },
    entry,
  }
}

const LONGEST_STORED = sql`(SELECT coalesce(max(${events.duration}), 0) FROM ${through(indexOf(events.duration))})`

const timePath = (search: Search, estimates: Estimates): Path | null => {
  const bounds = timesOf(search)
  const classes = classesOf(bounds)
  return classes && { name: 'time', ...inClasses(classes), rows: rowsInTime(bounds, estimates) ?? 0 }
}

/** Enters by a start, then by ids: a summary of 300,000 events at one instant reads 0.6 and not 5.7 million rows. */
const instantPath = (search: Search, estimates: Estimates): Path | null => {
  const bounds = timesOf(search)
  const [instant] = bounds.start
  const ids = search.ranges.get(events.id)
  if (ids === undefined || instant === null || !isOne(bounds.start)) return null
  const fraction = fractionOf(rowsInExtent(estimates.ids, extentOf(search, events.id)), estimates.total)
  const rows = LOOK_UP * fraction * (rowsInTime(bounds, estimates) ?? 0)
  const enter = all([sql`${events.start} = ${integer(instant)}`, inRanges(events.id, ids)])
  return { name: 'time', from: through(indexOf(events.start)), enter, rows }
}

/** Enters by the duration, if a filter names it. The index is not covering, so each row is read from the table. */
const durationPath = ({ ranges }: Search, estimates: Estimates): Path | null => {
  const extents = durationsOf(ranges.get(eventLength) ?? [])
  if (extents.every(isOne)) return countedPath(events.duration, extents, estimates)
  const rows = extents.reduce((sum, extent) => sum + rowsInExtent(estimates.durations, extent), 0)
  const enter = inRanges(events.duration, extents)
  return { name: 'column', from: through(indexOf(events.duration)), enter, rows: LOOK_UP * rows }
}

const isOne = ([least, greatest]: ColumnRange): boolean => least !== null && least === greatest

/** Enters the index of models by the id of the object, and tries all models. */
const pairsPath = ({ ranges }: Search, { total }: Estimates): Path | null => {
  const extents = ranges.get(events.objectId)
  if (extents === undefined) return null
  const from = sql`(SELECT ${objectModels.id} AS id FROM ${objectModels}) AS keys CROSS JOIN ${through('event_of_object')}`
  const enter = sql`${events.objectModelId} = keys.id AND ${inRanges(events.objectId, extents)}`
  return { name: 'pairs', from, enter, rows: rowsOfValues(extents, total) }
}

/** Guesses the rows with the values of a column without estimates. */
const rowsOfValues = (extents: readonly ColumnRange[], total: number): number => {
  const fraction = extents.reduce((sum, extent) => sum + (isOne(extent) ? RARE : UNKNOWN_FRACTION), 0)
  return total * Math.min(1, fraction)
}

const idsPath = ({ ranges }: Search, { ids }: Estimates): Path | null => {
  const extents = ranges.get(events.id)
  if (extents === undefined) return null
  const rows = extents.reduce((sum, extent) => sum + (isOne(extent) ? 1 : rowsInExtent(ids, extent)), 0)
  return { name: 'ids', from: through(null), enter: inRanges(events.id, extents), rows: LOOK_UP * rows }
}

/** Enters by a column with an index of its own. The database counts its rows, up to a limit. */
const countedPath = (column: SQLWrapper, extents: readonly ColumnRange[], { total }: Estimates): Path | null => {
  if (extents.length === 0) return null
  const [from, enter] = [through(indexOf(column)), inRanges(column, extents)]
  const rows = LOOK_UP * rowsOfValues(extents, total)
  const limited = sql`SELECT 1 FROM ${from} WHERE ${enter} LIMIT ${integerOf(MAX_COUNTED + 1)}`
  const number = sql`SELECT CASE WHEN count(*) > ${integerOf(MAX_COUNTED)} THEN ${rows} ELSE ${integerOf(LOOK_UP)} * count(*) END FROM (${limited})`
  return { name: 'column', from, enter, rows, counted: { number, fraction: 1, hasHidden: true } }
}

/** Returns the paths of ranges. Most of them are null, because they need ranges of certain columns. */
const rangePaths = (search: Search, estimates: Estimates): readonly (Path | null)[] => [
  ...[timePath, instantPath, durationPath, pairsPath, idsPath].map((path) => path(search, estimates)),
  ...LOOKED_UP.map((column) => countedPath(column, search.ranges.get(column) ?? [], estimates)),
]

/** Enters by ranges of finest cells. */
export const cellsPath = (ranges: readonly ValueRange[], rows: number): Path => ({
  name: 'cells',
  from: sql`${rangesTable(ranges)} CROSS JOIN ${through('event_of_cell')}`,
  enter: sql`${events.cell} BETWEEN span.value ->> 0 AND span.value ->> 1`,
  rows,
})

/** Reads rows by their ids. */
export const listPath = (ids: readonly number[]): Path => ({
  name: 'ids',
  from: sql`(${numbersTable(ids)}) AS wanted CROSS JOIN ${through(null)}`,
  enter: sql`${events.id} = wanted.value`,
  rows: LOOK_UP * ids.length,
})

/** Ranges of starts, each for a class of durations. */
type Classes = readonly (readonly [durationClass: number, ...ValueRange])[]

/** Estimates the rows in the classes of durations. Null without bounds on time. */
export const rowsInTime = (bounds: TimeBounds, { starts, durations, total }: Estimates): number | null => {
  const rowsOf = ([durationClass, ...range]: Classes[number]) =>
    rowsInExtent(durations, durationsIn(durationClass)) * fractionOf(rowsIn(starts, ...range), total)
  return classesOf(bounds)?.reduce((sum, range) => sum + rowsOf(range), 0) ?? null
}

/**
 * Enters by class of duration, with one range of starts for each class. A row of a class that ends at an instant or
 * later starts at most 2^class milliseconds before it.
 */
export const inClasses = (classes: Classes) => ({
  from: sql`${rangesTable(classes)} CROSS JOIN ${through('event_of_class')}`,
  enter: sql`${durationClass} = span.value ->> 0 AND ${events.start} BETWEEN span.value ->> 1 AND span.value ->> 2`,
})

/** Returns the durations of a class. */
const durationsIn = (durationClass: number): readonly [least: bigint, most: bigint | null] => {
  const [before = null] = DURATION_CLASSES.filter((bits) => bits < durationClass).slice(-1)
  const isLast = durationClass === at(DURATION_CLASSES, -1)
  return [before === null ? 0n : 2n ** BigInt(before), isLast ? null : 2n ** BigInt(durationClass) - 1n]
}

/** Returns the range of starts for each class of durations. Null without bounds on time. */
export const classesOf = ({ start, end, duration: [shortest, longest] }: TimeBounds): Classes | null => {
  const atLeast = shortest ?? 0n
  if (!isBounded(start) && !isBounded(end) && longest === null && atLeast <= 0n) return null
  return DURATION_CLASSES.flatMap((durationClass): Classes => {
    const [least, most] = durationsIn(durationClass)
    if ((most !== null && atLeast > most) || (longest !== null && longest < least)) return []
    const byEnd: ColumnRange = [
      end[0] === null || most === null ? null : end[0] - most,
      end[1] === null ? null : end[1] - least,
    ]
    const starts = intersection(start, byEnd)
    return isEmpty(starts) ? [] : [[durationClass, ...numbersOf(starts)]]
  })
}
