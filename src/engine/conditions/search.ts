import type { SQL, SQLWrapper } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import { eventLength } from '../../../schema/trees.ts'
import { at } from '../../collections.ts'
import type { Among, Condition, CountedDictionary, Dictionary, Range, Tested, Words } from '../../filters/filter.ts'
import { all, type ColumnRange } from '../../filters/sql.ts'
import { type Area, allOf } from '../../geometry/within.ts'
import type { Table } from './table.ts'

/** The conditions of a request on the rows that a caller sees. Conditions on one column or dictionary are merged. */
export interface Search {
  readonly table: Table
  readonly level: number
  /** Selects the rows that the caller sees. Null: all rows. */
  readonly visible: SQL | null
  /** Conditions that only SQL tests. */
  readonly plain: readonly SQL[]
  /** The ranges of the values of a column. They are sorted and disjoint. */
  readonly ranges: ReadonlyMap<SQLWrapper, readonly ColumnRange[]>
  /** Conditions on dictionaries. */
  readonly groups: readonly Group[]
  /** Texts that the Worker tests, see run/texts.ts. */
  readonly tested: readonly (Tested | Words)[]
  /** Only the row of each entry of this dictionary that starts last matches, see run/latest.ts. Null: all rows. */
  readonly latest: CountedDictionary | null
  readonly area: Area | null
  /** What was found in the area of the search, see run/area.ts. Null: the search has no area, or SQL tests it. */
  readonly decided: DecidedArea | null
}

/** An area after its points were tested. */
export interface DecidedArea {
  /** Ranges of finest cells inside the area. Their rows match if they meet the other conditions. */
  readonly cells: readonly ValueRange[]
  /** The ids of all other matches. */
  readonly ids: readonly number[]
}

/** All conditions on one dictionary. */
export interface Group {
  readonly dictionary: Dictionary
  readonly match: SQL
  /** Regular expressions, which the Worker tests. */
  readonly tests: readonly ((text: string) => boolean)[]
  /** It names one entry or a few, for example by an exact text or a uuid. */
  readonly few: boolean
}

/** Merges conditions by column and dictionary. */
export const searchOf = (table: Table, conditions: readonly Condition[], level: number): Search => {
  const plain: SQL[] = []
  const ranges = new Map<SQLWrapper, readonly ColumnRange[]>()
  const among = new Map<SQLWrapper, Among[]>()
  const tested: (Tested | Words)[] = []
  const areas: Area[] = []
  let latest: CountedDictionary | null = null
  const limit = (column: SQLWrapper, extents: readonly ColumnRange[]) =>
    ranges.set(column, inBoth(ranges.get(column) ?? [ANY], extents))
  for (const condition of conditions) {
    switch (condition.kind) {
      case 'sql':
        plain.push(condition.sql)
        break
      case 'range':
        limit(condition.column, condition.extents)
        break
      case 'entries':
        among.set(condition.dictionary.key, [...(among.get(condition.dictionary.key) ?? []), condition])
        break
      case 'tested':
      case 'words':
        tested.push(condition)
        break
      case 'latest':
        latest = condition.of
        break
      case 'area':
        areas.push(condition.area)
        break
      default:
        condition satisfies never
    }
  }
  const area = areas.length === 0 ? null : allOf(areas)
  const groups = Array.from(among.values(), groupOf)
  return { table, level, visible: table.visible(level), plain, ranges, groups, tested, latest, area, decided: null }
}

/** Merges the conditions on one dictionary. There is at least one. */
const groupOf = (conditions: readonly Among[]): Group => {
  const matches = conditions.flatMap(({ match }) => (typeof match === 'function' ? [] : [match]))
  const tests = conditions.flatMap(({ match }) => (typeof match === 'function' ? [match] : []))
  const few = conditions.some((condition) => condition.few === true) && tests.length === 0
  return { dictionary: at(conditions, 0).dictionary, match: all(matches), tests, few }
}

/** Returns the same search with one more condition. */
export const alsoIn = (search: Search, { column, extents }: Range): Search => ({
  ...search,
  ranges: new Map(search.ranges).set(column, inBoth(search.ranges.get(column) ?? [ANY], extents)),
})

/** Returns the same search for the rows with some ids. */
export const amongIds = (search: Search, ids: readonly number[]): Search => {
  const values = [...ids].sort((a, b) => a - b).map((id): ColumnRange => [BigInt(id), BigInt(id)])
  const ranges = new Map(search.ranges).set(search.table.id, values)
  return { ...search, ranges, tested: [] }
}

/** Returns true if there is no condition except an area. */
export const asksOnlyArea = ({ plain, ranges, groups, tested, latest }: Search): boolean =>
  plain.length + ranges.size + groups.length + tested.length === 0 && latest === null

