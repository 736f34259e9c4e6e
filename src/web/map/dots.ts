import type { Feature, Point } from 'geojson'
import { attributeIn } from '../../formats/columns.ts'
import { formatterOfNumbers } from '../state/format.ts'

/** A column of a series that the dots of a map can show. */
export interface DotColumn {
  readonly name: string
  readonly title: string
  /** A dot shows this statistic of the numbers at its place. Null: it shows the most frequent text. */
  readonly statistic: 'sum' | 'mean' | null
}

/** Returns the name of a column in tiles. */
export const propertyOf = ({ name }: DotColumn): string =>
  name === 'value' ? 'value_number' : (attributeIn(name) ?? name)

/** All events at one place. */
interface Place {
  readonly at: Point
  readonly events: readonly Feature[]
}

/** Returns the places of events. Events at the same position are one place. */
export const placesOf = (events: readonly Feature[]): readonly Place[] => {
  const positionOf = ({ geometry }: Feature) => String((geometry as Point).coordinates.slice(0, 2))
  return Array.from(Map.groupBy(events, positionOf).values(), (own) => ({ at: own[0]?.geometry as Point, events: own }))
}

/** Returns the sum or the mean of the numbers at a place, or the most frequent text. Null: the place has none. */
const valueAt = ({ events }: Place, column: DotColumn): number | string | null => {
  const values = events.flatMap(({ properties }) => properties?.[propertyOf(column)] ?? [])
  if (column.statistic === null) return mostFrequent(values.map(String))[0] ?? null
  const numbers = values.filter((value) => typeof value === 'number')
  const sum = numbers.reduce((all, value) => all + value, 0)
  return numbers.length === 0 ? null : sum / (column.statistic === 'sum' ? 1 : numbers.length)
}

/** Returns each text once, the most frequent first. */
const mostFrequent = (texts: readonly string[]): string[] =>
  [...Map.groupBy(texts, (text) => text)].sort(([, a], [, b]) => b.length - a.length).map(([text]) => text)

/** A class of dots has a range of numbers, or one text. */
export interface DotClass {
  /** Empty: the class of all other texts. */
  readonly label: string
  /** The index of the colour. Numbers and texts have different colours. */
  readonly color: number
  /** The size of a dot, if 1 is the usual one. */
  readonly size: number
  readonly holds: (value: number | string | null) => boolean
}

/** The classes of numbers begin at these parts of all places. */
const QUANTILES = [0, 0.2, 0.4, 0.6, 0.8]
/** The size of dots from few to many. */
const SIZES = [0.8, 1.1, 1.4, 1.8, 2.3]
/** The most texts that have a colour of their own. */
const MOST_TEXTS = 6

/** Says a number for a legend. Large numbers have no decimals. */
const sayShort = (value: number): string =>
  formatterOfNumbers(Number.isInteger(value) || Math.abs(value) >= 100 ? 0 : 1)(value)

/** Returns the classes of places: five with as many places each, or the most frequent texts. */
export const classesOf = (places: readonly Place[], column: DotColumn): readonly DotClass[] => {
  const values = places.map((place) => valueAt(place, column))
  if (column.statistic === null) {
    const texts = mostFrequent(values.filter((value) => typeof value === 'string')).slice(0, MOST_TEXTS)
    const known = texts.map((label, color) => ({ label, color, size: 1, holds: (value: unknown) => value === label }))
    const others = { label: '', color: MOST_TEXTS, size: 1, holds: () => true }
    return values.every((value) => texts.some((text) => text === value)) ? known : [...known, others]
  }
  const numbers = values.filter((value) => typeof value === 'number').sort((a, b) => a - b)
  const starts = new Set(QUANTILES.flatMap((part) => numbers[Math.floor(part * numbers.length)] ?? []))
  return [...starts].map((least, i, all) => {
    const next = all[i + 1] ?? Number.POSITIVE_INFINITY
    const greatest = numbers.findLast((number) => number < next) ?? least
    const step = all.length < 2 ? 2 : Math.round((i * (SIZES.length - 1)) / (all.length - 1))
    const label = [...new Set([least, greatest].map(sayShort))].join('–')
    const holds = (value: unknown) => typeof value === 'number' && value < next && (i === 0 || value >= least)
    return { label, color: step, size: SIZES[step] ?? 1, holds }
  })
}

/** A dot of a map as its layers draw it. */
interface Look {
  readonly color: string
  readonly size: number
}

/**
 * Returns a dot for each place, with its value in words and the number of its events. `colorOf` returns the colour of a
 * class.
 */
export const dotsOf = (
  places: readonly Place[],
  column: DotColumn | null,
  classes: readonly DotClass[],
  colorOf: (found: DotClass | undefined) => string,
): Feature[] =>
  places.map((place) => {
    const { at, events } = place
    const value = column && valueAt(place, column)
    const found = classes.find(({ holds }) => holds(value))
    // More events at a place make a larger dot: 10 events one of 1.4, and 100 events one of 1.8.
    const plain = { color: events[0]?.properties?.color, size: 1 + 0.4 * Math.log10(events.length) }
    const look: Look = column === null ? plain : { color: colorOf(found), size: found?.size ?? SIZES[0] ?? 1 }
    const said = typeof value === 'number' ? sayShort(value) : value
    const told = column === null || said === null ? {} : { said: `${column.title}: ${said}` }
    return { type: 'Feature', geometry: at, properties: { ...look, ...told, count: events.length } }
  })
