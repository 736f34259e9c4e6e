import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { TREES } from '../../../schema/counts.ts'
import { at } from '../../collections.ts'
import { all, type ColumnRange, isIn, numbersTable, rangesTable, within } from '../../filters/sql.ts'
import { isEmpty, type TimeBounds } from '../conditions/bounds.ts'
import { extentOf } from '../conditions/criteria.ts'
import type { Access, Index } from '../conditions/table.ts'
import type { Statistics } from '../run/cache.ts'
import type { Search } from '../search.ts'
import { numbersOf, type ValueRange } from '../sql/counts.ts'
import { keysIn, type MatchingEntries } from './keys.ts'

/** An access path: the ranges of an index that lead to rows. */
export interface Path {
  /** `source` stands after FROM. `enter` is the condition that enters the index. */
  readonly source: SQL
  readonly enter: SQL | null
  /** The estimated number of rows on the path. */
  readonly rows: number
  /** The number is a guess without statistics. There may be far fewer rows. */
  readonly isGuess?: boolean
  /** The keys that enter the path. Their condition needs no second test. */
  readonly keys: MatchingEntries | null
}

/** The estimated part of the rows with one value of a column that has no stored counts. */
const RARE = 1 / 100
/** The cost of a row that is found in an index and then read from the table. The unit is rows read. */
export const LOOKED_UP = 2
/** The most keys that enter an index. One key costs about two rows. */
const MAX_KEYS = 200

/** Finds an index by its first column, and optionally by its second. */
export const indexOn = ({ indexes }: Access, on: SQLWrapper, covering: boolean, second?: SQLWrapper): Index | null =>
  indexes.find(
    (index) => index.on === on && index.covering === covering && (second === undefined || index.second === second),
  ) ?? null

/** Selects from the table through an index. Without an index it reads in the order of ids. */
export const fromIndex = ({ table: { table } }: Pick<Search, 'table'>, index: Index | null): SQL =>
  index === null ? sql`${table} NOT INDEXED` : sql`${table} INDEXED BY ${sql.identifier(index.name)}`

/** Returns all paths to the matching rows, except the cells of an area. */
export const pathsOf = (
  search: Search,
  keys: readonly MatchingEntries[],
  bounds: TimeBounds,
  statistics: Statistics,
): readonly Path[] =>
  [
    ...keys.map((key) => byKeys(search, key, bounds, statistics)),
    byClass(search, bounds, statistics),
    byDuration(search, statistics),
    bySecond(search, statistics),
  ].filter((path) => path !== null)

/** Enters an index with dictionary entries, and then with the start or with the id of the object. */
export const byKeys = (
  search: Search,
  keys: MatchingEntries,
  bounds: TimeBounds,
  statistics: Statistics,
): Path | null => {
  const { access, criteria } = search
  if (keys.group.dictionary.key === search.table.id) return byRows(search, keys)
  const index = indexOn(access, keys.group.dictionary.key, true)
  if (index === null || keys.ids === null || keys.ids.length > MAX_KEYS) return null
  const timed = index.second === access.time.start
  const extent = timed ? bounds.start : extentOf(criteria, index.second)
  const values = timed ? null : (criteria.lists.find(({ column }) => column === index.second) ?? null)
  const part = timed
    ? partOf(statistics.inStart(bounds.start), statistics.total)
    : extent[0] === null && values === null
      ? 1
      : 1 / 100
  return {
    source: sql`(${numbersTable(keys.ids)}) AS keys CROSS JOIN ${fromIndex(search, index)}`,
    enter: all([
      sql`${index.on} = keys.value`,
      within(index.second, extent),
      timed && extent[0] === null ? afterLongest(search, bounds) : null,
      values && isIn(values.column, values.values),
    ]),
    rows: keys.rows * part,
    keys,
  }
}

/** Reads rows by id. The entries of this dictionary are the rows themselves. */
const byRows = (search: Search, keys: MatchingEntries): Path => {
  const { group, ids, rows } = keys
  const values = ids === null ? sql`SELECT id AS value FROM (${keysIn(group, search.level)})` : numbersTable(ids)
  return {
    source: sql`(${values}) AS keys CROSS JOIN ${fromIndex(search, null)}`,
    enter: sql`${search.table.id} = keys.value`,
    rows: LOOKED_UP * rows,
    isGuess: ids === null,
    keys,
  }
}

/**
 * Limits the start by the longest duration. A row that ends at an instant or later starts at most that long before it.
 */
const afterLongest = (search: Search, { end: [least] }: TimeBounds): SQL | null => {
  const { start, durationColumn } = search.access.time
  const index = indexOn(search.access, durationColumn, false)
  if (least === null || index === null) return null
  const longest = sql`(SELECT coalesce(max(${durationColumn}), 0) FROM ${fromIndex(search, index)})`
  return sql`${start} >= ${sql.raw(String(least))} - ${longest}`
}

