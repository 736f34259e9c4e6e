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
  /^(?<year>\d{4})(?:-(?<month>\d\d)(?:-(?<day>\d\d)(?:[T ](?<hours>\d\d?):(?<minutes>\d\d)(?::(?<seconds>\d\d)(?:[.,](?<fraction>\d+))?)?(?: ?(?<zone>Z|UTC|GMT|[+-]\d\d(?::?\d\d)?))?)?)?)?$/i
/** A date with its year first, such as 2019-8-5, or 2019/08/05 as GDAL writes it. Its month comes next. */
const YEAR_FIRST = /^(\d{4})([-/])(\d\d?)\2(\d\d?)(?!\d)/
/** A date of e-mail and HTTP (RFC 5322). */
const MAIL =
  /^(?:[a-z]{3}, *)?(?<day>\d{1,2}) (?<name>[a-z]{3}) (?<year>\d{4}) (?<hours>\d\d):(?<minutes>\d\d)(?::(?<seconds>\d\d))? (?<zone>UTC?|GMT|[+-]\d{4})(?: \([^()]*\))?$/i
const COMPACT = /^(?<year>1[89]\d\d|2[01]\d\d)(?<month>\d\d)(?<day>\d\d)$/
const CLOCK =
  /^(?<hours>\d{1,2}):(?<minutes>\d\d)(?::(?<seconds>\d\d)(?:[.,](?<fraction>\d+))?)?(?: ?(?<half>[AP]\.?M\.?))?(?: ?(?<zone>Z|UTC|GMT|[+-]\d\d(?::?\d\d)?))?$/i
const COMPACT_CLOCK = /^(?<hours>\d\d)(?<minutes>\d\d)(?:(?<seconds>\d\d)(?:[.,](?<fraction>\d+))?)?$/
const HOURS = /^(?<hours>\d{1,2})(?:[.,]0+)?$/

/** Reads a year from 1000, a month, a date or a time of ISO 8601, one with slashes, or one of e-mail. Null: it is none. */
export function isoIn(text: string): Written | null {
  const iso = text.replace(
    YEAR_FIRST,
    (_, year, __, ...parts) => `${year}-${twoDigits(parts[0])}-${twoDigits(parts[1])}`,
  )
  const written = writtenOf(ISO.exec(iso)?.groups ?? withMonth(MAIL.exec(text)?.groups))
  return written?.month === undefined && Number(written?.year) < 1000 ? null : written
}

const twoDigits = (number: string): string => number.padStart(2, '0')

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
/** A part, a text in brackets, which stands for itself, or any other character. */
const TOKEN = new RegExp(`\\[[^\\]]+\\]|${Object.keys(PARTS).join('|')}|.`, 'gsu')
const isPart = (token = ''): boolean => Object.hasOwn(PARTS, token)

/** Tests if a format of dates has the time of day. */
export const hasClock = (format: string): boolean => /HH|hh/.test((format.match(TOKEN) ?? []).filter(isPart).join(' '))

/** Parts that say the same. */
const SAME: Readonly<Record<string, string>> = { YY: 'YYYY', MMM: 'MM', hh: 'HH' }

/**
 * Returns a function that reads dates in a format. It returns null for other texts. `century` is the first year that two
 * digits can mean. Throws LoadError if an option is invalid.
 */
export function dateFormat(format: string, century?: string): (text: string) => Written | null {
  const tokens: readonly string[] = format.match(TOKEN) ?? []
  checkParts(format, tokens)
  const first = Number(century)
  if (tokens.includes('YY') && !/^\d{4}$/.test(century ?? ''))
    throw new LoadError(
      '--date-format has YY: add --century with the first year that it can mean, such as --century 1950',
    )
  const patterns = tokens.map((token, i) => {
    // A part beside another one must have all of its digits.
    const isBeside = isPart(tokens[i - 1]) || isPart(tokens[i + 1])
    const pattern = isBeside ? PARTS[token]?.replace('{1,2}', '{2}') : PARTS[token]
    return pattern ?? token.replace(/^\[(.+)\]$/s, '$1').replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')
  })
  const whole = new RegExp(`^${patterns.join('')}$`, 'u')
  return (text) => {
    const { short, ...groups } = whole.exec(text)?.groups ?? {}
    if (short !== undefined) groups.year = String(first + ((((Number(short) - first) % 100) + 100) % 100))
    return writtenOf(withMonth(groups))
  }
}

/** Adds the number of a month to its name. It is 0 for any other name. */
function withMonth(groups: Groups | undefined): Groups | undefined {
  const name = groups?.name?.slice(0, 3).toLowerCase()
  return name === undefined
    ? groups
    : { ...groups, month: String(1 + MONTHS.findIndex((names) => names.includes(name))) }
}

/**
 * Returns a function that reads dates in a format. It also reads days of ISO 8601, such as the dates of a workbook. Not if the
 * format has the day between the year and the month: then such a day may be either.
 */
export function datesBeside(format: string, century?: string): (text: string) => Written | null {
  const [read, isOdd] = [dateFormat(format, century), /^YYYY.*DD.*MM/s.test(format)]
  return (text) => {
    const written = read(text)
    if (written !== null || isOdd) return written
    const iso = isoIn(text)
    return iso?.day === undefined ? null : iso
  }
}

function checkParts(format: string, tokens: readonly string[]): void {
  const parts = tokens.filter(isPart)
  const meanings = new Set(parts.map((part) => SAME[part] ?? part))
  // Each part needs the one before it.
  const needed = ['YYYY', 'MM', 'DD', 'HH', 'mm', 'ss']
  const last = needed.findLastIndex((part) => meanings.has(part))
  const isWhole = needed.slice(0, Math.max(last, 0) + 1).every((part) => meanings.has(part))
  const letters = tokens.filter((token) => !isPart(token) && !token.endsWith(']')).join('')
  if (
    meanings.size < parts.length ||
    !isWhole ||
    parts.includes('hh') !== parts.includes('A') ||
    /[A-SU-Za-z]/.test(letters)
  )
    throw optionError(
      '--date-format',
      format,
      'enter YYYY, MM and DD, and for times and zones HH, mm, ss and Z, such as "DD-MM-YYYY HH:mm". YY, MMM, and hh with A are possible, too. Other letters need brackets, such as YYYY[MM]MM',
    )
}
