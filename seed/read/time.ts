import { ValueError } from '../../src/base/errors.ts'
import { zoneOf } from '../../src/base/zone.ts'
import { milliseconds as timeKind } from '../../src/model/kinds.ts'
import { optionError } from '../load/error.ts'
import { clockIn, DAY, datesBeside, dayIn, endOf, hasClock, isoIn, localOf, type Written } from './dates.ts'
import { formatsFor } from './formats.ts'

export interface TimeOptions {
  /** The unit of times that are numbers. */
  readonly unit?: string | undefined
  /** The format of dates that are not ISO 8601, such as `DD-MM-YYYY HH:mm`. */
  readonly format?: string | undefined
  /** The first year that two digits can mean. */
  readonly century?: string | undefined
  /** The IANA name of the time zone of times without a zone. Default: UTC. */
  readonly zone?: string | undefined
}

/** A time in milliseconds since 1970, rounded down. `last` is the end of a month, a year or an interval. */
export interface Time {
  readonly first: number
  readonly last?: number
}

/** The texts of one time in several columns, with the names of the columns. */
export class Joined {
  readonly texts: readonly string[]
  readonly names: readonly string[]

  constructor(texts: readonly string[], names: readonly string[]) {
    this.texts = texts
    this.names = names
  }

  toJSON(): string {
    return this.texts.join(' ')
  }
}

/** Throws ValueError with the value or the option to enter. */
type ReadTime = (value: unknown) => Time

/** `toMilliseconds` converts to milliseconds since 1970. `local`: the result is a local time without a zone. */
const UNITS = {
  s: { toMilliseconds: (n: number) => Math.floor(n * 1000), local: false },
  ms: { toMilliseconds: Math.floor, local: false },
  us: { toMilliseconds: (n: number) => Math.floor(n / 1000), local: false },
  ns: { toMilliseconds: (n: number) => Math.floor(n / 1e6), local: false },
  // Spreadsheets count days: 1 is 1900-01-01. Their 60 is 29 February 1900, a day that did not exist.
  'days-1900': { toMilliseconds: (n: number) => Math.round((n - (n < 60 ? 25_568 : 25_569)) * DAY), local: true },
} as const
type Unit = keyof typeof UNITS

const NUMBER = /^[+-]?(0|[1-9]\d*)(\.\d+)?$/
const YEAR = /^[12]\d{3}$/
/** A year as programs write it that know only numbers, such as 1950.0. */
const WHOLE_YEAR = /^([12]\d{3})\.0+$/
/** A period of Statistics Netherlands: a month, a quarter, half a year or a year, such as 2024KW01 or 2024JJ00. */
const PERIOD = /^(\d{4})(MM|KW|HJ|JJ)(\d\d)$/
/** The number of months of each. */
const PERIODS: Readonly<Record<string, number>> = { MM: 1, KW: 3, HJ: 6, JJ: 12 }
/** Milliseconds that --time-unit must confirm: below LIKELY is near 1970, from UNLIKELY on is after the year 5000. */
const [LIKELY, UNLIKELY] = [1e11, 1e14]

/** Receives the kind of a time that is not obvious, for the report. */
export type NoteTime = (kind: string) => void

/** Creates a function that reads the times of a file. Throws LoadError if an option is invalid. */
export function timeReader(options: TimeOptions, note: NoteTime = () => {}): ReadTime {
  const { unit, format, zone } = options
  if (unit !== undefined && !Object.hasOwn(UNITS, unit))
    throw optionError('--time-unit', unit, `enter ${Object.keys(UNITS).join(', ')}`)
  const toUtc = zone === undefined ? asUtc(note) : toUtcFrom(zone, note)
  const writtenIn = writtenReader(options)
  const utcOf = ({ offset }: Written, local: number) => inRange(offset === undefined ? toUtc(local) : local - offset)
  const firstOf = (written: Written) => utcOf(written, localOf(written) ?? 0)
  const lastOf = (written: Written) =>
    written.clock === undefined ? utcOf(written, endOf(written)) - 1 : firstOf(written)
  return (value) => {
    const text = typeof value === 'string' ? value.trim().replace(WHOLE_YEAR, '$1') : value
    const isNumber = typeof text === 'number' || (typeof text === 'string' && NUMBER.test(text))
    const isDate = format !== undefined || (unit === undefined && YEAR.test(String(text)))
    // Nanoseconds have more digits than a double.
    if (unit === 'ns' && /^-?\d+$/.test(String(text)))
      return { first: inRange(Number(BigInt(String(text)) / 1_000_000n)) }
    if (isNumber && !isDate) return { first: inRange(numberToUtc(Number(text), unit as Unit | undefined, toUtc)) }
    const [start, end] = format === undefined && typeof text === 'string' ? intervalIn(text) : [text]
    const written = writtenIn(start)
    if (written.clock === DAY) note('Times at hour 24, which is 00:00 of the next day')
    if (end !== undefined) note('Times that are intervals')
    else if (written.day === undefined) note('Times that are months or years, which their events last')
    else return { first: firstOf(written) }
    return { first: firstOf(written), last: lastOf(end === undefined ? written : writtenIn(end)) }
  }
}

