import type { Geometry } from 'geojson'

/** An event as the list answers it (GeoJSON). */
export interface EventFeature {
  readonly id: number
  readonly type: 'Feature'
  readonly geometry: Extract<Geometry, { type: 'Point' }> | null
  readonly properties: {
    readonly category: string | null
    readonly value: string
    readonly url: string
    readonly timestamp_start: number
    readonly timestamp_end: number
    readonly event_series: number
    readonly object: { readonly type: string; readonly id: number } | null
  }
}

/** An event series of version 3 or 4. */
export interface Series {
  readonly url: string
  readonly name: string
  readonly description: string
  readonly observation_type: string
  readonly statistic: string
  readonly color: string
  readonly first_value_timestamp?: number | null
  readonly last_value_timestamp?: number | null
  readonly spatial_bounds?: Bounds | null
  readonly uuid?: string
  readonly start?: string | null
  readonly end?: string | null
  readonly access_modifier?: string
}

export interface Bounds {
  readonly west: number
  readonly east: number
  readonly north: number
  readonly south: number
}

/** The envelope of a list. */
export interface Envelope {
  readonly count: number
  readonly next: string | null
  readonly previous: string | null
  readonly results: readonly object[]
}

export const isEnvelope = (body: unknown): body is Envelope =>
  typeof body === 'object' && body !== null && 'results' in body && Array.isArray(body.results)

export const isEvent = (row: unknown): row is EventFeature =>
  typeof row === 'object' && row !== null && 'type' in row && row.type === 'Feature' && 'properties' in row

export const isSeries = (row: unknown): row is Series =>
  typeof row === 'object' && row !== null && 'color' in row && 'statistic' in row

/** The uuid of a series, in the last part of its address. */
export const uuidOf = (series: Series): string => new URL(series.url).pathname.split('/').at(-2) ?? ''

/** An instant for people, in UTC: 2018-01-31 02:18:21; milliseconds or ISO 8601. */
export const formatInstant = (instant: number | string | null | undefined): string => {
  if (instant === null || instant === undefined) return '–'
  const date = new Date(instant)
  if (Number.isNaN(date.getTime())) return String(instant)
  const text = date.toISOString()
  return /T00:00:00\.000Z$/.test(text) ? text.slice(0, -14) : text.replace('T', ' ').replace(/(\.\d+)?Z$/, '')
}

const UNITS: readonly [number, string][] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
  [1, 'ms'],
]

/** A length of time for people, in its two greatest units: 4 d 6 h. */
export const formatDuration = (milliseconds: number): string => {
  const parts: string[] = []
  let rest = Math.abs(milliseconds)
  for (const [size, unit] of UNITS) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) parts.push(`${count.toLocaleString('en')} ${unit}`)
  }
  const text = parts.slice(0, 2).join(' ') || '0 s'
  return milliseconds < 0 ? `−${text}` : text
}

/** Degrees for people: 59.841° N 136.556° W. */
export const formatPosition = ([x = 0, y = 0]: readonly number[]): string =>
  `${formatDegrees(y, 'N', 'S')} ${formatDegrees(x, 'E', 'W')}`

const formatDegrees = (value: number, positive: string, negative: string): string =>
  `${Math.abs(value).toFixed(3)}°\u00a0${value < 0 ? negative : positive}`

/** Bounds for people: 50.3 to 67.9° N, 178.5 to 136.6° W. */
export const formatBounds = (bounds: Bounds | null | undefined): string => {
  if (bounds === null || bounds === undefined) return '–'
  const { west, east, south, north } = bounds
  return `${formatRange(south, north, 'N', 'S')}, ${formatRange(west, east, 'E', 'W')}`
}

const formatRange = (from: number, to: number, positive: string, negative: string): string => {
  const [first, second] = [from, to].map((value) => Math.abs(value).toFixed(1))
  const [sign, other] = [from, to].map((value) => (value < 0 ? negative : positive))
  return sign === other ? `${first} to ${second}° ${sign}` : `${first}° ${sign} to ${second}° ${other}`
}
