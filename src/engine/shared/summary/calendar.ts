import type { Zone } from '../../../base/zone.ts'
import type { Unit } from '../../summaries.ts'

const HOUR = 3_600_000 // milliseconds
const DAY = 24 * HOUR
/** The earliest instant that a JavaScript Date can hold. */
const FIRST = -8_640_000_000_000_000

/** The milliseconds of each unit. Null: its length varies. */
export const LENGTHS: Readonly<Record<Unit, number | null>> = {
  hour: HOUR,
  day: DAY,
  week: 7 * DAY,
  month: null,
  year: null,
}

/**
 * Returns the start of the hour, day, week, month or year that contains an instant. Both are milliseconds since 1970.
 * The result is never before the earliest instant.
 */
export const startOf = (unit: Unit, instant: number): number => Math.max(FIRST, STARTS[unit](instant))

const floorTo = (size: number, instant: number): number => Math.floor(instant / size) * size

/** 1970 began on a Thursday, so the week of that day began three days before. */
const STARTS: Readonly<Record<Unit, (instant: number) => number>> = {
  hour: (instant) => floorTo(HOUR, instant),
  day: (instant) => floorTo(DAY, instant),
  week: (instant) => floorTo(7 * DAY, instant + 3 * DAY) - 3 * DAY,
  month: (instant) => {
    const date = new Date(instant)
    return floorTo(DAY, instant) - (date.getUTCDate() - 1) * DAY
  },
  year: (instant) => {
    const date = new Date(instant)
    // The calendar repeats every 400 years. Date.UTC takes years below 100 as 1900 and later.
    const year = 2000 + (date.getUTCFullYear() % 400)
    const sinceStart = Date.UTC(year, date.getUTCMonth(), date.getUTCDate()) - Date.UTC(year, 0, 1)
    return floorTo(DAY, instant) - sinceStart
  },
}

/** Returns functions for the key of the bin that contains an instant, and for the first instant of such a bin. */
export const clockOf = (unit: Unit, zone: Zone | null) => (zone === null ? inUtc(unit) : onClock(unit, zone))

const inUtc = (unit: Unit) => ({
  keyOf: (start: number) => startOf(unit, start),
  toInstant: (key: number) => key,
})

/** An hour that the clock repeats in autumn is two bins. So the key of an hour is its instant, not its local time. */
const onClock = (unit: Unit, { toLocal, toInstant }: Zone) => ({
  keyOf: (start: number) => {
    const local = toLocal(start)
    const key = startOf(unit, local)
    return unit === 'hour' ? start - local + key : key
  },
  toInstant: unit === 'hour' ? (key: number) => key : toInstant,
})