/** Splits an interval such as 2018-05-19/21, whose end may lack the parts that it shares with the start. */
function intervalIn(text: string): readonly [start: string, end?: string] {
  const [, year, kind = '', number] = PERIOD.exec(text) ?? []
  const months = PERIODS[kind] ?? 0
  const last = months * (Number(number) + (kind === 'JJ' ? 1 : 0)) // The only year has the number 00.
  const monthOf = (month: number) => `${year}-${String(month).padStart(2, '0')}`
  if (months > 0) return [monthOf(last - months + 1), monthOf(last)]
  const [start = '', end, ...more] = text.split('/')
  if (end === undefined || end === '' || more.length > 0) return [text]
  return [start, (/^\d{4}(-|$)/.test(end) ? '' : start.slice(0, -end.length)) + end]
}

/** Returns a function that reads the parts of a time. It throws ValueError for any other value. */
function writtenReader({ format, century }: TimeOptions): (value: unknown) => Written {
  const read = format === undefined ? isoIn : datesBeside(format, century)
  const readDay = format === undefined ? dayIn : read
  const hint = format === undefined ? HINT : `enter a date in the form of --date-format, ${format}`
  const advice = (text: string): string => {
    if (LENGTH.test(text) && clockIn(text, false) === null)
      return '; it is a length of time: name a column of dates, such as --start DATE'
    if (format !== undefined) return ''
    if (clockIn(text, false) !== null)
      return '; for a time of day, join its column with that of the date, such as --start DATE+TIME'
    const formats = formatsFor(text)
    return formats === '' ? '' : `: ${formats}`
  }
  return (value) => {
    const texts = (value instanceof Joined ? value.texts : [String(value ?? '')]).map((text) => text.trim())
    const [date = '', time = ''] = texts
    const isPair = texts.length === 2 && (format === undefined || !hasClock(format))
    const written = isPair ? readDay(date) : read(texts.join(' '))
    if (written === null || localOf(written) === null)
      throw new ValueError(hint + advice(isPair ? date : texts.join(' ')))
    if (!isPair) return written
    const clock = clockIn(time, value instanceof Joined && HOURS.test(value.names[1] ?? ''))
    if (clock === null) throw new ValueError(NO_CLOCK)
    return { ...written, clock: clock.clock, offset: clock.offset }
  }
}

/** A length of time as a workbook shows it, such as 30:00:00. */
const LENGTH = /^-?\d+:\d\d(:\d\d(\.\d+)?)?$/
/** The name of a column that has hours. */
export const HOURS = /(^|[^a-z])(hours?|hr|hh?|uur|uren)([^a-z]|$)/i
const NO_CLOCK =
  'enter a time of day in the second column, such as 07:47 or 074700, or an hour in a column with a name such as hour. For others use --date-format with HH'

type ToUtc = (local: number) => number

export const ZONE_ADVICE = 'For Dutch clocks add --timezone Europe/Amsterdam.'
const UNZONED = `Times without a zone were read as UTC. ${ZONE_ADVICE}`

const asUtc =
  (note: NoteTime): ToUtc =>
  (local) => {
    note(UNZONED)
    return local
  }

/**
 * Returns a function from local time to UTC, in milliseconds since 1970. It throws ValueError for a time that the clock
 * skips. Throws LoadError for an unknown zone.
 */
const toUtcFrom = (name: string, note: NoteTime): ToUtc => {
  const zone = zoneOf(name)
  if (zone === null) throw optionError('--timezone', name, 'enter the name of a time zone, such as Europe/Amsterdam')
  return (local) => {
    const instant = zone.toInstant(local)
    // A day without a midnight begins later. Its date alone is valid.
    if (local % DAY !== 0 && zone.toLocal(instant) !== local)
      throw new ValueError(
        `enter another time, because the clock of ${name} skips this one (for clocks without summer time use --timezone, such as +01:00)`,
      )
    const tomorrow = instant + DAY
    const later = local + tomorrow - zone.toLocal(tomorrow)
    if (later > instant && zone.toLocal(later) === local)
      note(`Times that the clock of ${name} shows twice, of which the first one counts`)
    return instant
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

function numberToUtc(n: number, unit: Unit | undefined, toUtc: ToUtc): number {
  const size = Math.abs(n)
  if (unit === undefined && (size < LIKELY || size >= UNLIKELY))
    throw new ValueError(`use --time-unit or --date-format: ${meanings(n)}`)
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
  const formats = formatsFor(String(n))
  return [...(formats === '' ? [] : [formats]), ...sorted.map(({ unit, date }) => `${unit} is ${date}`)].join(', ')
}