/**
 * Enters by class of duration, with one range of starts for each class. A row of a class that ends at an instant or
 * later starts at most 2^class milliseconds before it. Returns null without bounds on time.
 */
export const byClass = (search: Search, bounds: TimeBounds, statistics: Statistics): Path | null => {
  const { start, end, duration } = bounds
  const [atLeast] = duration
  const shortest = atLeast ?? 0n
  if ([...start, ...end, duration[1]].every((bound) => bound === null) && shortest <= 0n) return null
  const { time, counts } = search.access
  const ranges = time.classes.flatMap((durationClass, i): [number, ...ValueRange][] => {
    const most = i === time.classes.length - 1 ? null : 2n ** BigInt(durationClass) - 1n
    const least = i === 0 ? 0n : 2n ** BigInt(at(time.classes, i - 1))
    if ((most !== null && shortest > most) || (duration[1] !== null && duration[1] < least)) return []
    const starts: ColumnRange = [
      greater(start[0], end[0] === null || most === null ? null : end[0] - most),
      lesser(start[1], end[1] === null ? null : end[1] - least),
    ]
    return isEmpty(starts) ? [] : [[durationClass, ...numbersOf(starts)]]
  })
  const rows = ranges.reduce(
    (sum, [durationClass, first, last]) =>
      sum +
      statistics.inClass(durationClass) * partOf(statistics.inStart([BigInt(first), BigInt(last)]), statistics.total),
    0,
  )
  return {
    source: sql`${rangesTable(ranges)} CROSS JOIN ${fromIndex(search, indexOn(search.access, counts.values.class, true))}`,
    enter: sql`${time.durationClass} = span.value ->> 0 AND ${time.start} BETWEEN span.value ->> 1 AND span.value ->> 2`,
    rows,
    keys: null,
  }
}

/** Enters by the duration, if a filter names it. The index is not covering, so each row is read from the table. */
const byDuration = (search: Search, statistics: Statistics): Path | null => {
  const { criteria, access } = search
  const { duration, durationColumn, classes } = access.time
  const index = indexOn(access, durationColumn, false)
  const list = criteria.lists.find(({ column }) => column === duration)
  const [least, greatest] = extentOf(criteria, duration)
  if (index === null || (list === undefined && least === null && greatest === null)) return null
  const inClasses = classes.reduce((sum, durationClass, i) => {
    const [first, last] = [i === 0 ? 0 : 2 ** at(classes, i - 1), 2 ** durationClass]
    const part = Math.min(Number(greatest ?? Infinity) + 1, last) - Math.max(Number(least ?? -Infinity), first)
    return part <= 0 ? sum : sum + statistics.inClass(durationClass) * Math.max(part / (last - first), RARE)
  }, 0)
  return {
    source: fromIndex(search, index),
    enter: list === undefined ? within(durationColumn, [least, greatest]) : isIn(durationColumn, list.values),
    rows: LOOKED_UP * (list === undefined ? inClasses : statistics.total * RARE * list.values.length),
    keys: null,
  }
}

/**
 * Enters an index by its second column, and tries all values of the first one. Example: an object id without its type.
 */
const bySecond = (search: Search, { total }: Statistics): Path | null => {
  const { criteria, access } = search
  for (const index of access.indexes) {
    const values = criteria.lists.find(({ column }) => column === index.second)?.values
    const extent = extentOf(criteria, index.second)
    if (index.values === undefined || (values === undefined && extent.every((bound) => bound === null))) continue
    const condition = values === undefined ? within(index.second, extent) : isIn(index.second, values)
    return {
      source: sql`(${index.values}) AS keys CROSS JOIN ${fromIndex(search, index)}`,
      enter: all([sql`${index.on} = keys.value`, condition]),
      rows: total * RARE * (values?.length ?? (extent[0] === extent[1] ? 1 : 10)),
      keys: null,
    }
  }
  return null
}

/** Enters by ranges of cells. */
export const byCells = (search: Search, ranges: readonly ValueRange[], rows: number): Path => ({
  source: sql`${rangesTable(ranges)} CROSS JOIN ${search.table.table} INDEXED BY ${sql.identifier(TREES.cell.index)}`,
  enter: sql`${search.access.place.cell} BETWEEN span.value ->> 0 AND span.value ->> 1`,
  rows,
  keys: null,
})

/** Reads all rows in the order of ids. */
export const everything = (search: Search, total: number): Path => ({
  source: fromIndex(search, null),
  enter: null,
  rows: total,
  keys: null,
})

export const partOf = (rows: number, total: number): number => Math.min(1, rows / Math.max(1, total))

const greater = (a: bigint | null, b: bigint | null): bigint | null => (a === null || (b !== null && b > a) ? b : a)
const lesser = (a: bigint | null, b: bigint | null): bigint | null => (a === null || (b !== null && b < a) ? b : a)
