import { UNITS } from './durations.ts'

/** An instant: for the service, such as now-7d, or on the clock of the reader's zone in milliseconds since 1970. */
type End = string | number

/** A time in words. `from` to `until` includes both, and a period of days ends before `before`. */
export type SaidTime =
  | { readonly from: number; readonly before: number }
  | { readonly from: End; readonly until: End; readonly before: null }

type Unit = 'day' | 'week' | 'month' | 'quarter' | 'year'

const DAY = 86_400_000

const DAYS = new Map(
  Object.entries({
    ...{ 'day before yesterday': -2, yesterday: -1, today: 0, tomorrow: 1, 'day after tomorrow': 2 },
    ...{ eergisteren: -2, gisteren: -1, vandaag: 0, morgen: 1, overmorgen: 2 },
  }),
)
const UNIT_OF = new Map<string, Unit>(
  Object.entries({
    ...{ day: 'day', days: 'day', week: 'week', weeks: 'week', month: 'month', months: 'month', year: 'year' },
    ...{ years: 'year', dag: 'day', dagen: 'day', weken: 'week', maand: 'month', maanden: 'month', jaar: 'year' },
    ...{ quarter: 'quarter', quarters: 'quarter', kwartaal: 'quarter', kwartalen: 'quarter' },
  } as const),
)
const STEP = new Map(
  Object.entries({
    ...{ this: 0, current: 0, last: -1, previous: -1, next: 1 },
    ...{ deze: 0, dit: 0, vorig: -1, vorige: -1, volgend: 1, volgende: 1 },
  }),
)
const WINTER = 11
/** The first months of the seasons of meteorology, which have three months. A winter has the year of its December. */
const SEASONS = new Map(
  Object.entries({
    ...{ spring: 2, summer: 5, autumn: 8, fall: 8, winter: WINTER },
    ...{ lente: 2, voorjaar: 2, zomer: 5, herfst: 8, najaar: 8 },
  }),
)
/** Words that mean the last or next season or quarter. With another unit, they mean a distance from now. */
const STEP_OF_SEASON = new Map([
  ...STEP,
  ['past', -1],
  ['afgelopen', -1],
  ['laatste', -1],
  ['coming', 1],
  ['komende', 1],
])

/**
 * Reads words such as `yesterday`, `last month` and `3 days ago`, in English and Dutch. `now` is the clock of the
 * reader's zone. Hours, days and weeks from now stay relative, because the service knows them. Null for other texts.
 */
export const readWords = (text: string, now: number): SaidTime | null => {
  const words = wordsOf(text)
  if (words === 'now' || words === 'nu') return { from: 'now', until: 'now', before: null }
  const day = DAYS.get(words)
  if (day !== undefined) return periodAt(now, 'day', day)
  const [, which = '', named = ''] = /^(\p{L}+) (\p{L}+)$/u.exec(words) ?? []
  const month = SEASONS.get(named)
  if (month !== undefined) return seasonAt(now, month, STEP_OF_SEASON.get(which))
  const numbered = readSeason(words) ?? readWeek(words) ?? readQuarter(words)
  if (numbered !== null) return numbered
  const unit = UNIT_OF.get(named)
  const step = (unit === 'quarter' ? STEP_OF_SEASON : STEP).get(which)
  return step !== undefined && unit !== undefined ? periodAt(now, unit, step) : distanceOf(words, now)
}

const wordsOf = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/^(the|de|het) /, '')

const seasonOf = (year: number, month: number) => ({ from: Date.UTC(year, month), before: Date.UTC(year, month + 3) })

/** Returns the last season that began, the one that ended last, or the next one. */
const seasonAt = (now: number, month: number, step: number | undefined): SaidTime | null => {
  if (step === undefined) return null
  const year = new Date(now).getUTCFullYear()
  const years = [year + 1, year, year - 1, year - 2].map((each) => seasonOf(each, month))
  if (step > 0) return years.findLast(({ from }) => from > now) ?? null
  return years.find(({ from, before }) => (step < 0 ? before : from) <= now) ?? null
}

/** A season, a year, and the year after it. */
const SEASON = /^(\p{L}+) (\d{4})(?: ?[-–—/] ?(\d{2}|\d{4}))?$/u

/** Reads `winter 2025`, `winter 2025/26` and `winter 2025 - 2026`. Only a winter has two years. */
const readSeason = (words: string): SaidTime | null => {
  const [, name = '', first, second = ''] = SEASON.exec(words) ?? []
  const month = SEASONS.get(name)
  const year = Number(first)
  if (month === undefined) return null
  return second === '' || (month === WINTER && `${year + 1}`.endsWith(second)) ? seasonOf(year, month) : null
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
  const first = periodAt(Date.UTC(y, 0, 4), 'week', week - 1)
  const thursday = new Date(first.from + 3 * DAY)
  return week >= 1 && thursday.getUTCFullYear() === y ? first : null
}

/** Reads `Q3 2026`, `quarter 3 2026` and `kwartaal 3 2026`. */
const readQuarter = (words: string): SaidTime | null => {
  const [, quarter, year] = /^(?:q|quarter |kwartaal )([1-4]),? (\d{4})$/.exec(words) ?? []
  return quarter === undefined ? null : seasonOf(Number(year), 3 * (Number(quarter) - 1))
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
    return unit === 'week' ? Date.UTC(year, month, monday + 7 * count) : Date.UTC(year, month, day + count)
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
const MONTHS = new Map<Unit | undefined, number>([
  ['month', 1],
  ['quarter', 3],
  ['year', 12],
])

/** Returns the instant at a distance from now. The service has no months, years and minutes from now. */
const endAt = (now: number, amount: number, name: string, sign: 1 | -1): End | null => {
  const size = MONTHS.get(UNIT_OF.get(name))
  if (size !== undefined) {
    const date = new Date(now)
    const months = sign * amount * size
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + months]
    return Date.UTC(year, month, Math.min(date.getUTCDate(), new Date(Date.UTC(year, month + 1, 0)).getUTCDate()))
  }
  const length = UNITS.get(name)
  if (length === undefined) return null
  const letter = (['w', 'd', 'h'] as const).find((each) => UNITS.get(each) === length)
  if (letter !== undefined) return `now${sign < 0 ? '-' : '+'}${amount}${letter}`
  return Math.floor((now + sign * amount * length) / 1000) * 1000
}

const RELATIVE = /^now(?:([-+])(\d{1,5})([hdw]))?$/
const UNIT_OF_LETTER: Readonly<Record<string, Intl.RelativeTimeFormatUnit>> = { h: 'hour', d: 'day', w: 'week' }

/** Says a relative time of the service, such as 7 days ago. Null for other values. */
export const relativeText = (value: string, language: string): string | null => {
  const [found, sign = '', amount = '0', letter = ''] = RELATIVE.exec(value.trim()) ?? []
  if (found === undefined) return null
  const unit = UNIT_OF_LETTER[letter]
  if (unit === undefined) return new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(0, 'second')
  return new Intl.RelativeTimeFormat(language).format(Number(`${sign}${amount}`), unit)
}
