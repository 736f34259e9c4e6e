import { isSeasonOfYears, readWords } from './words.ts'

/** An instant or a period in milliseconds since 1970. A period includes its start, but not its end. */
export interface Time {
  readonly from: number
  /** The end of a period. Null for an instant. */
  readonly before: number | null
}

const DAY = 86_400_000

/**
 * Reads a year, month, day or minute in UTC, in ISO 8601 or in the form of the reader's language. Returns null for
 * other texts, and for times with a zone. The service reads those.
 */
export const readTime = (text: string, language: string): Time | null => {
  const parts = partsOf(text.trim().replace(/\s+/g, ' '), language)
  if (parts === null) return null
  const { year, month, day, clock } = parts
  const from = instantOf(year, month ?? 1, day ?? 1)
  if (from === null) return null
  if (clock !== null) return { from: from + clock, before: null }
  if (day !== null) return { from, before: from + DAY }
  const isLast = month === null || month === 12
  return { from, before: instantOf(isLast ? year + 1 : year, isLast ? 1 : month + 1, 1) }
}

interface Parts {
  readonly year: number
  readonly month: number | null
  readonly day: number | null
  /** Milliseconds since midnight. */
  readonly clock: number | null
}

const CLOCK = /[ ,T]+(\d{1,2})[:.](\d{2})(?:[:.](\d{2}(?:\.\d+)?))?$/

const partsOf = (text: string, language: string): Parts | null => {
  const found = CLOCK.exec(text)
  const clock = found === null ? null : clockOf(found)
  const date = found === null ? text : text.slice(0, found.index)
  if (Number.isNaN(clock)) return null
  const parts = inOrder(date) ?? inNumbers(date, language) ?? inWords(date, language)
  return parts === null || (clock !== null && parts.day === null) ? null : { ...parts, clock }
}

const clockOf = ([, hours, minutes, seconds = '0']: readonly (string | undefined)[]): number => {
  const [h, m, s] = [Number(hours), Number(minutes), Number(seconds)]
  return h < 24 && m < 60 && s < 60 ? Math.floor(((h * 60 + m) * 60 + s) * 1000) : Number.NaN
}

type DateParts = Omit<Parts, 'clock'>
const numberOf = (text: string | undefined): number | null => (text === undefined ? null : Number(text))

