import type { EventRecord, LoadRecord } from '../records.ts'
import { random, SERIES, seriesOf } from './events.ts'

/** A place with many events. `deviation` is the standard deviation of their positions, in degrees. */
export interface Town {
  readonly x: number
  readonly y: number
  readonly deviation: number
}

/** The towns and the period of a series. `weight` is its share of the events. Times are in milliseconds since 1970. */
interface Source {
  readonly weight: number
  readonly from: number
  readonly span: number
  readonly towns: readonly Town[]
}

type Place = readonly [x: number, y: number]
type Random = () => number

const TOWNS = 40
/**
 * The number of big towns. They are first in the list and in one cell of level 6, and have many more events than the
 * others.
 */
export const BIG_TOWNS = 8
/** The cell of the big towns, in degrees. The margin keeps most of their events inside. */
const [WEST, SOUTH, WIDTH, HEIGHT, MARGIN] = [0, 50.625, 5.625, 2.8125, 0.6]
const WEIGHTS = [1, 2, 5, 10]
const TOWNS_OF_SERIES = [1, 3, 8, 30]
const IN_BIG_TOWNS = 0.4
const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000]
const SPANS = [30 * DAY, 365 * DAY, 3650 * DAY]
const [FIRST_START, LAST_START] = [Date.UTC(1950, 0, 1), Date.UTC(2015, 0, 1)]
const PRECISIONS = [1, SECOND, MINUTE, HOUR]
const ROUND_DURATIONS = [MINUTE, 15 * MINUTE, HOUR, 6 * HOUR, DAY, 7 * DAY]
const RECENT_PLACES = 500
const GRID = 1000 // lines per degree
const KINDS =
  'rain,hail,snow,wind,flood,fire,quake,slide,drought,fog,frost,heat,tide,wave,tremor,plume,bloom,swarm,outage'.split(
    ',',
  )
const STAGES = ['report', 'warning', 'alert', 'closure']
const CATEGORIES = KINDS.length * STAGES.length
const COMMON_CATEGORIES = 16
const MODELS = ['station', 'ship', 'sensor', 'road_segment']
const MEAN_OBJECT_ID = 200
const GAUGES = 37

/** Returns the towns of a seed. The big ones are first. */
export const townsOf = (seed: number): readonly Town[] => {
  const next = random(seed)
  return Array.from({ length: TOWNS }, (_, i) => {
    const [u, v] = [next(), next()]
    const deviation = 0.02 * 15 ** next() // from 0.02 to 0.3
    return i < BIG_TOWNS
      ? { x: WEST + MARGIN + u * (WIDTH - 2 * MARGIN), y: SOUTH + MARGIN + v * (HEIGHT - 2 * MARGIN), deviation }
      : { x: u * 340 - 170, y: v * 130 - 65, deviation }
  })
}

/**
 * Yields one observation type, 50 series, and realistic events: a few series are big, most events are in towns, times
 * are often round, and a few durations are very long. With equal seeds, short results are the start of long ones.
 */
export function* skewed(events: number, seed = 1): Generator<LoadRecord> {
  yield { kind: 'observation_type', id: 1, code: 'bench', name: 'Bench', unit: null }
  for (let id = 1; id <= SERIES; id++) yield seriesOf(id)
  yield* skewedEvents(events, seed)
}

/** Yields only the events. */
export function* skewedEvents(events: number, seed = 1): Generator<EventRecord> {
  const next = random(seed + 2 ** 20)
  const towns = townsOf(seed)
  const sources = Array.from({ length: SERIES }, () => sourceOf(next, towns))
  const bySize = sources.flatMap((source, i) => new Array<number>(source.weight).fill(i))
  const recent: Place[] = []
  for (let id = 1; id <= events; id++) {
    const series = pick(next, bySize)
    const source = sources[series] as Source
    const place = placeOf(next, source.towns, recent)
    recent[(id - 1) % RECENT_PLACES] = place
    const precision = pick(next, PRECISIONS)
    const start = Math.floor((source.from + next() * source.span) / precision) * precision
    const category = categoryOf(next)
    const measured = Math.floor(next() * 1000)
    yield {
      kind: 'event',
      id,
      series: series + 1,
      category,
      value: `${measured / 10} mm at gauge ${measured % GAUGES}`,
      attributes: { depth: measured / 10, gauge: `gauge ${measured % GAUGES}` },
      start,
      end: start + durationOf(next),
      coordinates: [...place, 0],
      object: next() < 0.2 ? { model: modelOf(next), id: 1 + Math.floor(exponential(next) * MEAN_OBJECT_ID) } : null,
    }
  }
}

const sourceOf = (next: Random, towns: readonly Town[]): Source => {
  const own = shuffled(next, towns).slice(0, pick(next, TOWNS_OF_SERIES))
  return {
    weight: pick(next, WEIGHTS),
    from: FIRST_START + Math.floor(next() * (LAST_START - FIRST_START)),
    span: pick(next, SPANS),
    towns: next() < IN_BIG_TOWNS ? [...new Set([...own, ...towns.slice(0, BIG_TOWNS)])] : own,
  }
}

/**
 * Draws a position: 60 % in towns, 10 % at one of the last 500 positions, 10 % at street crossings of a town, and 20 %
 * anywhere.
 */
const placeOf = (next: Random, towns: readonly Town[], recent: readonly Place[]): Place => {
  const kind = next()
  if (kind < 0.2) return [next() * 360 - 180, next() * 180 - 90]
  if (kind < 0.3 && recent.length === RECENT_PLACES) return pick(next, recent)
  const { x, y, deviation } = pick(next, towns)
  // Box-Muller: a normal distribution around the centre.
  const distance = deviation * Math.sqrt(2 * exponential(next))
  const angle = 2 * Math.PI * next()
  const place: Place = [x + distance * Math.cos(angle), y + distance * Math.sin(angle)]
  return kind < 0.4 ? [Math.round(place[0] * GRID) / GRID, Math.round(place[1] * GRID) / GRID] : place
}

/**
 * Draws a duration in milliseconds: 30 % are 0, 20 % are round, 45 % are up to two days, and 5 % are up to 800 days.
 */
const durationOf = (next: Random): number => {
  const kind = next()
  if (kind < 0.3) return 0
  if (kind < 0.5) return pick(next, ROUND_DURATIONS)
  return Math.floor(next() * (kind < 0.95 ? 2 : 800) * DAY)
}

/** Draws a category. 16 categories have 60 % of the events, and 60 categories have the others. */
const categoryOf = (next: Random): string => {
  const isCommon = next() < 0.6
  const of = isCommon ? COMMON_CATEGORIES : CATEGORIES - COMMON_CATEGORIES
  const number = Math.floor(next() * of) + (isCommon ? 0 : COMMON_CATEGORIES)
  return `${KINDS[number % KINDS.length]} ${STAGES[Math.floor(number / KINDS.length)]}`
}

/** Draws a model. Half of the objects have the first model. */
const modelOf = (next: Random): string => MODELS[Math.floor(next() ** 2 * MODELS.length)] as string

const exponential = (next: Random): number => -Math.log(1 - next())

/** Returns a random item. All are equally likely. */
export const pick = <T>(next: Random, among: readonly T[]): T => among[Math.floor(next() * among.length)] as T

const shuffled = <T>(next: Random, all: readonly T[]): T[] => {
  const rest = [...all]
  return all.map(() => rest.splice(Math.floor(next() * rest.length), 1)[0] as T)
}
