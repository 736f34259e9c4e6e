import { at } from '../base/collections.ts'
import { valueError } from '../base/errors.ts'
import type { Schema } from '../base/schema.ts'
import { type Clock, firstFrom, skipOf } from '../base/zone.ts'
import { type Condition, inRange } from '../question/condition.ts'
import type { FieldName } from '../question/fields.ts'
import { type Extent, floor, MILLISECOND, SECOND, TICKS } from '../question/range.ts'
import { bare, type FilterType } from './filter.ts'
import { comparable } from './numbers.ts'

/** The units of columns, in microseconds. */
export const MILLISECONDS = 1000n
export const MICROSECONDS = 1n

/** The maximum number of decimal digits of a second. */
const DIGITS = 100

const MILLION = 1_000_000n
/** Lengths of time in ticks. */
const MINUTE = 60n * SECOND
const HOUR = 60n * MINUTE
const DAY = 24n * HOUR
/** The milliseconds of a day in UTC. */
const DAY_LENGTH = 86_400_000

/** Returns a filter for an instant. */
export const instant = (field: FieldName): FilterType => comparable('instant', INSTANT_SCHEMA, field, timeOf, false)

/** Returns the conditions of an overlap. The interval is in ticks. Null: open end. */
export const overlapping = ([least, greatest]: Extent): readonly Condition[] => [
  ...(greatest === null ? [] : [inRange('start', [null, greatest])]),
  ...(least === null ? [] : [inRange('end', [least, null])]),
]

/** The pattern of a time relative to now. Five digits keep its year between 1 and 9999. */
const RELATIVE_PATTERN = 'now([-+]\\d{1,5}[hdw])?'

/** Throws a ValueError for a text that begins like a relative time. The reader of the query has replaced the correct ones. */
const refuseRelative = (text: string): void => {
  if (/^\s*now/i.test(text)) throw valueError(['relativeTime'])
}

const TIME_PATTERN = '([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d(\\.\\d{1,100})?)?(Z|[+-]([01]\\d|2[0-3]):[0-5]\\d)?'
const INSTANT_PATTERN = `\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])(T${TIME_PATTERN})?`
const ONE_PATTERN = `(${INSTANT_PATTERN}|${RELATIVE_PATTERN})`
const END_PATTERN = `(${ONE_PATTERN}|\\.\\.)?`
/** The schema of an interval. It cannot say that the first end is not after the second. */
export const INTERVAL_SCHEMA: Schema = {
  type: 'string',
  pattern: `^(${ONE_PATTERN}|${END_PATTERN}/${END_PATTERN})$`,
  description:
    'An instant, a date, a time such as now-7d, or two of them with a slash between. An end that is empty or .. is open.',
}

/** A filter for rows that share an instant with an interval, ends included, like `datetime` of OGC API - Features. */
export const overlap: FilterType = {
  ...bare('interval', INTERVAL_SCHEMA, (value, clock) => overlapping(intervalOf(value, clock))),
  asks: 'shares an instant with this instant, date or interval',
}

/**
 * Parses an instant, a date or an interval `a/b` into its first and last tick. An empty end and `..` are open (null). A
 * date is its whole day.
 */
export const intervalOf = (value: string, clock: Clock): [least: bigint | null, greatest: bigint | null] => {
  const ends = value.trim().split('/', 3)
  if (ends.length > 2 || value.trim() === '') throw valueError(['interval'])
  const [[least], [, greatest]] = [endOf(at(ends, 0), clock), endOf(at(ends, -1), clock)]
  if (!value.includes('/') && least === null) throw valueError(['interval'])
  if (least !== null && greatest !== null && least > greatest) throw valueError(['intervalBackward'])
  return [least, greatest]
}

const endOf = (text: string, clock: Clock): readonly [first: bigint | null, last: bigint | null] => {
  if (text === '' || text === '..') return [null, null]
  refuseRelative(text)
  const span = spanOf(text, clock)
  if (span === null) throw valueError(['interval'])
  return span
}

/**
 * Parses an instant or a date into its first and last tick. A day ends one tick before the next one. A date with a T
 * alone is its start, as GDAL writes midnight. Null: another text. Throws ValueError for a time that the clock skips.
 */
