import { hash } from 'node:crypto'
import type { Crs } from '../read/crs.ts'
import { type FileEvent, NO_ID } from '../read/event.ts'
import { listOf } from '../read/statistics.ts'
import type { KeyedRow } from './names.ts'

const MAX_CATEGORIES = 10_000
const MAX_NAMED = 5

/** A summary of the events in the files, such as their period and bounds. It helps a user to notice mistakes. */
export class Survey {
  readonly #withIds: boolean
  readonly #seen = new Set<string>()
  readonly #mergedKeys: string[] = []
  readonly #categories = new Map<string, number>()
  readonly #ranges = { period: new Extent(), longitude: new Extent(), latitude: new Extent() }
  /** The events far outside the area of use of their file's reference system. */
  readonly #outside = { count: 0, first: '' }
  readonly #counts = { rows: 0, placeless: 0, equal: 0, merged: 0 }

  /** Events with ids are checked for duplicates only if `withIds` is true. */
  constructor(withIds = false) {
    this.#withIds = withIds
  }

  /**
   * Adds an event. Returns false if it equals an earlier event except for its id. `place` returns its position in the
   * file. `crs` is the reference system of the file.
   */
  add(event: FileEvent, place?: () => string, crs?: Crs): boolean {
    const { id, start, end, coordinates, category } = event
    const { period, longitude, latitude } = this.#ranges
    this.#counts.rows += 1
    for (const time of [start, end]) if (typeof time === 'number') period.add(time)
    if (coordinates === null) this.#counts.placeless += 1
    if (coordinates) {
      longitude.add(coordinates[0])
      latitude.add(coordinates[1])
      if (crs !== undefined && place !== undefined && isOutside(coordinates, crs) && this.#outside.count++ === 0)
        this.#outside.first = `EPSG:${crs.srid}, the first at ${place()}`
    }
    if (category !== undefined) this.#count(category, 1)
    if (id !== NO_ID && !this.#withIds) return true
    const before = this.#seen.size
    if (this.#seen.add(digestOf(event)).size > before) return true
    this.#counts.equal += 1
    return false
  }

  /** Removes a row because a later row has the same key. */
  drop({ category, isPlaceless }: KeyedRow, key: string): void {
    this.#counts.merged += 1
    if (this.#mergedKeys.length <= MAX_NAMED) this.#mergedKeys.push(key)
    if (isPlaceless) this.#counts.placeless -= 1
    if (category !== undefined) this.#count(category, -1)
  }

  #count(category: string, more: number): void {
    const events = (this.#categories.get(category) ?? 0) + more
    if (events <= 0) this.#categories.delete(category)
    else if (events > 1 || more < 0 || this.#categories.size < MAX_CATEGORIES) this.#categories.set(category, events)
  }

  lines(): string[] {
    const { rows, placeless, equal, merged } = this.#counts
    const { period, longitude, latitude } = this.#ranges
    const [events, { count, first }, { size }] = [rows - merged, this.#outside, this.#categories]
    const sorted = [...this.#categories].sort(([, a], [, b]) => b - a)
    const categories = sorted.map(([name, number]) => `${JSON.stringify(name)} ${number}`)
    const more = size === MAX_CATEGORIES ? ' or more' : ''
    const lines = [
      !period.isEmpty && `Period: ${period.textOf((time) => new Date(time).toISOString())}`,
      !longitude.isEmpty && `Bounds: longitude ${longitude.textOf(String)}, latitude ${latitude.textOf(String)}`,
      size > 0 && `Categories: ${size}${more} (${listOf(categories, MAX_NAMED)})`,
      merged > 0 &&
        `Merged with a later row with the same key: ${merged} of ${rows} rows (${listOf(this.#mergedKeys, MAX_NAMED)})`,
      placeless > 0 && `Without a place: ${placeless} of ${events} events`,
      count > 0 && `Warning: ${count} of ${events} events lie outside the area of ${first}. Are x and y swapped?`,
      equal > 0 && `Equal to an earlier event: ${equal} of ${events} events`,
    ]
    return events === 0 ? [] : lines.filter((line) => line !== false)
  }
}

class Extent {
  #least = Number.POSITIVE_INFINITY
  #greatest = Number.NEGATIVE_INFINITY

  add(value: number): void {
    this.#least = Math.min(this.#least, value)
    this.#greatest = Math.max(this.#greatest, value)
  }

  get isEmpty(): boolean {
    return this.#least > this.#greatest
  }

  textOf = (write: (value: number) => string): string => `${write(this.#least)} to ${write(this.#greatest)}`
}

/** Returns true if a position is outside an area of use by more than half of the size of the area. */
const isOutside = ([x, y]: readonly [number, number, number], { domain: [west, south, east, north] }: Crs): boolean =>
  Math.abs(x - (west + east) / 2) > east - west || Math.abs(y - (south + north) / 2) > north - south

/** Hashes an event without its id. With 132 bits, different events practically never have the same digest. */
const digestOf = ({ id: _, ...event }: FileEvent): string =>
  hash('sha256', JSON.stringify(event), 'base64').slice(0, 22)
