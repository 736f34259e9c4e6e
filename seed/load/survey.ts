import { hash } from 'node:crypto'
import type { Bbox } from '../../src/geometry/bbox.ts'
import type { Crs } from '../read/crs.ts'
import { type FileEvent, NO_ID } from '../read/event.ts'
import type { NamedRow } from './names.ts'

const MAX_CATEGORIES = 10_000
const MAX_NAMED = 5
const MAX_UNREAD = 20

/**
 * Creates a summary of the events in the files, such as their period and bounds. It helps a user to notice mistakes.
 * Events with ids are checked for duplicates only if `withIds` is true.
 */
export function createSurvey(withIds = false) {
  const [seen, categories, unread] = [new Set<string>(), new Map<string, number>(), new Set<string>()]
  let [rows, placeless, equal, merged] = [0, 0, 0, 0]
  const outside = createOutside()
  const [period, bounds] = [range(), [range(), range()] as const]
  return {
    /**
     * Adds an event. Returns false if it equals an earlier event except for its id. `place` returns its position in the
     * file. `crs` is the reference system of the file.
     */
    add: (event: FileEvent, place?: () => string, crs?: Crs): boolean => {
      rows += 1
      if (crs !== undefined && place !== undefined) outside.add(event, place, crs)
      const { start, end = start, coordinates, category } = event
      for (const time of [start, end ?? start]) if (time !== undefined) period.add(time)
      if (coordinates === null) placeless += 1
      else if (coordinates !== undefined) for (const [i, { add }] of bounds.entries()) add(coordinates[i] ?? 0)
      if (category !== undefined && (categories.size < MAX_CATEGORIES || categories.has(category)))
        categories.set(category, (categories.get(category) ?? 0) + 1)
      if (event.id !== NO_ID && !withIds) return true
      const before = seen.size
      seen.add(digestOf(event))
      if (seen.size > before) return true
      equal += 1
      return false
    },
    /** Adds the names of columns and members that are not fields of an event. */
    addUnread: (names: ReadonlySet<string>): void => {
      for (const name of names) unread.add(name)
    },
    /** Removes a row because a later row has the same key. */
    drop: ({ category, isPlaceless }: NamedRow): void => {
      merged += 1
      if (isPlaceless) placeless -= 1
      const left = category === undefined ? 0 : (categories.get(category) ?? 0) - 1
      if (category === undefined) return
      if (left > 0) categories.set(category, left)
      else categories.delete(category)
    },
    lines: (): string[] => {
      const events = rows - merged
      const [[west, east], [south, north]] = [bounds[0].ends(), bounds[1].ends()]
      if (events === 0) return []
      const [first, last] = period.ends()
      const lines = [
        first <= last ? `Period: ${new Date(first).toISOString()} to ${new Date(last).toISOString()}` : '',
        west <= east ? `Bounds: longitude ${west} to ${east}, latitude ${south} to ${north}` : '',
        categories.size > 0 ? `Categories: ${categoriesOf(categories)}` : '',
        merged > 0 ? `Merged with a later row with the same key: ${merged} of ${rows} rows` : '',
        placeless > 0 ? `Without a place: ${placeless} of ${events} events` : '',
        outside.line(events),
        equal > 0 ? `Equal to an earlier event: ${equal} of ${events} events` : '',
        unread.size > 0 ? `Not loaded, because an event has no such field: ${listOf([...unread], MAX_UNREAD)}` : '',
      ]
      return lines.filter((line) => line !== '')
    },
  }
}

export type Survey = ReturnType<typeof createSurvey>

/** Counts events that are far outside the area of use of their file's reference system. */
function createOutside() {
  let [count, code, first] = [0, 0, '']
  return {
    add: ({ coordinates }: FileEvent, place: () => string, { srid, domain }: Crs): void => {
      if (!coordinates || isNear(domain, coordinates)) return
      if (count === 0) [code, first] = [srid, place()]
      count += 1
    },
    line: (events: number): string =>
      count === 0
        ? ''
        : `Warning: ${count} of ${events} events lie outside the area of EPSG:${code}, the first at ${first}. Are x and y swapped?`,
  }
}

/** Returns true if a position is in the area of use, or at most half of its width and height outside. */
const isNear = ([west, south, east, north]: Bbox, [x = 0, y = 0]: readonly number[]): boolean => {
  const [width, height] = [east - west, north - south]
  const isIn = (value: number, least: number, size: number) => value >= least - size / 2 && value <= least + 1.5 * size
  return isIn(x, west, width) && isIn(y, south, height)
}

/** Hashes an event without its id. With 132 bits, different events practically never have the same digest. */
const digestOf = ({ id: _, ...event }: FileEvent): string =>
  hash('sha256', JSON.stringify(event), 'base64').slice(0, 22)

function categoriesOf(counts: ReadonlyMap<string, number>): string {
  const sorted = [...counts].sort(([, a], [, b]) => b - a).map(([name, count]) => `${JSON.stringify(name)} ${count}`)
  const many = counts.size === MAX_CATEGORIES ? ' or more' : ''
  return `${counts.size}${many} (${listOf(sorted, MAX_NAMED)})`
}

const listOf = (names: readonly string[], most: number): string =>
  names.length > most ? `${names.slice(0, most).join(', ')}, ...` : names.join(', ')

/** The minimum and the maximum of numbers. */
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
