import { sql } from 'drizzle-orm'
import { DURATION_CLASSES, durationClass } from '../../../schema/durations.ts'
import { events } from '../../../schema/tables.ts'
import { at } from '../../collections.ts'
import { type ColumnRange, rangesTable } from '../../filters/sql.ts'
import { intersection, isBounded, isEmpty, numbersOf, type TimeBounds, type ValueRange } from '../conditions/search.ts'
import { partOf, rowsIn, rowsInDurations, type Statistics } from '../estimates.ts'
import { through } from '../events.ts'

/** Ranges of starts by class of durations. */
type Classes = readonly (readonly [durationClass: number, ...ValueRange])[]

/** Estimates the rows in the classes of durations. Null without bounds on time. */
export const rowsInTime = (bounds: TimeBounds, statistics: Statistics): number | null => {
  const classes = classesOf(bounds)
  if (classes === null) return null
  const { starts, total } = statistics
  const rowsOf = ([durationClass, ...range]: Classes[number]) =>
    rowsInDurations(statistics, durationsIn(durationClass)) * partOf(rowsIn(starts, ...range), total)
  return classes.reduce((sum, range) => sum + rowsOf(range), 0)
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
