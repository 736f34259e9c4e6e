import { hash } from 'node:crypto'
import type { Bbox } from '../../src/geometry/bbox.ts'
import type { EventRecord } from '../../src/store/records.ts'
import type { Crs } from '../read/crs.ts'
import { NO_ID } from '../read/event.ts'

/** What events have in common: what a load tells of what it read, so that a mistake in it is seen. */
export interface Survey {
  /**
   * Adds an event. Returns false if an event before was equal, whatever their ids. `place` is where the event stands, and
   * `crs` the reference system of its file.
   */
  readonly add: (event: EventRecord, place?: () => string, crs?: Crs) => boolean
  readonly lines: () => string[]
}

const MAX_CATEGORIES = 10_000
const MAX_NAMED = 5
const MAX_UNREAD = 20

/**
 * An empty survey; `unread` are names of columns and members that are met, and are no field of an event.
 * Of events that have ids equal ones are looked for only `withIds`.
 */
export function createSurvey(unread: ReadonlySet<string>, withIds = false): Survey {
  const [seen, categories] = [new Set<string>(), new Map<string, number>()]
  let [events, placeless, equal] = [0, 0, 0]
  const outside = createOutside()
  const [period, bounds] = [range(), [range(), range()] as const]
  return {
    add: (event, place, crs) => {
      events += 1
      if (crs !== undefined && place !== undefined) outside.add(event, place, crs)
      period.add(event.start)
      period.add(event.end)
      if (event.coordinates === null) placeless += 1
      else for (const [i, { add }] of bounds.entries()) add(event.coordinates[i] ?? 0)
      if (categories.size < MAX_CATEGORIES || categories.has(event.category))
        categories.set(event.category, (categories.get(event.category) ?? 0) + 1)
      if (event.id !== NO_ID && !withIds) return true
      const before = seen.size
      seen.add(digestOf(event))
      if (seen.size > before) return true
      equal += 1
      return false
    },
    lines: () => {
      const [[west, east], [south, north]] = [bounds[0].ends(), bounds[1].ends()]
      if (events === 0) return []
      const [first, last] = period.ends().map((time) => new Date(time).toISOString())
      const lines = [
        `Period: ${first} to ${last}`,
        placeless < events ? `Bounds: longitude ${west} to ${east}, latitude ${south} to ${north}` : '',
        `Categories: ${categoriesOf(categories)}`,
        placeless > 0 ? `Without a place: ${placeless} of ${events} events` : '',
        outside.line(events),
        equal > 0 ? `Equal to one before: ${equal} of ${events} events` : '',
        unread.size > 0 ? `Not loaded, as it is no field of an event: ${listOf([...unread], MAX_UNREAD)}` : '',
      ]
      return lines.filter((line) => line !== '')
    },
  }
}

/** Counts events that lie far from where the reference system of their file is meant for. */
function createOutside() {
  let [count, code, first] = [0, 0, '']
  return {
    add: ({ coordinates }: EventRecord, place: () => string, { srid, domain }: Crs): void => {
      if (coordinates === null || isNear(domain, coordinates)) return
      if (count === 0) [code, first] = [srid, place()]
      count += 1
    },
    line: (events: number): string =>
      count === 0
        ? ''
        : `Warning: ${count} of ${events} events lie outside the area of EPSG:${code}, the first at ${first}. Are x and y swapped?`,
  }
}

/** Whether a position is in the area of use of a system, or beside it by at most half of the area's width and height. */
const isNear = ([west, south, east, north]: Bbox, [x = 0, y = 0]: readonly number[]): boolean => {
  const [width, height] = [east - west, north - south]
  const isIn = (value: number, least: number, size: number) => value >= least - size / 2 && value <= least + 1.5 * size
  return isIn(x, west, width) && isIn(y, south, height)
}

/** Of all but the id of an event; 132 bits tell any two apart. */
const digestOf = ({ id: _, ...event }: EventRecord): string =>
  hash('sha256', JSON.stringify(event), 'base64').slice(0, 22)

function categoriesOf(counts: ReadonlyMap<string, number>): string {
  const sorted = [...counts].sort(([, a], [, b]) => b - a).map(([name, count]) => `${JSON.stringify(name)} ${count}`)
  const many = counts.size === MAX_CATEGORIES ? ' or more' : ''
  return `${counts.size}${many} (${listOf(sorted, MAX_NAMED)})`
}

const listOf = (names: readonly string[], most: number): string =>
  names.length > most ? `${names.slice(0, most).join(', ')}, ...` : names.join(', ')

/** The least and the greatest of numbers. */
function range() {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  return {
    add: (value: number) => {
      if (value < least) least = value
      if (value > greatest) greatest = value
    },
    ends: () => [least, greatest] as const,
  }
}
