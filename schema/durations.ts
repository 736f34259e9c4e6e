import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'

/** The classes of durations. A duration of class k is less than 2^k milliseconds. The last class has no limit. */
export const DURATION_CLASSES = [16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40, 54] as const
const LAST = 54

/** Returns SQL with a branch for each class. It compares integers only: an index must be equal on every machine. */
const byClass = (classes: readonly number[], duration: string, branch: (bits: number) => string | number): SQL => {
  const cases = classes.slice(0, -1).map((bits) => `WHEN ${duration} < ${2 ** bits} THEN ${branch(bits)}`)
  return sql.raw(`(CASE ${cases.join(' ')} ELSE ${branch(LAST)} END)`)
}

/** Returns SQL for the class of a duration. */
export const classOf = (duration: string): SQL => byClass(DURATION_CLASSES, duration, (bits) => bits)

/**
 * The class of an event's duration, as in the index event_of_class. It is not a column, because SQLite would not read
 * the column from the index.
 */
export const durationClass = classOf('"event"."end" - "event"."start"')

/** The classes of codes. They are smaller than the last class of durations. */
const CODED = [...DURATION_CLASSES.slice(0, -1), 42, 44, 46, 48, 50, 52, LAST]

/**
 * The code of a duration has its class, and then this many of its highest bits. So it grows with the duration, and
 * durations with one code differ by 0.2 % at most.
 */
const CODE_BITS = 11
const CODES = 2 ** CODE_BITS

/** The code of an event's duration, in SQL. */
export const durationCode = byClass(
  CODED,
  '"event"."duration"',
  (bits) => `${bits * CODES} + ("event"."duration" >> ${bits - CODE_BITS})`,
)

/** Returns the code of a duration in milliseconds. */
export const codeOf = (duration: bigint): number => {
  const bits = CODED.find((each) => duration < 2n ** BigInt(each)) ?? LAST
  return bits * CODES + Number(duration >> BigInt(bits - CODE_BITS))
}

/** Returns the least and the greatest duration with a code. */
export const durationsWith = (code: number): readonly [least: bigint, greatest: bigint] => {
  const bits = BigInt(Math.floor(code / CODES) - CODE_BITS)
  const high = BigInt(code % CODES)
  return [high << bits, ((high + 1n) << bits) - 1n]
}

/** The durations from a least to a greatest one in milliseconds. Null: no bound. */
type Extent = readonly [least: bigint | null, greatest: bigint | null]

/** Durations are below this number of milliseconds. */
const DURATIONS = 1n << BigInt(LAST)

/** Limits an extent to possible durations. */
export const possibleDurations = ([least, greatest]: Extent): readonly [least: bigint, greatest: bigint] => {
  const limited = (duration: bigint) => (duration < 0n ? 0n : duration < DURATIONS ? duration : DURATIONS - 1n)
  return [limited(least ?? 0n), limited(greatest ?? DURATIONS)]
}

/** Returns the first and the last code of the durations in an extent. */
export const codesIn = (extent: Extent): readonly [first: number, last: number] => {
  const [least, greatest] = possibleDurations(extent)
  return [codeOf(least), codeOf(greatest)]
}

/** Returns the first and the last code of a class of durations. */
export const codesOf = (durationClass: number): readonly [first: number, last: number] => {
  const below = DURATION_CLASSES.filter((bits) => bits < durationClass).length
  return [((DURATION_CLASSES[below - 1] ?? 0) + 1) * CODES, (durationClass + 1) * CODES - 1]
}

/** The SQL of `durationsWith`, for codes in SQL. It limits the duration, so that an index on it is entered. */
export const hasCode = (first: SQLWrapper, last: SQLWrapper): SQL => {
  const [mask, bits] = [sql.raw(`& ${CODES - 1}`), sql.raw(`>> ${CODE_BITS}`)]
  const shift = (code: SQLWrapper) => sql`((${code}) ${bits}) - ${sql.raw(String(CODE_BITS))}`
  return sql`"event"."duration" BETWEEN ((${first}) ${mask}) << (${shift(first)})
    AND ((((${last}) ${mask}) + 1) << (${shift(last)})) - 1`
}
