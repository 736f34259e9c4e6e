import { firstFrom } from '../../base/zone.ts'
import { exchanged, type PageAddress, parameter, view } from './address.ts'
import { clock, dateAt } from './format.ts'
import { groupTexts } from './groups.ts'
import { TIMES } from './known.ts'
import { language } from './text.ts'

/** A period of starts in milliseconds since 1970. It includes its start, but not its end. */
export interface Period {
  readonly from: number
  readonly before: number
}

/** The lookups of the filters by start. */
const LOOKUPS = ['', '__exact', '__gte', '__gt', '__lt', '__lte', '__range']

/** Returns both ends of the starts that a place asks for. NaN: it has no such end, or one relative to now. */
export const endsIn = (place: PageAddress): Period => {
  const given = (lookup: string) => place.parameters.find(({ name }) => name === `timestamp_start__${lookup}`)?.value
  const [first, last] = given('range')?.split(',') ?? []
  const until = last ?? given('lte')
  const before = until === undefined ? instantOf(given('lt')) : instantOf(until) + 1
  const after = given('gt')
  const from = first ?? given('gte')
  return { from: from === undefined && after !== undefined ? instantOf(after) + 1 : instantOf(from), before }
}

/** Returns the period of starts that a place asks for. Null: it has no fixed start and end. */
export const periodIn = (place: PageAddress): Period | null => {
  const { from, before } = endsIn(place)
  return from < before ? { from, before } : null
}

/** Reads an instant, or a time on the clock of the page. NaN for others, such as a time relative to now. */
export const instantOf = (text = ''): number => {
  if (/(Z|[-+]\d\d:\d\d)$/.test(text)) return Date.parse(text)
  const local = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(/T/.test(text) ? `${text}Z` : text) : Number.NaN
  return Number.isNaN(local) ? local : firstFrom(clock.value, local)
}

export const COMPARISONS = ['before', 'year'] as const
export type Comparison = (typeof COMPARISONS)[number]

/** Returns the comparison in the address. */
export const comparisonIn = (): Comparison | undefined => COMPARISONS.find((each) => each === view.value.get('compare'))

/** Returns the period before a period, or the same period a year before. Whole months move by months. */
export const earlier = ({ from, before }: Period, comparison: Comparison): Period => {
  const { toLocal } = clock.value
  const [first, end] = [toLocal(from), toLocal(before)]
  const months = comparison === 'year' ? 12 : wholeMonths(first, end)
  const moved = (local: number) => firstFrom(clock.value, months === null ? local - (end - first) : back(local, months))
  return { from: moved(first), before: moved(end) }
}

/**
 * Returns the period of a place, and the earlier one that the address compares it with, or else `usual`. Null without a
 * fixed period or without a comparison.
 */
export const comparedIn = (place: PageAddress, usual?: Comparison): readonly [now: Period, past: Period] | null => {
  const [period, comparison] = [periodIn(place), comparisonIn() ?? usual]
  return period === null || comparison === undefined ? null : [period, earlier(period, comparison)]
}

/** Returns the number of months of a period of whole months, in local milliseconds. Null for others. */
const wholeMonths = (first: number, end: number): number | null => {
  const [a, b] = [new Date(first), new Date(end)]
  const isWhole = (date: Date) => date.getTime() % 86_400_000 === 0 && date.getUTCDate() === 1
  return isWhole(a) && isWhole(b)
    ? 12 * (b.getUTCFullYear() - a.getUTCFullYear()) + b.getUTCMonth() - a.getUTCMonth()
    : null
}

const back = (local: number, months: number): number => {
  const date = new Date(local)
  return date.setUTCMonth(date.getUTCMonth() - months)
}

/** Returns a place with another period of starts. */
export const inPeriod = (place: PageAddress, { from, before }: Period): PageAddress => {
  const iso = (at: number) => new Date(at).toISOString()
  const own = LOOKUPS.map((lookup) => `timestamp_start${lookup}`)
  return exchanged(place, own, [
    parameter('timestamp_start__gte', iso(from)),
    parameter('timestamp_start__lt', iso(before)),
  ])
}

/** Returns the language of the page with the region of the reader, such as en-GB. */
export const readerTag = (): string =>
  navigator.languages.find((tag) => tag.startsWith(language.value)) ?? language.value

/** Says a period of days, such as 1 Oct 2025 – 31 Mar 2026. It includes its last day. */
export const saidPeriod = ({ from, before }: Period): string =>
  new Intl.DateTimeFormat(readerTag(), { dateStyle: 'medium', timeZone: 'UTC' }).formatRange(
    clock.value.toLocal(from),
    clock.value.toLocal(before - 1),
  )

/** A longer period may have a month twice. In milliseconds. */
const YEAR = 366 * 86_400_000

/**
 * Puts years or months in the order of time, if they have the order of their names. The months of a period begin with
 * its first one, such as October in a winter. `-text` is the reverse.
 */
export const inTime = <Part extends { readonly value?: unknown }>(
  place: PageAddress,
  name: string,
  parts: readonly Part[],
  order: string,
): readonly Part[] => {
  if (!TIMES.includes(name) || !order.endsWith('text')) return parts
  const { from, before } = endsIn(place)
  const first = before - from <= YEAR ? dateAt(from)[1] + 1 : 1
  const rankOf = ({ value }: Part) => (name.endsWith('month') ? (Number(value) - first + 12) % 12 : Number(value))
  const sorted = parts.toSorted((a, b) => rankOf(a) - rankOf(b))
  return order === 'text' ? sorted : sorted.reverse()
}

/** Returns short names of periods that are compared: their years, such as 2025/26, or words if these are equal. */
export const shortNames = (periods: readonly Period[]): string[] => {
  const { now, earlier } = groupTexts()
  const names = periods.map(({ from, before }) => {
    const [first = 0, last = 0] = [from, before - 1].map((at) => new Date(clock.value.toLocal(at)).getUTCFullYear())
    return first === last ? String(first) : `${first}/${String(last).slice(-2)}`
  })
  return new Set(names).size < names.length ? [now, earlier] : names
}