export const asksNothing = (search: Search): boolean =>
  asksOnlyArea(search) && search.area === null && search.decided === null

/** Returns the least range that has all ranges of a column. */
export const extentOf = ({ ranges }: Search, column: SQLWrapper): ColumnRange => {
  const extents = ranges.get(column)
  if (extents === undefined) return ANY
  return extents.length === 0 ? NONE : [at(extents, 0)[0], at(extents, -1)[1]]
}

/**
 * Returns true if SQL alone decides the area. Its comparisons with the sides of rectangles are as exact as the tests of
 * points in the Worker.
 */
export const isRectangular = (area: Area): boolean =>
  area.bounds.length > 0 && area.bounds.every(({ rectangles }) => rectangles !== null)

/** Returns the area whose points the Worker has to test. Null: there is none. */
export const areaToTest = ({ area }: Search): Area | null => (area === null || isRectangular(area) ? null : area)

export const ANY: ColumnRange = [null, null]
const NONE: ColumnRange = [1n, 0n]

/** Returns the common parts of two lists of ranges. Both are sorted and disjoint. */
const inBoth = (a: readonly ColumnRange[], b: readonly ColumnRange[]): readonly ColumnRange[] => {
  const common: ColumnRange[] = []
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const [one, other] = [at(a, i), at(b, j)]
    const both = intersection(one, other)
    if (!isEmpty(both)) common.push(both)
    if (one[1] !== null && (other[1] === null || one[1] < other[1])) i++
    else j++
  }
  return common
}

/** Time bounds that hold for every match. They come from the filters, and from each other: see `timeBounds`. */
export interface TimeBounds {
  readonly start: ColumnRange
  readonly end: ColumnRange
  readonly duration: ColumnRange
}

/** Returns the time bounds of a search. */
export const boundsOf = (search: Search): TimeBounds =>
  timeBounds(extentOf(search, events.start), extentOf(search, events.end), extentOf(search, eventLength))

/** Returns false if no row can meet the conditions. */
export const isPossible = (search: Search): boolean => {
  const { start, end, duration } = boundsOf(search)
  return ![start, end, duration].some(isEmpty) && [...search.ranges.values()].every(({ length }) => length > 0)
}

/**
 * Derives bounds on start, end and duration from each other. A duration is never negative, and end = start + duration.
 */
export const timeBounds = (start: ColumnRange, end: ColumnRange, duration: ColumnRange): TimeBounds => {
  let [s, e, d] = [start, end, intersection(duration, [0n, null])]
  // Bounds on two of the three can narrow the third. A third pass would change nothing.
  for (let pass = 0; pass < 2; pass++) {
    e = intersection(e, [sum(s[0], d[0]), sum(s[1], d[1])])
    s = intersection(s, [difference(e[0], d[1]), difference(e[1], d[0])])
    d = intersection(d, [difference(e[0], s[1]), difference(e[1], s[0])])
  }
  return { start: s, end: e, duration: d }
}

/** Returns the common part of two ranges. */
export const intersection = (a: ColumnRange, b: ColumnRange): ColumnRange => [
  a[0] === null || (b[0] !== null && b[0] > a[0]) ? b[0] : a[0],
  a[1] === null || (b[1] !== null && b[1] < a[1]) ? b[1] : a[1],
]

export const isEmpty = ([least, greatest]: ColumnRange): boolean =>
  least !== null && greatest !== null && least > greatest

const sum = (a: bigint | null, b: bigint | null): bigint | null => (a === null || b === null ? null : a + b)

const difference = (a: bigint | null, b: bigint | null): bigint | null => (a === null || b === null ? null : a - b)

/** Values from first to last, both included. */
export type ValueRange = readonly [first: number, last: number]

/** The greatest distance from 1970 that a JavaScript Date can hold, in milliseconds. */
const REACH = 8_640_000_000_000_000n

/** Converts a range of instants to numbers, limited to possible instants. */
export const numbersOf = ([least, greatest]: ColumnRange): ValueRange => [
  Number(least === null || least < -REACH ? -REACH : least > REACH ? REACH + 1n : least),
  Number(greatest === null || greatest > REACH ? REACH : greatest < -REACH ? -REACH - 1n : greatest),
]

const MAX_ID = 2n ** 53n - 1n

/** Converts a range of ids to numbers, limited to possible ids. */
export const idsOf = ([least, greatest]: ColumnRange): ValueRange => [
  Number(least === null || least < 0n ? 0n : least > MAX_ID ? MAX_ID + 1n : least),
  Number(greatest === null || greatest > MAX_ID ? MAX_ID : greatest < 0n ? -1n : greatest),
]

/** Returns true if a range has an end. */
export const isBounded = ([least, greatest]: ColumnRange): boolean => least !== null || greatest !== null
