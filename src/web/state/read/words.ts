import { UNITS } from './durations.ts'

/** An instant: for the service, such as now-7d, or on the clock of the reader's zone in milliseconds since 1970. */
type End = string | number

/** A time in words. `from` to `until` includes both, and a period of days ends before `before`. */
export type SaidTime =
  | { readonly from: number; readonly before: number }
  | { readonly from: End; readonly until: End; readonly before: null }

type Unit = 'day' | 'week' | 'month' | 'quarter' | 'year'

/** Makes a map of words. Each line has all words for one value. */
const wordsFor = <T>(...lines: readonly (readonly [words: string, value: T])[]): ReadonlyMap<string, T> =>
  new Map(lines.flatMap(([words, value]) => words.split('|').map((word) => [word, value] as const)))

const DAY = 86_400_000
const DAYS = wordsFor(
  ['day before yesterday|eergisteren', -2],
  ['yesterday|gisteren', -1],
  ['today|vandaag', 0],
  ['tomorrow|morgen', 1],
  ['day after tomorrow|overmorgen', 2],
)
const UNIT_OF = wordsFor<Unit>(
  ['day|days|dag|dagen', 'day'],
  ['week|weeks|weken', 'week'],
  ['month|months|maand|maanden', 'month'],
  ['quarter|quarters|kwartaal|kwartalen', 'quarter'],
  ['year|years|jaar', 'year'],
)
const STEP = wordsFor(['this|current|deze|dit', 0], ['last|previous|vorig|vorige', -1], ['next|volgend|volgende', 1])
/** Words that mean the last or next season or quarter. With another unit, they mean a distance from now. */
const STEP_OF_SEASON = new Map([...STEP, ...wordsFor(['past|afgelopen|laatste', -1], ['coming|komende', 1])])

interface Season {
  /** The first month, from 0, and the number of months. */
  readonly month: number
  readonly months: number
}

/** The seasons of meteorology, and half-years. A winter has the year in which it begins. */
const SEASONS = wordsFor<Season>(
  ['spring|lente|voorjaar', { month: 2, months: 3 }],
  ['summer|zomer', { month: 5, months: 3 }],
  ['autumn|fall|herfst|najaar', { month: 8, months: 3 }],
  ['winter', { month: 11, months: 3 }],
  ['summer half-year|zomerhalfjaar', { month: 3, months: 6 }],
  ['winter half-year|winterhalfjaar', { month: 9, months: 6 }],
)

/**
 * Reads words such as `yesterday`, `last month` and `3 days ago`, in English and Dutch. `now` is the clock of the
 * reader's zone. Hours, days and weeks from now stay relative, because the service knows them. Null for other texts.
 */
export const readWords = (text: string, now: number): SaidTime | null => {
  const words = wordsOf(text)
  if (words === 'now' || words === 'nu') return { from: 'now', until: 'now', before: null }
  const day = DAYS.get(words)
  if (day !== undefined) return periodAt(now, 'day', day)
  const [, which = '', named = ''] = /^(\p{L}+) (\p{L}[\p{L} -]*)$/u.exec(words) ?? []
  const season = SEASONS.get(named)
  if (season !== undefined) return seasonAt(now, season, STEP_OF_SEASON.get(which))
  const unit = UNIT_OF.get(named)
  const step = (unit === 'quarter' ? STEP_OF_SEASON : STEP).get(which)
  if (step !== undefined && unit !== undefined) return periodAt(now, unit, step)
  return readSeason(words) ?? readWeek(words) ?? readQuarter(words) ?? distanceOf(words, now)
}

const wordsOf = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/^(the|de|het) /, '')

const inYear = (year: number, { month, months }: Season) => ({
  from: Date.UTC(year, month),
  before: Date.UTC(year, month + months),
})

/** Returns the last season that began, the one that ended last, or the next one. */
const seasonAt = (now: number, season: Season, step: number | undefined): SaidTime | null => {
  if (step === undefined) return null
  const year = new Date(now).getUTCFullYear()
  const seasons = [year + 1, year, year - 1, year - 2].map((each) => inYear(each, season))
  if (step > 0) return seasons.findLast(({ from }) => from > now) ?? null
  return seasons.find(({ from, before }) => (step < 0 ? before : from) <= now) ?? null
}

/** A season, a year, and the year after it. */
const SEASON = /^(\p{L}[\p{L} -]*) (\d{4})(?: ?[-–—/] ?(\d{2}|\d{4}))?$/u

/** Reads `winter 2025`, `winter 2025/26` and `winter 2025 - 2026`. Only a winter has two years. */
const readSeason = (words: string): SaidTime | null => {
  const [, name = '', year = '', second = ''] = SEASON.exec(words) ?? []
  const season = SEASONS.get(name)
  if (season === undefined) return null
  const hasTwo = season.month + season.months > 12
  const isValid = second === '' || (hasTwo && `${Number(year) + 1}`.endsWith(second))
  return isValid ? inYear(Number(year), season) : null
}

