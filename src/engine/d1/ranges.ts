import { at, type ValueRange } from '../../base/collections.ts'
import type { ColumnRange } from './sql.ts'

export const ANY: ColumnRange = [null, null]
export const NONE: ColumnRange = [1n, 0n]

/** Returns the common parts of two lists of ranges. Both are sorted and disjoint. */
export const inBoth = (a: readonly ColumnRange[], b: readonly ColumnRange[]): readonly ColumnRange[] => {
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

/** The ranges of the times and of the duration of every match. */
export interface TimeBounds {
  readonly start: ColumnRange
  readonly end: ColumnRange
  readonly duration: ColumnRange
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

/** Limits ranges to possible durations. */
export const durationsOf = (extents: readonly ColumnRange[]): readonly ColumnRange[] =>
  extents.map((extent) => intersection(extent, [0n, null])).filter((extent) => !isEmpty(extent))

const sum = (a: bigint | null, b: bigint | null): bigint | null => (a === null || b === null ? null : a + b)

const difference = (a: bigint | null, b: bigint | null): bigint | null => (a === null || b === null ? null : a - b)

/** The greatest distance from 1970 that a JavaScript Date can hold, in milliseconds, and the greatest id. */
const [REACH, MAX_ID] = [8_640_000_000_000_000n, 2n ** 53n - 1n]

/** Converts a range of instants to numbers, limited to possible instants. */
export const numbersOf = (extent: ColumnRange): ValueRange => limited(extent, -REACH, REACH)

/** Converts a range of ids to numbers, limited to possible ids. */
export const idRangeOf = (extent: ColumnRange): ValueRange => limited(extent, 0n, MAX_ID)

const limited = ([least, greatest]: ColumnRange, first: bigint, last: bigint): ValueRange => [
  Number(least === null || least < first ? first : least > last ? last + 1n : least),
  Number(greatest === null || greatest > last ? last : greatest < first ? first - 1n : greatest),
]

/** Returns true if a range has an end. */
export const isBounded = ([least, greatest]: ColumnRange): boolean => least !== null || greatest !== null
