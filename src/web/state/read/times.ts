import { firstFrom, UTC, type Zone } from '../../../base/zone.ts'
import { isSeasonOfYears, readWords, type SaidTime } from './words.ts'

/** An instant or a period in milliseconds since 1970. A period includes its start, but not its end. */
interface Time {
  readonly from: number
  /** The end of a period. Null for an instant. */
  readonly before: number | null
}

const DAY = 86_400_000

const CLOCK = /[ ,T]+(\d{1,2})[:.](\d{2})(?:[:.](\d{2}(?:\.\d+)?))?$/

/**
 * Reads a year, month, day or minute in UTC, in ISO 8601 or in the form of the reader's language. Returns null for
 * other texts, and for times with a zone. The service reads those.
 */
export const readTime = (text: string, language: string): Time | null => {
  const [date = '', ...clock] = text.trim().replace(/\s+/g, ' ').split(CLOCK)
  const [year, month, day] = inOrder(date) ?? inNumbers(date, language) ?? inWords(date, language) ?? []
  if (year === undefined) return null
  const from = instantOf(Number(year), Number(month ?? 1), Number(day ?? 1))
  if (from === null) return null
  if (clock.length > 0) {
    const [hours = 0, minutes = 0, seconds = 0] = clock.map((part) => Number(part || 0))
    const isClock = day !== undefined && hours < 24 && minutes < 60 && seconds < 60
    return isClock ? { from: from + Math.floor(((hours * 60 + minutes) * 60 + seconds) * 1000), before: null } : null
  }
  if (day !== undefined) return { from, before: from + DAY }
  const isLast = month === undefined || Number(month) === 12
  return { from, before: instantOf(Number(year) + (isLast ? 1 : 0), isLast ? 1 : Number(month) + 1, 1) }
}

type DateParts = readonly [year: string | undefined, month?: string | undefined, day?: string | undefined]

