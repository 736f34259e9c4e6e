import { LoadError, optionError } from '../load/error.ts'

/** A time as a text writes it. Parts that the text lacks are absent. */
export interface Written {
  readonly year: number
  readonly month?: number | undefined
  readonly day?: number | undefined
  /** Milliseconds since midnight. Hour 24 is the next midnight. */
  readonly clock?: number | undefined
  /** Milliseconds by which local time is ahead of UTC. */
  readonly offset?: number | undefined
}

export const DAY = 86_400_000 // milliseconds
const [HOUR, MINUTE, SECOND] = [3_600_000, 60_000, 1000] // milliseconds

/** Returns the milliseconds since 1970 of a local time. Null: there is no such day. */
export function localOf({ year, month = 1, day = 1, clock = 0 }: Written): number | null {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.getUTCMonth() + 1 === month && date.getUTCDate() === day ? date.getTime() + clock : null
}

/** Returns the local time at the end of a year, a month or a day, in milliseconds since 1970. */
export function endOf({ year, month, day }: Written): number {
  const date = new Date(0)
  if (month === undefined) date.setUTCFullYear(year + 1, 0, 1)
  else if (day === undefined) date.setUTCFullYear(year, month, 1)
  else date.setUTCFullYear(year, month - 1, day + 1)
  return date.getTime()
}

/** The parts of a time in a regular expression. */
type Groups = Readonly<Record<string, string | undefined>>

const ISO =
  /^(?<year>\d{4})(?:-(?<month>\d\d)(?:-(?<day>\d\d)(?:[T ](?<hours>\d\d):(?<minutes>\d\d)(?::(?<seconds>\d\d)(?:[.,](?<fraction>\d+))?)?(?: ?(?<zone>Z|UTC|GMT|[+-]\d\d(?::?\d\d)?))?)?)?)?$/i
/** A date as GDAL writes it. */
const SLASHES = /^(\d{4})\/(\d\d)\/(\d\d)(?!\d)/
const COMPACT = /^(?<year>1[89]\d\d|2[01]\d\d)(?<month>\d\d)(?<day>\d\d)$/
const CLOCK =
  /^(?<hours>\d{1,2}):(?<minutes>\d\d)(?::(?<seconds>\d\d)(?:[.,](?<fraction>\d+))?)?(?: ?(?<half>[AP]\.?M\.?))?(?: ?(?<zone>Z|UTC|GMT|[+-]\d\d(?::?\d\d)?))?$/i
const COMPACT_CLOCK = /^(?<hours>\d\d)(?<minutes>\d\d)(?:(?<seconds>\d\d)(?:[.,](?<fraction>\d+))?)?$/
const HOURS = /^(?<hours>\d{1,2})(?:[.,]0+)?$/

/** Reads a year from 1000, a month, a date or a time of ISO 8601, or one with slashes. Null: it is none. */
export function isoIn(text: string): Written | null {
  const written = writtenOf(ISO.exec(text.replace(SLASHES, '$1-$2-$3'))?.groups)
  return written?.month === undefined && Number(written?.year) < 1000 ? null : written
}

/** Reads a date of ISO 8601, with or without hyphens, or its midnight. Null: it is none. */
export function dayIn(text: string): Written | null {
  const written = isoIn(text) ?? writtenOf(COMPACT.exec(text)?.groups)
  return written?.day === undefined || written.clock ? null : written
}

/** Reads a time of day, such as 7:47, 074751.00 or 7:47 PM. `isHour`: a number is an hour. Null: it is none. */
export function clockIn(text: string, isHour: boolean): Pick<Written, 'clock' | 'offset'> | null {
  const match = CLOCK.exec(text) ?? COMPACT_CLOCK.exec(text) ?? (isHour ? HOURS.exec(text) : null)
  return match && writtenOf({ year: '0', ...match.groups })
}

function writtenOf(groups: Groups | undefined): Written | null {
  if (groups?.year === undefined) return null
  const { year, month, day, hours, zone } = groups
  const clock = hours === undefined ? undefined : clockOf(groups)
  if (clock === null) return null
  return {
    year: Number(year),
    month: month === undefined ? undefined : Number(month),
    day: day === undefined ? undefined : Number(day),
    clock,
    offset: zone === undefined ? undefined : offsetOf(zone),
  }
}

