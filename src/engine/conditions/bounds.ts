import type { ColumnRange } from '../../filters/sql.ts'

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