/** Tests if a text is a season with two years. They are not the ends of a period. */
export const isSeasonOfYears = (text: string): boolean => {
  const [, name = '', , second] = SEASON.exec(wordsOf(text)) ?? []
  return SEASONS.has(name) && second !== undefined
}

/** Reads `week 3 2026` and `2026-W03`, as ISO 8601 numbers weeks: week 1 has 4 January. */
const readWeek = (words: string): SaidTime | null => {
  const [, named, year] = /^(?:week|wk) (\d{1,2}),? (\d{4})$/.exec(words) ?? []
  const [, isoYear, iso] = /^(\d{4})-?w(\d{1,2})$/.exec(words) ?? []
  const [y, week] = [Number(year ?? isoYear), Number(named ?? iso)]
  const found = periodAt(Date.UTC(y, 0, 4), 'week', week - 1)
  return week >= 1 && new Date(found.from + 3 * DAY).getUTCFullYear() === y ? found : null
}

/** Reads `Q3 2026`, `quarter 3 2026` and `kwartaal 3 2026`. */
const readQuarter = (words: string): SaidTime | null => {
  const [, quarter, year] = /^(?:q|quarter |kwartaal )([1-4]),? (\d{4})$/.exec(words) ?? []
  return quarter === undefined ? null : inYear(Number(year), { month: 3 * (Number(quarter) - 1), months: 3 })
}

/** Returns the day, week, month, quarter or year at this distance from today. A week begins on Monday. */
const periodAt = (now: number, unit: Unit, step: number): { from: number; before: number } => {
  const date = new Date(now)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
  const at = (count: number) => {
    if (unit === 'year') return Date.UTC(year + count, 0)
    if (unit === 'month') return Date.UTC(year, month + count)
    if (unit === 'quarter') return Date.UTC(year, 3 * (Math.floor(month / 3) + count))
    const monday = day - ((date.getUTCDay() + 6) % 7)
    return Date.UTC(year, month, unit === 'week' ? monday + 7 * count : day + count)
  }
  return { from: at(step), before: at(step + 1) }
}

const PAST = /^(?:last|past|afgelopen|laatste|voorbije) (?:(\d{1,5}) ?)?(\p{L}+)$/u
const COMING = /^(?:next|coming|komende|volgende) (?:(\d{1,5}) ?)?(\p{L}+)$/u
const AGO = /^(\d{1,5}|an?|een) ?(\p{L}+) (?:ago|geleden)$/u
const AHEAD = /^(?:in|over) (\d{1,5}|an?|een) ?(\p{L}+)$/u

/** Reads `last 7 days`, `next 2 weeks`, `3 days ago` and `in 3 days`. */
const distanceOf = (words: string, now: number): SaidTime | null => {
  const [past, coming, ago, ahead] = [PAST, COMING, AGO, AHEAD].map((form) => form.exec(words))
  const [, amount, name = ''] = past ?? coming ?? ago ?? ahead ?? []
  const end = endAt(now, Number(amount ?? 1) || 1, name, coming || ahead ? 1 : -1)
  if (end === null) return null
  if (ago || ahead) return { from: end, until: end, before: null }
  return coming ? { from: 'now', until: end, before: null } : { from: end, until: 'now', before: null }
}

/** The months of a unit that has no fixed length. */
const MONTHS: Partial<Readonly<Record<Unit, number>>> = { month: 1, quarter: 3, year: 12 }

/** Returns the instant at a distance from now. The service has no months, years and minutes from now. */
const endAt = (now: number, amount: number, name: string, sign: 1 | -1): End | null => {
  const size = MONTHS[UNIT_OF.get(name) ?? 'day']
  if (size !== undefined) {
    const date = new Date(now)
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + sign * amount * size]
    return Date.UTC(year, month, Math.min(date.getUTCDate(), new Date(Date.UTC(year, month + 1, 0)).getUTCDate()))
  }
  const length = UNITS.get(name)
  if (length === undefined) return null
  const letter = ['w', 'd', 'h'].find((each) => UNITS.get(each) === length)
  if (letter !== undefined) return `now${sign < 0 ? '-' : '+'}${amount}${letter}`
  return Math.floor((now + sign * amount * length) / 1000) * 1000
}

const RELATIVE = /^now(?:([-+]\d{1,5})([hdw]))?$/
const UNIT_OF_LETTER = { h: 'hour', d: 'day', w: 'week' } as const

/** Says a relative time of the service, such as 7 days ago. Null for other values. */
export const relativeText = (value: string, language: string): string | null => {
  const [found, amount = '0', letter] = RELATIVE.exec(value.trim()) ?? []
  if (found === undefined) return null
  const unit = UNIT_OF_LETTER[letter as keyof typeof UNIT_OF_LETTER] ?? 'second'
  const numeric = letter === undefined ? 'auto' : 'always'
  return new Intl.RelativeTimeFormat(language, { numeric }).format(Number(amount), unit)
}
