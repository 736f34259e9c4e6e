import { computed } from '@preact/signals'
import { formatCount, inZone } from '../state/format.ts'
import { language, texts } from '../state/text.ts'
import { type BarLength, dateAt } from '../state/units.ts'
import type { Bars, Choice } from './bars.ts'
import { timeTexts } from './text.ts'

/** Names the period of a bar, such as March 2026, week 3 2026 or 2020–2024. */
export const nameOf = (start: number, { unit, size }: BarLength): string => {
  const [year, month, day] = dateAt(start)
  const { week, quarter } = timeTexts()
  if (unit === 'year') return size === 1 ? String(year) : `${year}–${year + size - 1}`
  if (unit === 'month') return size === 1 ? `${monthOf(month)} ${year}` : `${quarter} ${month / size + 1} ${year}`
  if (unit === 'week') return `${week} ${weekOf(year, month, day).join(' ')}`
  const date = `${day} ${monthOf(month)} ${year}`
  return unit === 'day' ? date : `${date} ${inZone(start).slice(-12, -7)}`
}

/** Making a format takes as long as drawing some bars. */
const months = computed(() => new Intl.DateTimeFormat(language.value, { month: 'long', timeZone: 'UTC' }))

const monthOf = (month: number): string => months.value.format(Date.UTC(2000, month))

/** Returns the number and the year of the week that begins on a Monday (ISO 8601). Its Thursday decides the year. */
const weekOf = (year: number, month: number, day: number): readonly [week: number, year: number] => {
  const thursday = new Date(0)
  thursday.setUTCFullYear(year, month, day + 3)
  const first = new Date(thursday)
  first.setUTCMonth(0, 1)
  return [Math.floor((thursday.getTime() - first.getTime()) / (7 * 86_400_000)) + 1, thursday.getUTCFullYear()]
}

/** Describes some bars by their period and their events. */
export const describeBars = ({ edges, counts, length }: Bars, [first, last]: Choice): string => {
  const [from, to] = [first, last].map((bar) => nameOf(edges[bar] ?? 0, length))
  const events = counts.slice(first, last + 1).reduce((sum, count) => sum + count, 0)
  const period = last > first ? `${from} ${timeTexts().through} ${to}` : from
  return `${period}: ${texts().list.counted('events', events)}`
}

/** Names the unit of the bars. */
export const captionOf = ({ counts, length: { unit, size } }: Bars): string => {
  if (counts.length < 2) return ''
  const text = timeTexts()
  if (unit === 'month' && size > 1) return text.per(text.quarter)
  return text.per(size > 1 ? `${formatCount(size)} ${text.years}` : text[unit])
}
