import type { Columns } from './columns.ts'
import { uuidOf } from './events.ts'
import { box, type Position, type Ring, type spiky } from './shapes.ts'
import { BIG_TOWNS, pick, townsOf } from './skewed.ts'
import type { Workload } from './workloads.ts'

/** The parameters of a condition. */
export type Filter = Workload['query']

/** The random numbers and the events for drawing requests. */
export interface Source {
  readonly next: () => number
  readonly columns: Columns
  readonly seed: number
  /** Returns the index of a random event. */
  readonly event: () => number
}

const [HOUR, DAY] = [3_600_000, 86_400_000]

/** Returns the category of an event. */
export const categoryOf = ({ columns: { categories, category } }: Source, i: number): string =>
  categories[category[i] as number] as string
/** Returns the position of an event. */
export const placeOf = ({ columns: { x, y } }: Source, i: number): Position => [x[i] as number, y[i] as number]

/** Matches the events in the series of an event. */
export const series = ({ columns, event }: Source, i = event()): Filter => ({
  event_series: uuidOf(columns.series[i] as number),
})

/** Matches the events with the category of an event. */
export const category = (source: Source, i: number): Filter => ({ category: categoryOf(source, i) })

/** Matches a part of a category: its first word without the first letter. */
export const categoryPart = (source: Source, i: number): Filter => ({
  category__icontains: (categoryOf(source, i).split(' ')[0]?.slice(1) ?? '').toUpperCase(),
})

/** Matches a period of a day to a year that contains the event. */
export const period = ({ columns: { start, end }, next }: Source, i: number): Filter => {
  const length = pick(next, [1, 7, 30, 90, 365]) * DAY
  const from = Math.floor((start[i] as number) - next() * 0.5 * length)
  const to = Math.max(from + length, Math.min((end[i] as number) + 1, from + 2 * length))
  return { timestamp_start__gte: instant(from), timestamp_end__lt: instant(to) }
}

/** Matches the events that overlap such a period. */
export const overlap = ({ columns: { start }, next }: Source, i: number): Filter => {
  const from = Math.floor((start[i] as number) - next() * DAY)
  const to = from + pick(next, [1, 7, 30, 90, 365]) * DAY
  return { timestamp_start__lt: instant(to), timestamp_end__gte: instant(from) }
}

/** Matches the calendar month in which an event starts. */
export const month = ({ columns: { start } }: Source, i: number): Filter => {
  const date = new Date(start[i] as number)
  const startOf = (months: number) => instant(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months))
  return { timestamp_start__gte: startOf(0), timestamp_start__lt: startOf(1) }
}

/**
 * Matches either durations from the event's own length up, or durations up to it. The limit is rounded to a whole hour.
 */
export const duration = ({ columns: { start, end }, next }: Source, i: number): Filter => {
  const hours = Math.floor(((end[i] as number) - (start[i] as number)) / HOUR)
  const text = (of: number) => `${String(of).padStart(2, '0')}:00:00`
  return next() < 0.5 ? { duration__gte: text(hours) } : { duration__lt: text(hours + 1) }
}

/** Returns the index of a random event with an object. */
export const withObject = (source: Source): number => {
  const i = source.event()
  return source.columns.model[i] === 0 ? withObject(source) : i
}

/** Matches the model of an event's object. */
export const model = ({ columns: { model, models } }: Source, i: number): Filter => ({
  object_type__model: models[model[i] as number] as string,
})

/** Matches the id of an event's object. The model may differ. */
export const objectId = ({ columns }: Source, i: number): Filter => ({ object_id: String(columns.objectId[i]) })

const instant = (milliseconds: number): string => new Date(milliseconds).toISOString()

/** Returns a map view that shows an event. Its width and height are in degrees. */
export const view = (source: Source, i: number, degrees: number): Ring => {
  const [x, y] = placeOf(source, i)
  const aside = () => (source.next() - 0.5) * 0.8 * degrees
  return box([x + aside(), y + aside()], degrees)
}

/** Returns a random town. Half of them are big towns. */
const townOf = ({ next, seed }: Source) => {
  const towns = townsOf(seed)
  return pick(next, next() < 0.5 ? towns.slice(0, BIG_TOWNS) : towns)
}

/** Returns a box around a random place in a town. Its width and height are in degrees. */
export const boxOf = (source: Source, degrees: number): Ring => {
  const { x, y, deviation } = townOf(source)
  const aside = () => (source.next() - 0.5) * 2 * deviation
  return box([x + aside(), y + aside()], degrees)
}

/** Returns a ring over most of a town. Half of the rings also cover the towns around it. */
export const ringOf = (source: Source, shape: typeof spiky, vertices: number): Ring => {
  const { x, y, deviation } = townOf(source)
  const radius = source.next() < 0.5 ? deviation * (1 + 2 * source.next()) : 1 + 2 * source.next()
  return shape(source.next, [x, y], radius, vertices)
}

/** Returns the number of a page near the middle, for 10 events per page. */
export const pageIn = ({ next, columns: { length } }: Source): number => Math.ceil(length * (0.03 + 0.04 * next()))
