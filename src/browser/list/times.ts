/** An instant, or a period from its first instant to before its last one, in milliseconds since 1970. */
export interface Time {
  readonly from: number
  /** null: it is an instant. */
  readonly before: number | null
}

const DAY = 86_400_000

/**
 * Reads a time as people write it: a year, a month, a day or a minute, as in ISO 8601 or as the language of the reader has it.
 * All in UTC. null: it is none, or says a zone, and is left to the service.
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

/** `2018`, `2018-02`, `2018-2-5`, `2018/02/05`. */
const inOrder = (date: string): DateParts | null => {
  const [, year, month, day] = /^(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?$/.exec(date) ?? []
  return year === undefined ? null : { year: Number(year), month: numberOf(month), day: numberOf(day) }
}

/** `5-2-2018`, `05.02.2018`, `2/5/2018` where the month comes first, `2/2018`. */
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

/** `5 Feb 2018`, `Feb 5, 2018`, `februari 2018`: the names of months in the language of the reader, and in English. */
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

/** Midnight of a day; null where there is no such day. */
const instantOf = (year: number, month: number, day: number): number | null => {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : null
}

/** What follows a second that is meant to its end. */
const END = '.999999Z'

/** A condition on a time as the service takes it, which of a period that is named asks for all of it: a lookup and its value. */
export const askedOf = (lookup: string, text: string, language: string): readonly [lookup: string, value: string] => {
  if (lookup === 'range') {
    const [from = '', until = '', ...others] = text.split(',')
    if (others.length > 0 || until === '') return [lookup, text]
    return [lookup, `${askedOf('gte', from, language)[1]},${askedOf('lte', until, language)[1]}`]
  }
  const time = readTime(text, language)
  if (time === null) return [lookup, text]
  const { from, before } = time
  if (before === null || lookup === 'gte' || lookup === 'lt') return [lookup, firstOf(from)]
  if (lookup === 'lte' || lookup === 'gt') return [lookup, lastOf(before)]
  return ['range', `${firstOf(from)},${lastOf(before)}`]
}

/** A day at its beginning, any other time to the second. */
const firstOf = (at: number): string =>
  new Date(at)
    .toISOString()
    .replace(/T00:00:00\.000Z$/, '')
    .replace('.000Z', 'Z')
const lastOf = (before: number): string => new Date(before - 1000).toISOString().replace('.000Z', END)

/** The same condition as people write it: of a day that is meant to its end only the day. */
export const shownOf = (lookup: string, value: string): string =>
  ['lte', 'gt', 'range'].includes(lookup) ? value.replace(/T23:59:59\.999999Z$/, '') : value
