import { type SQL, sql } from 'drizzle-orm'

/** The classes of durations. A duration of class k is less than 2^k milliseconds. The last class has no limit. */
export const DURATION_CLASSES = [16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40, 54] as const
const LIMITS = DURATION_CLASSES.slice(0, -1).map((bits) => 2 ** bits)

/**
 * Returns SQL for the first result whose limit is above a duration, and for the last result without such a limit. It
 * compares integers only: an index needs equal results on every machine.
 */
const byLimit = (duration: string, limits: readonly number[], results: readonly number[]): string => {
  if (limits.length === 0) return String(results[0])
  const middle = Math.floor(limits.length / 2)
  const below = byLimit(duration, limits.slice(0, middle), results)
  const above = byLimit(duration, limits.slice(middle + 1), results.slice(middle + 1))
  return `(CASE WHEN ${duration} < ${limits[middle]} THEN ${below} ELSE ${above} END)`
}

/** Returns SQL for the class of a duration. */
export const classOf = (duration: string): SQL => sql.raw(byLimit(duration, LIMITS, DURATION_CLASSES))

/**
 * The class of an event's duration, as in the index event_of_class. It is not a column, because SQLite would not read
 * the column from the index.
 */
export const durationClass = classOf('"event"."end" - "event"."start"')

const upTo = (most: number): number[] => Array.from({ length: most }, (_, i) => i + 1)
const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000]

/** Many events have such a duration, and people filter by them. */
const ROUND = [
  0,
  ...[1, 5, 10, 30].map((seconds) => seconds * SECOND),
  ...[1, 2, 5, 10, 15, 20, 30, 45].map((minutes) => minutes * MINUTE),
  ...upTo(48).map((hours) => hours * HOUR),
  ...[3, 4, 5, 6, 7, 10, 14, 21, 28, 30, 31, 60, 90, 180, 365, 730, 3650, 36_500].map((days) => days * DAY),
]

/**
 * The least durations of the nodes that are counted. Each round duration has a node of its own, and each class begins
 * with a node.
 */
export const DURATIONS = [...ROUND, ...ROUND.map((round) => round + 1), ...LIMITS].sort((a, b) => a - b)

/** The least duration of the node of an event, in SQL. */
export const durationNode = sql.raw(byLimit('"event"."duration"', DURATIONS.slice(1), DURATIONS))
