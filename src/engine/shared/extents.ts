import type { Bbox } from '../../geometry/bbox.ts'
import type { SeriesExtent } from '../engine.ts'

/** Bounds in degrees. All are null without a place. */
export interface BoundsRow {
  readonly west: number | null
  readonly south: number | null
  readonly east: number | null
  readonly north: number | null
}

/** The bounds of the events of some series. Times are in milliseconds since 1970. */
export interface ExtentRow extends BoundsRow {
  readonly series: number
  readonly events: number
  readonly start: number | null
  readonly end: number | null
}

/** Returns the extent in a row. A null uuid stands for all series. */
export const extentOf = (uuid: string | null, row: ExtentRow): SeriesExtent => {
  const { series, events, start, end } = row
  return { uuid, series, events, bbox: boundsIn(row), interval: start === null || end === null ? null : [start, end] }
}

/** Returns the bounds in a row. Null without a place. */
export const boundsIn = ({ west, south, east, north }: BoundsRow): Bbox | null =>
  west === null || south === null || east === null || north === null ? null : [west, south, east, north]
