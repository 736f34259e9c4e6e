import { ValueError } from '../../src/errors.ts'
import { instantOf } from '../../src/filters/temporal.ts'
import { milliseconds as timeKind } from '../../src/model/kinds.ts'
import { zoneOf } from '../../src/zone.ts'
import { optionError } from '../load/error.ts'

export interface TimeOptions {
  /** The unit of times that are numbers. */
  readonly unit?: string | undefined
  /** The format of dates that are not ISO 8601, such as `DD-MM-YYYY HH:mm`. */
  readonly format?: string | undefined
  /** The IANA name of the time zone of times without a zone. Default: UTC. */
  readonly zone?: string | undefined
}

/** Returns milliseconds since 1970, rounded down. Throws ValueError with the value or the option to enter. */
type ReadTime = (value: unknown) => number

const DAY = 86_400_000 // milliseconds

/** `toMilliseconds` converts to milliseconds since 1970. `local`: the result is a local time without a zone. */
const UNITS = {
  s: { toMilliseconds: (n: number) => Math.floor(n * 1000), local: false },
  ms: { toMilliseconds: Math.floor, local: false },
  us: { toMilliseconds: (n: number) => Math.floor(n / 1000), local: false },
  // Spreadsheets count days: 1 is 1900-01-01. Their 60 is 29 February 1900, a day that did not exist.
  'days-1900': { toMilliseconds: (n: number) => Math.round((n - (n < 60 ? 25_568 : 25_569)) * DAY), local: true },
} as const
type Unit = keyof typeof UNITS

const NUMBER = /^[+-]?\d+(\.\d+)?$/
const ZONED = /(Z|[+-]\d\d(:?\d\d)?)$/i
/** Milliseconds that --time-unit must confirm: below LIKELY is near 1970, from UNLIKELY on is after the year 5000. */
const [LIKELY, UNLIKELY] = [1e11, 1e14]

/** Creates a function that reads the times of a file. Throws LoadError if an option is invalid. */
export function timeReader({ unit, format, zone }: TimeOptions): ReadTime {
  if (unit !== undefined && !Object.hasOwn(UNITS, unit))
    throw optionError('--time-unit', unit, `enter ${Object.keys(UNITS).join(', ')}`)
  const toUtc = zone === undefined ? (local: number) => local : toUtcFrom(zone)
  const toIso = format === undefined ? (text: string) => text : dateFormat(format)
  const hint = format === undefined ? HINT : `enter a date in the form of --date-format, ${format}`
  return (value) => {
    const text = typeof value === 'string' ? value.trim() : value
    const isText = typeof text === 'string' && text !== ''
    const isNumber = typeof text === 'number' || (isText && NUMBER.test(text))
    if (format === undefined && isNumber) return inRange(numberToUtc(Number(text), unit as Unit | undefined, toUtc))
    if (!isText && !isNumber) throw new ValueError(hint)
    return inRange(instantToUtc(toIso(String(text)), toUtc, hint))
  }
}

/**
 * Returns a function from local time to UTC, in milliseconds since 1970. It throws ValueError for a time that the clock
 * skips. Throws LoadError for an unknown zone.
 */
const toUtcFrom = (name: string): ((local: number) => number) => {
  const zone = zoneOf(name)
  if (zone === null) throw optionError('--timezone', name, 'enter the name of a time zone, such as Europe/Amsterdam')
  return (local) => {
    const instant = zone.toInstant(local)
    // A day without a midnight begins later. Its date alone is valid.
    if (local % DAY === 0 || zone.toLocal(instant) === local) return instant
    throw new ValueError(
      `enter another time, because the clock of ${name} skips this one (for clocks without summer time use --timezone, such as +01:00)`,
    )
  }
}

const HINT =
  'enter ISO 8601, such as "2018-02-06T00:00:00Z" (without a zone: UTC, or --timezone), or milliseconds since 1970; for other dates use --date-format'

const inRange = (milliseconds: number): number => {
  const { expected, read } = timeKind
  const time = read(milliseconds)
  if (time === undefined) throw new ValueError(`enter ${expected}`)
  return time
}

type ToUtc = (local: number) => number