/** Reads `2018`, `2018-02`, `2018-2-5` and `2018/02/05`. */
const inOrder = (date: string): DateParts | null => {
  const [, year, month, day] = /^(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?$/.exec(date) ?? []
  return year === undefined ? null : { year: Number(year), month: numberOf(month), day: numberOf(day) }
}

/** Reads `5-2-2018`, `05.02.2018` and `2/2018`. Reads `2/5/2018` by the language's order of month and day. */
const inNumbers = (date: string, language: string): DateParts | null => {
  const [, a, b, year] = /^(?:(\d{1,2})[-/.] ?)?(\d{1,2})[-/.] ?(\d{4})$/.exec(date) ?? []
  if (year === undefined) return null
  const [day, month] = a !== undefined && monthIsFirst(language) && !date.includes('.') ? [b, a] : [a, b]
  return { year: Number(year), month: Number(month), day: numberOf(day) }
}

const monthIsFirst = (language: string): boolean => {
  const order = new Intl.DateTimeFormat(language).formatToParts(0).map(({ type }) => type)
  return order.indexOf('month') < order.indexOf('day')
}

/**
 * Reads `5 Feb 2018`, `Feb 5, 2018` and `februari 2018`. Names of months are in the reader's language or in English.
 */
const inWords = (date: string, language: string): DateParts | null => {
  const [, a, name = '', b, year] = /^(?:(\d{1,2})\.? )?(\p{L}+)\.?(?: (\d{1,2}))?,? (\d{4})$/u.exec(date) ?? []
  const month = monthOf(name, language)
  if (year === undefined || month === null || (a !== undefined && b !== undefined)) return null
  return { year: Number(year), month, day: numberOf(a ?? b) }
}

const monthOf = (name: string, language: string): number | null => {
  const wanted = name.toLowerCase()
  for (const lang of [language, 'en'])
    for (const style of ['long', 'short'] as const) {
      const format = new Intl.DateTimeFormat(lang, { month: style, timeZone: 'UTC', day: 'numeric' })
      for (let month = 0; month < 12; month++) {
        const part = format.formatToParts(Date.UTC(2018, month, 5)).find(({ type }) => type === 'month')
        if (part?.value.replace('.', '').toLowerCase() === wanted) return month + 1
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

/** The reader of times: language, the zone of the page, and milliseconds since 1970. */
export interface Reader {
  readonly language: string
  readonly isLocal: boolean
  readonly now: number
}

/** Between the two ends of a period. */
const DASH = / - |\s*[–—]\s*/
/** Two ends, such as `Dec 2025 - Feb 2026` and `van 1 dec 2025 t/m 1 mrt 2026`. The period includes both. */
const ENDS = /^(?:from |van(?:af)? )?(.+?)(?: - |\s*[–—]\s*| (?:to|until|till|through|tot en met|tot) | ?t\/m )(.+)$/i

/**
 * Returns the lookup and the value for the service. A named period, such as a month, includes all its instants. Words
 * such as `last 7 days` stay relative to the time of a request. A text with two ends becomes a range.
 */
export const askedOf = (lookup: string, text: string, reader: Reader): readonly [lookup: string, value: string] => {
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
  // No event starts exactly 7 days ago. The service then names the fault.
  if (lookup === '' && from.startsWith('now-') && from === until) return [lookup, text]
  if (lookup === 'lte' || lookup === 'gt') return [lookup, until]
  return from === until && lookup === '' ? [lookup, until] : ['range', `${from},${until}`]
}

/** Returns the interval for the service, such as 2025-12-01/2026-02-28. Other texts stay as they are. */
export const askedInterval = (text: string, reader: Reader): string => {
  const between = periodOf(text, reader) ?? periodOf(text.replace(/^([^/]+)\/([^/]+)$/, '$1 – $2'), reader)
  const time = between ?? timeOf(text, reader)
  if (time === null) return text
  // In an interval, a date means its whole day.
  const ends = time.map((end) => end.replace(/T23:59:59\.999999Z$/, ''))
  return [...new Set(ends)].join('/')
}

/** Returns the first and the last instant of a text with two ends. */
const periodOf = (text: string, reader: Reader): readonly [from: string, until: string] | null => {
  if (isSeasonOfYears(text)) return null
  const [, first = '', last = ''] = ENDS.exec(text.trim()) ?? []
  const [from, until] = [timeOf(first, reader), timeOf(last, reader)]
  return from === null || until === null ? null : [from[0], until[1]]
}

/** Returns the first and the last instant of a text, for the service. */
const timeOf = (text: string, { language, isLocal, now }: Reader): readonly [from: string, until: string] | null => {
  const zone = isLocal ? instantOn : (clock: number) => clock
  const said = readWords(text, isLocal ? clockAt(now) : now) ?? readTime(text, language)
  if (said === null) return null
  const write = (end: string | number) => (typeof end === 'string' ? end : firstOf(zone(end)))
  if (said.before !== null) return [write(said.from), lastOf(zone(said.before))]
  return [write(said.from), write('until' in said ? said.until : said.from)]
}

/** Returns the clock of the browser's zone at an instant. Both are in milliseconds since 1970. */
const clockAt = (instant: number): number => instant - new Date(instant).getTimezoneOffset() * 60_000

/** Returns the instant at which the clock of the browser's zone shows this time. */
const instantOn = (clock: number): number => Date.parse(new Date(clock).toISOString().slice(0, -1))

/** Writes midnight as a day, and any other instant in full. */
export const firstOf = (at: number): string =>
  new Date(at)
    .toISOString()
    .replace(/T00:00:00\.000Z$/, '')
    .replace('.000Z', 'Z')
const lastOf = (before: number): string => new Date(before - 1000).toISOString().replace('.000Z', END)

const ABSOLUTE = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[-+]\d\d:\d\d))?$/

/** Returns the text that the form shows for a value. The end of a day appears as the day. */
export const shownOf = (lookup: string, value: string, isLocal = false): string => {
  const parts = lookup === 'range' ? value.split(',') : [value]
  const shown = parts.map((part, i) => {
    const isEnd = i > 0 || ['lte', 'gt'].includes(lookup)
    const at = isLocal && ABSOLUTE.test(part) ? Date.parse(part) : Number.NaN
    const text = Number.isNaN(at) ? part : new Date(clockAt(at)).toISOString().replace('.999Z', END)
    const day = isEnd ? text.replace(/T23:59:59\.999999Z$/, '') : text
    if (Number.isNaN(at)) return day.replace(/T(\d\d:\d\d(:\d\d(\.\d{1,3})?)?)Z$/, ' $1')
    return day.replace(/T00:00:00\.000Z$/, '').replace(/T(.*?)(\.0*)?Z$/, ' $1')
  })
  return shown[0] === shown[1] ? (shown[0] ?? '') : shown.join(' – ')
}