/** Reads `2018`, `2018-02`, `2018-2-5` and `2018/02/05`. */
const inOrder = (date: string): DateParts | null => {
  const [, year, month, day] = /^(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?$/.exec(date) ?? []
  return year === undefined ? null : [year, month, day]
}

/** Reads `5-2-2018`, `05.02.2018` and `2/2018`. Reads `2/5/2018` by the language's order of month and day. */
const inNumbers = (date: string, language: string): DateParts | null => {
  const [, a, b, year] = /^(?:(\d{1,2})[-/.] ?)?(\d{1,2})[-/.] ?(\d{4})$/.exec(date) ?? []
  if (year === undefined) return null
  const order = new Intl.DateTimeFormat(language).formatToParts(0).map(({ type }) => type)
  const isMonthFirst = order.indexOf('month') < order.indexOf('day') && !date.includes('.')
  return a !== undefined && isMonthFirst ? [year, a, b] : [year, b, a]
}

/**
 * Reads `5 Feb 2018`, `Feb 5, 2018` and `februari 2018`. Names of months are in the reader's language or in English.
 */
const inWords = (date: string, language: string): DateParts | null => {
  const [, a, name = '', b, year] = /^(?:(\d{1,2})\.? )?(\p{L}+)\.?(?: (\d{1,2}))?,? (\d{4})$/u.exec(date) ?? []
  const month = monthOf(name.toLowerCase(), language)
  return month === null || (a !== undefined && b !== undefined) ? null : [year, month, a ?? b]
}

const monthOf = (name: string, language: string): string | null => {
  for (const [lang, month] of [language, 'en'].flatMap((lang) => [[lang, 'long'] as const, [lang, 'short'] as const])) {
    const format = new Intl.DateTimeFormat(lang, { month, timeZone: 'UTC', day: 'numeric' })
    for (let at = 0; at < 12; at++) {
      const part = format.formatToParts(Date.UTC(2018, at, 5)).find(({ type }) => type === 'month')
      if (part?.value.replace('.', '').toLowerCase() === name) return String(at + 1)
    }
  }
  return null
}

/** Returns midnight of a day. Null if the day does not exist. */
const instantOf = (year: number, month: number, day: number): number | null => {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : null
}

/** The end of a period has this fraction, so that the period includes its whole last second. */
const END = '.999999Z'
const LAST = /T23:59:59\.999999Z?$/

/** The reader of times: language, the zone of the page, and milliseconds since 1970. */
export interface TimeReader {
  readonly language: string
  /** The clock of the page. */
  readonly clock: Zone
  readonly now: number
}

/** The first and the last instant of a text, for the service. */
type Ends = readonly [from: string, until: string]

/** Between the two ends of a period. */
const DASH = / - |\s*[–—]\s*/
/** Two ends, such as `Dec 2025 - Feb 2026` and `van 1 dec 2025 t/m 1 mrt 2026`. The period includes both. */
const ENDS = /^(?:from |van(?:af)? )?(.+?)(?: - |\s*[–—]\s*| (?:to|until|till|through|tot en met|tot) | ?t\/m )(.+)$/i

/**
 * Returns the lookup and the value for the service. A named period, such as a month, includes all its instants. Words
 * such as `last 7 days` stay relative to the time of a request. A text with two ends becomes a range.
 */
export const askedOf = (lookup: string, text: string, reader: TimeReader): readonly [lookup: string, value: string] => {
  const between = periodOf(text, reader)
  if (between !== null) return ['range', between.join(',')]
  if (lookup === 'range' && !isSeasonOfYears(text)) {
    const [from = '', until = '', ...others] = text.split(text.includes(',') ? ',' : DASH)
    if (others.length > 0) return [lookup, text]
    if (until !== '') return [lookup, `${askedOf('gte', from, reader)[1]},${askedOf('lte', until, reader)[1]}`]
  }
  const time = timeOf(text, reader)
  if (time === null) return [lookup, text]
  const [from, until] = time
  if (lookup === 'gte' || lookup === 'lt') return [lookup, from]
  if (lookup === 'lte' || lookup === 'gt') return [lookup, until]
  if (lookup !== '' || from !== until) return ['range', `${from},${until}`]
  // No event starts exactly 7 days ago. The service then names the fault.
  return [lookup, from.startsWith('now-') ? text : until]
}

/** Returns the interval for the service, such as 2025-12-01/2026-02-28. Other texts stay as they are. */
export const askedInterval = (text: string, reader: TimeReader): string => {
  const between = periodOf(text, reader) ?? periodOf(text.replace(/^([^/]+)\/([^/]+)$/, '$1 – $2'), reader)
  const time = between ?? timeOf(text, reader)
  // In an interval, a date means its whole day.
  return time === null ? text : [...new Set(time.map((end) => end.replace(LAST, '')))].join('/')
}

const periodOf = (text: string, reader: TimeReader): Ends | null => {
  if (isSeasonOfYears(text)) return null
  const [, first = '', last = ''] = ENDS.exec(text.trim()) ?? []
  const yearly = yearlyOf(first, last, reader)
  if (yearly !== null) return endsOf(yearly, reader)
  const [from, until] = [timeOf(first, reader), timeOf(last, reader)]
  return from === null || until === null ? null : [from[0], until[1]]
}

/** A day or a month without a year, such as `1 okt` and `March`. */
const YEARLESS = /^(?:(\d{1,2})\.? )?(\p{L}+)\.?$/u

/** Reads `1 okt t/m 31 mrt`, without years. It is the last such period that has begun. Null for other ends. */
const yearlyOf = (first: string, last: string, { language, clock, now }: TimeReader): Time | null => {
  const [begin, end] = [first, last].map((text) => {
    const [, day, name = ''] = YEARLESS.exec(text.trim()) ?? []
    const month = monthOf(name.toLowerCase(), language)
    return month === null ? null : { month: Number(month), day: day === undefined ? null : Number(day) }
  })
  if (!begin || !end) return null
  const isNext = end.month < begin.month || (end.month === begin.month && (end.day ?? 31) < (begin.day ?? 1))
  const local = clock.toLocal(now)
  const year = new Date(local).getUTCFullYear()
  const periods = [year, year - 1].map((each) => {
    const from = instantOf(each, begin.month, begin.day ?? 1)
    const until = isNext ? each + 1 : each
    const before = end.day === null ? Date.UTC(until, end.month) : instantOf(until, end.month, end.day)
    return from === null || before === null ? null : { from, before: end.day === null ? before : before + DAY }
  })
  return periods.find((each) => each !== null && each.from <= local) ?? null
}

const timeOf = (text: string, reader: TimeReader): Ends | null => {
  const said = readWords(text, reader.clock.toLocal(reader.now)) ?? readTime(text, reader.language)
  return said && endsOf(said, reader)
}

/** Writes the ends of a time for the service. */
const endsOf = (said: SaidTime | Time, { clock }: TimeReader): Ends => {
  const write = (end: string | number) => (typeof end === 'string' ? end : firstOf(firstFrom(clock, end), clock))
  if (said.before !== null) return [write(said.from), isoOf(firstFrom(clock, said.before) - 1000).replace('.000Z', END)]
  return [write(said.from), write('until' in said ? said.until : said.from)]
}

const isoOf = (at: number): string => new Date(at).toISOString()

/** Writes an instant in full. In UTC, midnight is a day, which is in the zone of the request. */
export const firstOf = (at: number, clock: Zone): string => {
  const text = isoOf(at)
  return (clock === UTC ? text.replace(/T00:00:00\.000Z$/, '') : text).replace('.000Z', 'Z')
}

/** A time with an offset. Others are on the clock of the request, which is that of the page. */
const ABSOLUTE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[-+]\d\d:\d\d)$/

/** Returns the text that the form shows for a value. The end of a day appears as the day. */
export const shownOf = (lookup: string, value: string, clock: Zone): string => {
  const parts = lookup === 'range' ? value.split(',') : [value]
  const shown = parts.map((part, i) => {
    const isEnd = i > 0 || ['lte', 'gt'].includes(lookup)
    const isClock = clock !== UTC && ABSOLUTE.test(part) && !Number.isNaN(Date.parse(part))
    const text = isClock ? isoOf(clock.toLocal(Date.parse(part))).replace('.999Z', END) : part
    const day = isEnd ? text.replace(LAST, '') : text
    if (!isClock) return day.replace(/T(\d\d:\d\d(:\d\d(\.\d{1,3})?)?)Z?$/, ' $1')
    return day.replace(/T00:00:00\.000Z$/, '').replace(/T(.*?)(\.0*)?Z$/, ' $1')
  })
  return [...new Set(shown)].join(' – ')
}
