import type { SQL, SQLWrapper } from 'drizzle-orm'
import { at } from '../../collections.ts'
import type {
  Among,
  Condition,
  CountedDictionary,
  Dictionary,
  EntryNames,
  Listed,
  Span,
  Tested,
  Words,
} from '../../filters/filter.ts'
import { all, type ColumnRange } from '../../filters/sql.ts'
import { type Area, allOf } from '../../geometry/within.ts'

/** The conditions of a request. Conditions on the same column or dictionary are merged. */
export interface Criteria {
  /** Conditions that SQL alone decides. */
  readonly plain: readonly SQL[]
  /** Integer columns with an extent. */
  readonly spans: readonly Span[]
  /** Integer columns with a list of allowed values, each value once. */
  readonly lists: readonly Listed[]
  /** Conditions on dictionaries. */
  readonly groups: readonly Group[]
  /** Texts that the Worker tests, see run/texts.ts. */
  readonly tested: readonly (Tested | Words)[]
  /** Only the row of each entry of this dictionary that starts last matches, see run/latest.ts. Null: all rows. */
  readonly latest: CountedDictionary | null
  readonly area: Area | null
}

/** All conditions on one dictionary. */
export interface Group {
  readonly dictionary: Dictionary
  readonly match: SQL
  /** Regular expressions. The Worker tests them after the database query. */
  readonly tests: readonly ((text: string) => boolean)[]
  /** It names one entry or a few, for example by an exact text or a uuid. */
  readonly namesFewRows: boolean
  /** Decides for an entry in memory. Null: only the database decides. */
  readonly accepts: ((entry: EntryNames) => boolean) | null
}

/** Merges conditions by column and dictionary. */
export const criteriaOf = (conditions: readonly Condition[]): Criteria => {
  const plain: SQL[] = []
  const lists = new Map<SQLWrapper, readonly bigint[]>()
  const spans = new Map<SQLWrapper, ColumnRange>()
  const among = new Map<SQLWrapper, Among[]>()
  const tested: (Tested | Words)[] = []
  const areas: Area[] = []
  let latest: CountedDictionary | null = null
  for (const given of conditions) {
    const condition = given.kind === 'complement' ? given.rest : given
    switch (condition.kind) {
      case 'sql':
        plain.push(condition.sql)
        break
      case 'span':
        spans.set(condition.column, intersection(spans.get(condition.column) ?? ANY, condition.extent))
        break
      case 'listed':
        lists.set(condition.column, inBoth(lists.get(condition.column), [...new Set(condition.values)]))
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
  return {
    plain,
    spans: Array.from(spans, ([column, extent]) => ({ kind: 'span', column, extent })),
    lists: Array.from(lists, ([column, values]) => ({ kind: 'listed', column, values })),
    groups: Array.from(among.values(), groupOf),
    tested,
    latest,
    area: areas.length === 0 ? null : allOf(areas),
  }
}

/** Returns true if there is no condition except an area. */
export const asksOnlyArea = ({ plain, spans, lists, groups, tested, latest }: Criteria): boolean =>
  plain.length + spans.length + lists.length + groups.length + tested.length === 0 && latest === null

/** Returns the extent of a column. */
export const extentOf = ({ spans }: Criteria, column: SQLWrapper): ColumnRange =>
  spans.find((span) => span.column === column)?.extent ?? ANY

/** Returns the allowed values of a column, or null if any value is allowed. */
export const valuesOf = ({ lists }: Criteria, column: SQLWrapper): readonly bigint[] | null =>
  lists.find((list) => list.column === column)?.values ?? null

/** Returns true if the matches must be found before a plan is chosen, see run/latest.ts. */
export const needsRows = ({ tested, latest }: Criteria): boolean => tested.length > 0 || latest !== null

/** Returns true if the Worker tests the texts of a group. */
export const isTested = ({ tests }: Group): boolean => tests.length > 0

/**
 * Returns true if SQL alone decides the area. Its comparisons with the sides of rectangles are as exact as the tests of
 * points in the Worker.
 */
export const isRectangular = (area: Area): boolean =>
  area.parts.length > 0 && area.parts.every(({ rectangles }) => rectangles !== null)

const inBoth = (a: readonly bigint[] | undefined, b: readonly bigint[]): readonly bigint[] =>
  a === undefined ? b : a.filter((value) => b.includes(value))

/** Merges the conditions on one dictionary. There is at least one. */
const groupOf = (conditions: readonly Among[]): Group => {
  const matches = conditions.flatMap(({ match }) => (typeof match === 'function' ? [] : [match]))
  const tests = conditions.flatMap(({ match }) => (typeof match === 'function' ? [match] : []))
  const namesFewRows = conditions.some((condition) => condition.namesFewRows === true) && tests.length === 0
  const accepts = conditions.map((condition) => condition.accepts)
  return {
    dictionary: at(conditions, 0).dictionary,
    match: all(matches),
    tests,
    namesFewRows,
    accepts: accepts.every((each) => each !== undefined) ? (entry) => accepts.every((each) => each(entry)) : null,
  }
}

/** Time bounds that hold for every match. They come from the filters, and from each other: see `timeBounds`. */
export interface TimeBounds {
  readonly start: ColumnRange
  readonly end: ColumnRange
  readonly duration: ColumnRange
  /** False if no row can satisfy all bounds. */
  readonly possible: boolean
}

export const ANY: ColumnRange = [null, null]

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
  return { start: s, end: e, duration: d, possible: ![s, e, d].some(isEmpty) }
}

/** Returns the common part of two extents. */
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

/** Converts an extent of instants to numbers, limited to possible instants. */
export const numbersOf = ([least, greatest]: ColumnRange): ValueRange => [
  Number(least === null || least < -REACH ? -REACH : least > REACH ? REACH + 1n : least),
  Number(greatest === null || greatest > REACH ? REACH : greatest < -REACH ? -REACH - 1n : greatest),
]

const MAX_ID = 2n ** 53n - 1n

/** Converts an extent of ids to numbers, limited to possible ids. */
export const idsOf = ([least, greatest]: ColumnRange): ValueRange => [
  Number(least === null || least < 0n ? 0n : least > MAX_ID ? MAX_ID + 1n : least),
  Number(greatest === null || greatest > MAX_ID ? MAX_ID : greatest < 0n ? -1n : greatest),
]

/** Returns true if an extent has an end. */
export const isBounded = ([least, greatest]: ColumnRange): boolean => least !== null || greatest !== null
