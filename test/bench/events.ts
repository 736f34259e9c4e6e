import type { EventRecord, LoadRecord, SeriesRecord } from '../records.ts'

/** The number of series. */
export const SERIES = 50
/** The uuid of the series with 1 % of the events. */
export const SMALL_SERIES = uuidOf(1)
const CLUSTERS = 40
const CATEGORIES = 40
/** The category of 1 in 20 events. */
export const COMMON_CATEGORY = 'storm surge'
export const FIRST = Date.UTC(2000, 0, 1)
export const YEARS = 20
const SPAN = YEARS * 365.25 * 86_400_000

/** Creates a generator of numbers from 0 to 1 (mulberry32). Equal seeds give equal numbers. */
export const random = (seed: number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

/**
 * Yields one observation type, 50 series and `events` events over 20 years. Half of the events are in 40 clusters, and
 * the others are anywhere. One in ten has an object.
 */
export function* records(events: number, seed = 20_261_121): Generator<LoadRecord> {
  yield { kind: 'observation_type', id: 1, code: 'bench', name: 'Bench', unit: null }
  for (let id = 1; id <= SERIES; id++) yield seriesOf(id)
  const next = random(seed)
  const clusters = Array.from(
    { length: CLUSTERS },
    () => [next() * 340 - 170, next() * 140 - 70, 0.2 + next() * 3] as const,
  )
  for (let id = 1; id <= events; id++) yield eventOf(id, next, clusters)
}

/** Makes a public series. */
export const seriesOf = (id: number): SeriesRecord => ({
  kind: 'event_series',
  id,
  uuid: uuidOf(id),
  name: `Series ${id}`,
  description: '',
  observation_type: 1,
  statistic: 'raw',
  color: '#336699',
  access_modifier: 0,
  created: 1_600_000_000_000_000,
  last_modified: null,
})

const eventOf = (
  id: number,
  next: () => number,
  clusters: readonly (readonly [number, number, number])[],
): EventRecord => {
  const start = FIRST + Math.floor(next() * SPAN)
  const [x, y] = placeOf(next, clusters)
  const category = next() < 0.05 ? COMMON_CATEGORY : `category ${Math.floor(next() * CATEGORIES)}`
  return {
    kind: 'event',
    id,
    series: next() < 0.01 ? 1 : 2 + Math.floor(next() * (SERIES - 1)),
    category,
    value: `value ${Math.floor(next() * 1000)}`,
    start,
    end: start + (next() < 0.5 ? 0 : Math.floor(next() * 86_400_000)),
    coordinates: [x, y, 0],
    object: next() < 0.1 ? { model: 'station', id: 1 + Math.floor(next() * 1000) } : null,
  }
}

const placeOf = (next: () => number, clusters: readonly (readonly [number, number, number])[]) => {
  if (next() < 0.5) return [next() * 360 - 180, next() * 180 - 90] as const
  const [x, y, radius] = clusters[Math.floor(next() * clusters.length)] ?? [0, 0, 1]
  // A normal distribution around the centre (Box-Muller).
  const distance = radius * Math.sqrt(-2 * Math.log(1 - next()))
  const angle = 2 * Math.PI * next()
  const clamp = (value: number, limit: number) => Math.min(limit, Math.max(-limit, value))
  return [clamp(x + distance * Math.cos(angle), 180), clamp(y + distance * Math.sin(angle), 90)] as const
}

/** Returns the uuid of a series. */
export function uuidOf(id: number): string {
  return `${((id * 0x9e3779b1) % 2 ** 32).toString(16).padStart(8, '0')}-0000-4000-8000-${String(id).padStart(12, '0')}`
}
