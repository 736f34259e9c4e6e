import { zone } from './format.ts'

/** A bar is some units of the calendar long, in the zone of the page. A bar of three months is a quarter. */
export interface BarLength {
  readonly unit: 'hour' | 'day' | 'week' | 'month' | 'year'
  readonly size: number
}

const HOUR = 3_600_000 // milliseconds
const DAY = 24 * HOUR
const YEAR = 365.25 * DAY

/** The lengths of bars, and the longest period that each divides. A longer period has too many bars. */
const LENGTHS = [
  [{ unit: 'hour', size: 1 }, 4 * DAY],
  [{ unit: 'day', size: 1 }, 70 * DAY],
  [{ unit: 'week', size: 1 }, 300 * DAY],
  [{ unit: 'month', size: 1 }, 5 * YEAR],
  [{ unit: 'month', size: 3 }, 15 * YEAR],
  [{ unit: 'year', size: 1 }, 60 * YEAR],
] as const

/** Returns the length of bars that divides a period of so many milliseconds into at most some 60 bars. */
export const barLengthOf = (milliseconds: number): BarLength => {
  const [fitting] = LENGTHS.find(([, longest]) => milliseconds <= longest) ?? []
  if (fitting !== undefined) return fitting
  const size = 10 ** Math.ceil(Math.log10(milliseconds / (60 * YEAR)))
  return { unit: 'year', size: milliseconds <= 30 * size * YEAR ? size / 2 : size }
}

/** Returns the year, the month from 0 and the day that the clock of the page shows at an instant. */
export const dateAt = (instant: number): readonly [year: number, month: number, day: number] => {
  const date = new Date(instant)
  return zone.value === 'utc'
    ? [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
    : [date.getFullYear(), date.getMonth(), date.getDate()]
}

/** Returns the first instant of a day on the clock of the page. */
const dayAt = (year: number, month: number, day: number): number => {
  const date = new Date(0)
  if (zone.value === 'utc') return date.setUTCFullYear(year, month, day)
  date.setFullYear(year, month, day)
  return date.setHours(0, 0, 0, 0)
}

/** Returns the start of the bar that contains the start of a unit. */
export const barAt = (start: number, { unit, size }: BarLength): number => {
  const [year, month] = dateAt(start)
  if (unit === 'year') return dayAt(Math.floor(year / size) * size, 0, 1)
  return unit === 'month' ? dayAt(year, Math.floor(month / size) * size, 1) : start
}

/** Returns the start of the bar after this one. */
export const nextBar = (start: number, { unit, size }: BarLength): number => {
  const [year, month, day] = dateAt(start)
  if (unit === 'year') return dayAt(year + size, 0, 1)
  if (unit === 'month') return dayAt(year, month + size, 1)
  return unit === 'hour' ? start + HOUR : dayAt(year, month, day + (unit === 'week' ? 7 : 1))
}