function numberToUtc(n: number, unit: Unit | undefined, toUtc: ToUtc): number {
  const size = Math.abs(n)
  if (unit === undefined && (size < LIKELY || size >= UNLIKELY)) throw new ValueError(`use --time-unit: ${meanings(n)}`)
  const { toMilliseconds, local } = UNITS[unit ?? 'ms']
  return local ? toUtc(toMilliseconds(n)) : toMilliseconds(n)
}

/** Lists the date of a number in each unit, most likely first. If it can, only dates from 1900 to 2100. */
function meanings(n: number): string {
  const shown = (Object.keys(UNITS) as Unit[]).flatMap((unit) => {
    const time = UNITS[unit].toMilliseconds(n)
    return Math.abs(time) > 8.64e15 ? [] : [{ unit, time, date: new Date(time).toISOString().replace('.000Z', 'Z') }]
  })
  const likely = shown.filter(({ time }) => time > Date.UTC(1900) && time < Date.UTC(2101))
  const near = (time: number) => (Math.abs(time) < 3 * 365 * DAY ? 1 : 0)
  const sorted = (likely.length > 0 ? likely : shown).sort((a, b) => near(a.time) - near(b.time))
  const whole = sorted.map(({ unit, date }) => `${unit} is ${date}`)
  const [, year, month, day] = /^(1[89]\d\d|2[01]\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/.exec(String(n)) ?? []
  return [...(day ? [`--date-format YYYYMMDD is ${year}-${month}-${day}`] : []), ...whole].join(', ')
}

/** Converts an ISO 8601 text, whose fraction may follow a comma. Throws ValueError with the hint for any other text. */
function instantToUtc(text: string, toUtc: ToUtc, hint: string): number {
  let time: number
  try {
    time = Number(instantOf(text.replace(/(:\d\d)[.,](\d{1,3})\d*/, '$1.$2')) / 1000n)
  } catch {
    throw new ValueError(hint)
  }
  return /[T ]/i.test(text) && ZONED.test(text) ? time : toUtc(time)
}

/** The patterns of the parts that a format of dates may have. */
const PARTS: Readonly<Record<string, string>> = {
  YYYY: '(?<year>\\d{4})',
  MM: '(?<month>\\d{1,2})',
  DD: '(?<day>\\d{1,2})',
  HH: '(?<hours>\\d{1,2})',
  mm: '(?<minutes>\\d{2})',
  ss: '(?<seconds>\\d{2})(?:[.,](?<fraction>\\d+))?',
  Z: '(?<zone>Z|[+-]\\d\\d:?\\d\\d)',
}
const PART = new RegExp(Object.keys(PARTS).join('|'), 'g')
const NEEDED = ['YYYY', 'MM', 'DD']

/**
 * Returns a function that converts dates in a format to ISO 8601. It converts other texts to an empty text. The parts of
 * the format are YYYY, MM, DD, HH, mm, ss (with any fraction) and Z. Throws LoadError if the format is invalid.
 */
function dateFormat(format: string): (text: string) => string {
  const parts: readonly string[] = format.match(PART) ?? []
  const rest = format.replace(PART, '')
  if (!NEEDED.every((part) => parts.includes(part)) || new Set(parts).size < parts.length || /[A-SU-Za-z]/.test(rest))
    throw optionError(
      '--date-format',
      format,
      'enter YYYY, MM and DD, and for times and zones HH, mm, ss and Z, such as "DD-MM-YYYY HH:mm"',
    )
  // In a format without separators, each part must have all of its digits.
  const digits = rest === '' ? '{2}' : '{1,2}'
  const pieces = format.split(new RegExp(`(${PART.source})`))
  const patterns = pieces.map((piece) => PARTS[piece]?.replace('{1,2}', digits) ?? piece.replace(/[^\w\s]/g, '\\$&'))
  const whole = new RegExp(`^${patterns.join('')}$`)
  return (text) => {
    const {
      year,
      minutes = '00',
      seconds = '00',
      fraction = '0',
      zone = '',
      ...others
    } = whole.exec(text)?.groups ?? {}
    const [month, day, hours] = [others.month, others.day, others.hours ?? ''].map((part) => part?.padStart(2, '0'))
    return year === undefined ? '' : `${year}-${month}-${day}T${hours}:${minutes}:${seconds}.${fraction}${zone}`
  }
}
