import { cellOf } from '../../src/geometry/cell.ts'
import type { EventRecord } from '../records.ts'

export const MAX_CELLS = 4096
/** The sizes of the stored counts. They limit a summary without filters. */
export const KEPT = { step: 2 ** 27, level: 8 }

export type Unit = 'hour' | 'day' | 'week' | 'month' | 'year'

export interface Fineness {
  readonly bins: number | Unit
  readonly level: number
  /** The begin of the period of `datetime`. Events that start before it are in its first bin. */
  readonly from?: number
}
export const usual: Fineness = { bins: 256, level: 8 }

/**
 * Computes a summary by the simplest method: it puts every event into its bin and its cell, as finely as the limits
 * allow.
 */
export const summaryOf = (
  events: readonly EventRecord[],
  { bins, level, from = Number.NEGATIVE_INFINITY }: Fineness,
  all: boolean,
) => {
  const starts = events.map(({ start }) => start).sort((a, b) => a - b)
  const binned = starts.map((start) => Math.max(start, from))
  const places = events.flatMap(({ coordinates }) => (coordinates === null ? [] : [coordinates]))
  const levels = Array.from({ length: 1 + (all ? Math.min(level, KEPT.level) : level) }, (_, i) => i).reverse()
  const grids = levels.map((each) => [each, counted(places.map((place) => boundsOf(place, each).join()))] as const)
  const [chosen, cells] = grids.find(([, cells]) => cells.size <= MAX_CELLS) ?? [null, new Map<string, number>()]
  const [start = null, end = null] = [starts[0], starts.at(-1)]
  return {
    count: events.length,
    time: {
      start,
      end,
      ...(typeof bins === 'string' ? unitsOf(binned, bins) : binsOf(binned, bins, all ? KEPT.step : 1)),
    },
    spatial_bounds: slowBounds(places, chosen ?? 0),
    density: {
      level: cells.size === 0 ? null : chosen,
      cells: [...cells].map(([bounds, count]) => [...bounds.split(',').map(Number), count]).sort(byOrder(chosen ?? 0)),
    },
    without_geometry: events.length - places.length,
  }
}

export const binsOf = (starts: readonly number[], most: number, finest: number) => {
  const [start, end] = [starts[0], starts.at(-1)]
  if (start === undefined || end === undefined) return { step: null, bins: [] }
  let step = most === 1 ? 1 : finest
  const first = most === 1 ? start : 0
  const bin = (at: number) => Math.floor((at - first) / step)
  while (bin(end) - bin(start) >= most) step *= 2
  const bins = [...counted(starts.map((at) => first + bin(at) * step))]
  return { step, bins: bins.sort(([a], [b]) => a - b) }
}

const LENGTHS = { hour: 3_600_000, day: 86_400_000, week: 604_800_000, month: null, year: null }

export const unitsOf = (starts: readonly number[], unit: Unit) => {
  const bins = [...counted(starts.map((at) => slowStartOf(unit, at)))]
  return { step: starts.length === 0 ? null : LENGTHS[unit], bins: bins.sort(([a], [b]) => a - b) }
}

/** Steps back by hours and days to the start of a unit, or to the earliest instant. */
export const slowStartOf = (unit: Unit, instant: number): number => {
  const date = new Date(instant)
  date.setUTCMinutes(0, 0, 0)
  const isStart = {
    hour: () => true,
    day: () => date.getUTCHours() === 0,
    week: () => date.getUTCHours() === 0 && date.getUTCDay() === 1,
    month: () => date.getUTCHours() === 0 && date.getUTCDate() === 1,
    year: () => date.getUTCHours() === 0 && date.getUTCDate() === 1 && date.getUTCMonth() === 0,
  }[unit]
  while (!isStart()) {
    const before = date.getTime() - 3_600_000
    if (before < -8_640_000_000_000_000) break
    date.setTime(before)
  }
  return date.getTime()
}

const counted = <T>(values: readonly T[]): Map<T, number> => {
  const counts = new Map<T, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

/**
 * Returns the west, south, east and north of the cell of a place. A place on a border belongs to the eastern or
 * northern cell.
 */
const boundsOf = ([x, y]: readonly number[], level: number): number[] => {
  const [width, height] = [360 / 2 ** level, 180 / 2 ** level]
  const column = Math.min(2 ** level - 1, Math.floor(((x ?? 0) + 180) / width))
  const row = Math.min(2 ** level - 1, Math.floor(((y ?? 0) + 90) / height))
  return [column * width - 180, row * height - 90, (column + 1) * width - 180, (row + 1) * height - 90]
}

/**
 * Returns the bounds of places. It tries each column of cells as the western end, from the west, and counts the columns to
 * the eastern end. The narrowest bounds win, and the first of equal ones.
 */
const slowBounds = (places: readonly (readonly number[])[], level: number) => {
  if (places.length === 0) return null
  const side = 2 ** level
  const columnOf = (x: number) => Math.min(side - 1, Math.floor((x + 180) / (360 / side)))
  const [xs, ys] = [places.map(([x = 0]) => x), places.map(([, y = 0]) => y)]
  const columns = [...new Set(xs.map(columnOf))].sort((a, b) => a - b)
  const widthFrom = (west: number) => Math.max(...columns.map((column) => (column - west + side) % side))
  const west = columns.reduce((best, each) => (widthFrom(each) < widthFrom(best) ? each : best))
  const east = (west + widthFrom(west)) % side
  return {
    west: Math.min(...xs.filter((x) => columnOf(x) === west)),
    south: Math.min(...ys),
    east: Math.max(...xs.filter((x) => columnOf(x) === east)),
    north: Math.max(...ys),
  }
}

/** Compares cells by the finest cell at their south-west corner. */
const byOrder = (level: number) => {
  const first = ([west = 0, south = 0]: readonly number[]) =>
    cellOf(west + 180 / 2 ** level / 2, south + 90 / 2 ** level / 2)
  return (a: readonly number[], b: readonly number[]) => first(a) - first(b)
}