export const spanOf = (text: string, clock: Clock): [first: bigint, last: bigint] | null => {
  const [, date, midnight] = /^(\d{4}-\d\d-\d\d)(T?)$/i.exec(text.trim()) ?? []
  const written = readTime(date ?? text)
  if (written === null) return null
  const first = instantAt(written, clock)
  return [first, written.isDate && midnight === '' ? startOf(written.local + DAY_LENGTH, clock) - 1n : first]
}

const INSTANT_SCHEMA = {
  description:
    'An instant in ISO 8601. A date alone means midnight in UTC. An integer means milliseconds since 1970-01-01T00:00:00Z. A time from now has a number of hours, days or weeks, such as now-7d.',
  anyOf: [
    { type: 'string', format: 'date-time' },
    { type: 'string', format: 'date' },
    { type: 'integer' },
    { type: 'string', pattern: `^${RELATIVE_PATTERN}$` },
  ],
}

const INSTANT =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,100}))?)?([Zz]|([+ -])([01]\d|2[0-3])(?::?([0-5]\d))?)?)?$/

/** Integers are milliseconds since 1970. */
const INTEGER = /^-?\d{1,30}$/
/** A year, a month or a day without hyphens. It could mean a date or milliseconds. */
const DATE = /^\d{4}((0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])?)?$/

/** Parses an instant of a filter into ticks since 1970. Throws ValueError if it is not an instant. */
export const timeOf = (value: string, clock: Clock): bigint => {
  const text = value.trim()
  refuseRelative(text)
  if (DATE.test(text)) throw valueError(['noHyphens', text, text.padStart(10, '0')])
  return INTEGER.test(text) ? BigInt(text) * MILLISECOND : exactInstantOf(text, clock)
}

/** Returns the ticks of the decimal digits of a second, which may be absent. */
const fractionOf = (digits: string | undefined): bigint => BigInt((digits ?? '').padEnd(DIGITS, '0'))

/** Parses an ISO 8601 date or date-time into microseconds since 1970, rounded down, as `exactInstantOf` does. */
export const instantOf = (value: string): bigint => floor(exactInstantOf(value), TICKS)

/**
 * Parses an ISO 8601 date or date-time into ticks since 1970. Without an offset it is on the clock, and a date alone is
 * its start. Throws ValueError for another text, and for a time that the clock skips.
 */
export const exactInstantOf = (value: string, clock: Clock = null): bigint => {
  const written = readTime(value)
  if (written === null) throw valueError(['instant'])
  return instantAt(written, clock)
}

/** A time as it is written. `local` is in milliseconds since 1970T00:00, `fraction` and `offset` are in ticks. */
interface WrittenTime {
  readonly local: number
  readonly fraction: bigint
  /** Null: the text has no offset. */
  readonly offset: bigint | null
  readonly isDate: boolean
}

/** Reads the parts of a date or a time. A space before an offset is a plus, because a plus in a URL arrives as a space. */
const readTime = (text: string): WrittenTime | null => {
  const match = INSTANT.exec(text.trim())
  const [year, month, day, hours, minutes, seconds] = (match ?? []).slice(1, 7).map((part) => Number(part ?? 0))
  const [fraction, zone, sign, offsetHours = '00', offsetMinutes = '00'] = (match ?? []).slice(7)
  const time = Date.UTC(2000, 0, 1, hours, minutes, seconds) - Date.UTC(2000, 0, 1)
  const date = new Date(0)
  date.setUTCFullYear(year ?? 0, (month ?? 0) - 1, day)
  if (match === null || date.getUTCMonth() + 1 !== month || date.getUTCDate() !== day) return null
  const offset = (BigInt(offsetHours) * HOUR + BigInt(offsetMinutes) * MINUTE) * (sign === '-' ? -1n : 1n)
  return {
    local: date.getTime() + time,
    fraction: fractionOf(fraction),
    offset: zone === undefined ? null : offset,
    isDate: match[4] === undefined,
  }
}

