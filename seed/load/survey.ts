import { hash } from 'node:crypto'
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
  const [seen, unread] = [new Set<string>(), new Set<string>()]
  const [extent, categories, outside] = [createExtent(), createCategories(), createOutside()]
  let [rows, placeless, equal, merged] = [0, 0, 0, 0]
  return {
    /**
     * Adds an event. Returns false if it equals an earlier event except for its id. `place` returns its position in the
     * file. `crs` is the reference system of the file.
     */
    add: (event: FileEvent, place?: () => string, crs?: Crs): boolean => {
      rows += 1
      extent.add(event)
      const { coordinates, category } = event
      if (coordinates === null) placeless += 1
      if (coordinates && crs !== undefined && place !== undefined) outside.add(coordinates, place, crs)
      if (category !== undefined) categories.add(category)
      if (event.id !== NO_ID && !withIds) return true
      const before = seen.size
      if (seen.add(digestOf(event)).size > before) return true
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
      if (category !== undefined) categories.drop(category)
    },
    lines: (): string[] => {
      const events = rows - merged
      if (events === 0) return []
      const lines = [
        ...extent.lines(),
        categories.line(),
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

/** The period and the bounds of events. */
function createExtent() {
  const [period, longitudes, latitudes] = [createRange(), createRange(), createRange()]
  return {
    add: ({ start, end, coordinates }: FileEvent): void => {
      for (const time of [start, end]) if (typeof time === 'number') period.add(time)
      if (!coordinates) return
      longitudes.add(coordinates[0])
      latitudes.add(coordinates[1])
    },
    lines: (): string[] => {
      const instants = period.ends().map((time) => new Date(time).toISOString())
      const bounds = `Bounds: longitude ${longitudes.ends().join(' to ')}, latitude ${latitudes.ends().join(' to ')}`
      return [instants.length > 0 ? `Period: ${instants.join(' to ')}` : '', longitudes.ends().length > 0 ? bounds : '']
    },
  }
}

type Position = NonNullable<FileEvent['coordinates']>

/** Counts events that are far outside the area of use of their file's reference system. */
function createOutside() {
  let [count, code, first] = [0, 0, '']
  return {
    add: ([x, y]: Position, place: () => string, { srid, domain: [west, south, east, north] }: Crs): void => {
      if (isNear(x, west, east) && isNear(y, south, north)) return
      if (count === 0) [code, first] = [srid, place()]
      count += 1
    },
    line: (events: number): string =>
      count === 0
        ? ''
        : `Warning: ${count} of ${events} events lie outside the area of EPSG:${code}, the first at ${first}. Are x and y swapped?`,
  }
}

/** Returns true if a value is in a range, or outside by at most half of its size. */
const isNear = (value: number, least: number, greatest: number): boolean =>
  Math.abs(value - (least + greatest) / 2) <= greatest - least

/** Hashes an event without its id. With 132 bits, different events practically never have the same digest. */
const digestOf = ({ id: _, ...event }: FileEvent): string =>
  hash('sha256', JSON.stringify(event), 'base64').slice(0, 22)

/** Counts events by category. */
function createCategories() {
  const counts = new Map<string, number>()
  return {
    add: (name: string): void => {
      const count = counts.get(name) ?? 0
      if (count > 0 || counts.size < MAX_CATEGORIES) counts.set(name, count + 1)
    },
    drop: (name: string): void => {
      const left = (counts.get(name) ?? 0) - 1
      if (left > 0) counts.set(name, left)
      else counts.delete(name)
    },
    line: (): string => {
      const sorted = [...counts]
        .sort(([, a], [, b]) => b - a)
        .map(([name, count]) => `${JSON.stringify(name)} ${count}`)
      const many = counts.size === MAX_CATEGORIES ? ' or more' : ''
      return counts.size === 0 ? '' : `Categories: ${counts.size}${many} (${listOf(sorted, MAX_NAMED)})`
    },
  }
}

const listOf = (names: readonly string[], most: number): string =>
  names.length > most ? `${names.slice(0, most).join(', ')}, ...` : names.join(', ')

/** The minimum and the maximum of numbers. */
function createRange() {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  return {
    add: (value: number): void => {
      least = Math.min(least, value)
      greatest = Math.max(greatest, value)
    },
    /** It is empty without numbers. */
    ends: () => (least <= greatest ? [least, greatest] : []),
  }
}
