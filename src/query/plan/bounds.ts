import type { Extent } from '../../filters/lookups.ts'

/** What is known of the time of every row that matches: what was asked for, and what follows from it. */
export interface TimeBounds {
  readonly start: Extent
  readonly end: Extent
  readonly duration: Extent
  /** Whether a row can be within all of them. */
  readonly possible: boolean
}

export const ANY: Extent = [null, null]

/**
 * Bounds on start, end and duration as they follow from each other: a duration is never negative, and start + duration
 * is the end. Of a row that is within those given, all of these hold.
 */
export const timeBounds = (start: Extent, end: Extent, duration: Extent): TimeBounds => {
  let [s, e, d] = [start, end, intersection(duration, [0n, null])]
  // What follows from two of them can narrow the third once more; a second turn finds nothing new.
  for (let turn = 0; turn < 2; turn++) {
    e = intersection(e, [sum(s[0], d[0]), sum(s[1], d[1])])
    s = intersection(s, [difference(e[0], d[1]), difference(e[1], d[0])])
    d = intersection(d, [difference(e[0], s[1]), difference(e[1], s[0])])
  }
  return { start: s, end: e, duration: d, possible: ![s, e, d].some(isEmpty) }
}

/** What is within both. */
export const intersection = (a: Extent, b: Extent): Extent => [
  a[0] === null || (b[0] !== null && b[0] > a[0]) ? b[0] : a[0],
  a[1] === null || (b[1] !== null && b[1] < a[1]) ? b[1] : a[1],
]

export const isEmpty = ([least, greatest]: Extent): boolean => least !== null && greatest !== null && least > greatest

const sum = (a: bigint | null, b: bigint | null): bigint | null => (a === null || b === null ? null : a + b)

const difference = (a: bigint | null, b: bigint | null): bigint | null => (a === null || b === null ? null : a - b)