/** Returns the ticks of a time. A clock may skip it, but a day whose midnight is skipped has a start. */
const instantAt = ({ local, fraction, offset, isDate }: WrittenTime, clock: Clock): bigint => {
  if (offset !== null) return BigInt(local) * MILLISECOND + fraction - offset
  const skip = clock && skipOf(clock, local)
  if (clock !== null && skip !== null && !(isDate && skip[1] < local + DAY_LENGTH))
    throw valueError(['skipped', clock.name, ...skip.map(minuteOf)])
  return startOf(local, clock) + fraction
}

/** Returns the ticks of the first instant that is not before a local time in milliseconds. */
const startOf = (local: number, clock: Clock): bigint =>
  BigInt(clock === null ? local : firstFrom(clock, local)) * MILLISECOND

/** Writes a local time to the minute, such as `2025-03-30T02:00`. */
const minuteOf = (local: number): string => new Date(local).toISOString().slice(0, -':00.000Z'.length)

/** Formats an instant in ISO 8601, in UTC. `unit` is its unit in microseconds. A fraction has six digits. Null stays null. */
export const isoInstant = (value: number | null, unit: bigint): string | null => {
  if (value === null) return null
  const micros = BigInt(value) * unit
  const seconds = floor(micros, MILLION)
  const fraction = micros - seconds * MILLION
  const text = new Date(Number(seconds) * 1000).toISOString().slice(0, -'.000Z'.length)
  return fraction === 0n ? `${text}Z` : `${text}.${String(fraction).padStart(6, '0')}Z`
}

const CLOCK_PATTERN = `(?:(-?[0-9]+) (?:days?, )?)?(-?)(?:(?:([0-9]+):)?([0-9]+):)?([0-9]+)(?:[.,]([0-9]{1,100}))?`
const AMOUNT = `([0-9]+(?:[.,][0-9]{1,100})?)`
const ISO_PATTERN = `([+-]?)[Pp](?=.*[0-9])(?:${AMOUNT}[Dd])?(?:[Tt](?=[0-9])(?:${AMOUNT}[Hh])?(?:${AMOUNT}[Mm])?(?:${AMOUNT}[Ss])?)?`
const [CLOCK, ISO] = [new RegExp(`^${CLOCK_PATTERN}$`), new RegExp(`^${ISO_PATTERN}$`)]
const MAX_LENGTH = 200

const DURATION_SCHEMA = {
  type: 'string',
  pattern: `^(?:${CLOCK_PATTERN}|${ISO_PATTERN})$`,
  maxLength: MAX_LENGTH,
  description: 'A length of time, as [days ][[HH:]MM:]SS, or in ISO 8601 with days, hours, minutes and seconds.',
}

/** A filter for the duration of an event, `HH:MM:SS` or `PT<h>H<m>M`. */
export const duration: FilterType = comparable('duration', DURATION_SCHEMA, 'duration', (text) => durationOf(text))

/**
 * Parses a duration into ticks. Accepts Django's form `[D ][[HH:]MM:]SS[.ffffff]`, with up to 100 decimal digits, and
 * ISO 8601 with days, hours, minutes and seconds. Throws ValueError for anything else, such as weeks, months and years.
 */
export const durationOf = (value: string): bigint => {
  const text = value.trim()
  const [clock, iso] = text.length > MAX_LENGTH ? [null, null] : [CLOCK.exec(text), ISO.exec(text)]
  const signed = (sign: string | undefined, time: bigint) => (sign === '-' ? -time : time)
  if (clock !== null) {
    const [, days = '0', sign, hours = '0', minutes = '0', seconds = '0', fraction] = clock
    const time = BigInt(hours) * HOUR + BigInt(minutes) * MINUTE + BigInt(seconds) * SECOND + fractionOf(fraction)
    return BigInt(days) * DAY + signed(sign, time)
  }
  if (iso === null) throw valueError(['duration'])
  const [, sign, ...amounts] = iso
  return signed(
    sign,
    [DAY, HOUR, MINUTE, SECOND].reduce((sum, unit, i) => {
      const [whole = '0', fraction] = (amounts[i] ?? '0').split(/[.,]/)
      return sum + BigInt(whole) * unit + (fractionOf(fraction) * unit) / SECOND
    }, 0n),
  )
}