/** Returns the time since midnight. Null: no clock shows it. */
function clockOf({ hours, minutes = '0', seconds = '0', fraction = '', half }: Groups): number | null {
  const [hour, minute, second] = [Number(hours), Number(minutes), Number(seconds)]
  if (half !== undefined && (hour < 1 || hour > 12)) return null
  const whole = half === undefined ? hour : (hour % 12) + (/^p/i.test(half) ? 12 : 0)
  const clock = whole * HOUR + minute * MINUTE + second * SECOND + Number(fraction.slice(0, 3).padEnd(3, '0'))
  return minute < 60 && second < 60 && (half === undefined ? clock <= DAY : clock < DAY) ? clock : null
}

function offsetOf(zone: string): number {
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) * HOUR + Number(minutes) * MINUTE)
}

/** The first three letters of the months, in English and Dutch. */
const MONTHS = ['jan', 'feb', 'mar mrt maa', 'apr', 'may mei', 'jun', 'jul', 'aug', 'sep', 'oct okt', 'nov', 'dec']
/** The patterns of the parts that a format of dates may have. */
const PARTS: Readonly<Record<string, string>> = {
  YYYY: '(?<year>\\d{4})',
  YY: '(?<short>\\d{2})',
  MMM: '(?<name>\\p{L}{3,9})\\.?',
  MM: '(?<month>\\d{1,2})',
  DD: '(?<day>\\d{1,2})',
  HH: '(?<hours>\\d{1,2})',
  hh: '(?<hours>\\d{1,2})',
  mm: '(?<minutes>\\d{1,2})',
  ss: '(?<seconds>\\d{1,2})(?:[.,](?<fraction>\\d+))?',
  A: '(?<half>[AaPp]\\.?[Mm]\\.?)',
  Z: '(?<zone>Z|UTC|GMT|[+-]\\d\\d(?::?\\d\\d)?)',
}
const PART = new RegExp(Object.keys(PARTS).join('|'), 'g')

/** Tests if a format of dates has the time of day. */
export const hasClock = (format: string): boolean => /HH|hh/.test(format)

/** Parts that say the same. */
const SAME: Readonly<Record<string, string>> = { YY: 'YYYY', MMM: 'MM', hh: 'HH' }

/**
 * Returns a function that reads dates in a format. It returns null for other texts. `century` is the first year that two
 * digits can mean. Throws LoadError if an option is invalid.
 */
export function dateFormat(format: string, century?: string): (text: string) => Written | null {
  const pieces = format.split(new RegExp(`(${PART.source})`))
  checkParts(format, pieces)
  const first = Number(century)
  if (pieces.includes('YY') && !/^\d{4}$/.test(century ?? ''))
    throw new LoadError(
      '--date-format has YY: add --century with the first year that it can mean, such as --century 1950',
    )
  const patterns = pieces.map((piece, i) => {
    // A part beside another one must have all of its digits.
    const isBeside = (i > 1 && pieces[i - 1] === '') || (i < pieces.length - 2 && pieces[i + 1] === '')
    const pattern = isBeside ? PARTS[piece]?.replace('{1,2}', '{2}') : PARTS[piece]
    return pattern ?? piece.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')
  })
  const whole = new RegExp(`^${patterns.join('')}$`, 'u')
  return (text) => {
    const { short, name, ...groups } = whole.exec(text)?.groups ?? {}
    if (short !== undefined) groups.year = String(first + ((((Number(short) - first) % 100) + 100) % 100))
    if (name !== undefined) groups.month = String(1 + MONTHS.findIndex((names) => names.includes(monthOf(name))))
    return writtenOf(groups)
  }
}

const monthOf = (name: string): string => name.slice(0, 3).toLowerCase()

function checkParts(format: string, pieces: readonly string[]): void {
  const parts = pieces.filter((_, i) => i % 2 === 1)
  const meanings = new Set(parts.map((part) => SAME[part] ?? part))
  // Each part needs the one before it.
  const needed = ['YYYY', 'MM', 'DD', 'HH', 'mm', 'ss']
  const last = needed.findLastIndex((part) => meanings.has(part))
  const isWhole = needed.slice(0, Math.max(last, 0) + 1).every((part) => meanings.has(part))
  const letters = pieces.filter((_, i) => i % 2 === 0).join('')
  if (
    meanings.size < parts.length ||
    !isWhole ||
    parts.includes('hh') !== parts.includes('A') ||
    /[A-SU-Za-z]/.test(letters)
  )
    throw optionError(
      '--date-format',
      format,
      'enter YYYY, MM and DD, and for times and zones HH, mm, ss and Z, such as "DD-MM-YYYY HH:mm". YY, MMM, and hh with A are possible, too',
    )
}
