import { sql } from 'drizzle-orm'
import { at, numberAt } from '../../../base/collections.ts'
import { countTallies } from '../../../base/work.ts'
import type { Field } from '../../../question/condition.ts'
import { keyOfDouble } from '../../../question/range.ts'
import type { SummaryStatistics } from '../../shared/summary/assemble.ts'
import { addSum, addTo, type ExactSum, emptySum, quotient } from '../../shared/summary/exactSum.ts'
import { NO_NUMBERS, type NumberStatistics } from '../../summaries.ts'
import { attributeJson } from '../attributes.ts'
import { storedField } from '../fields.ts'
import type { Sink } from '../matches.ts'
import { columnInRange } from '../part.ts'
import { alsoIn, type Search } from '../search.ts'
import { type EachNumber, numberColumn, START } from './eachNumber.ts'
import type { CountedFacet, NumberColumn } from './facets.ts'

/** All doubles. A row without a number has null. */
const NUMBERS = [keyOfDouble(-Number.MAX_VALUE), keyOfDouble(Number.MAX_VALUE)] as const

/** A column with numbers, and the search for the rows that have one. Rows without a number are NaN. */
interface NumberField {
  readonly column: NumberColumn
  readonly search: Search
}

export const numberFieldOf = (search: Search, field: Field): NumberField => {
  if (typeof field === 'object') {
    const parse = (value: unknown) => (typeof value === 'number' ? value : Number.NaN)
    return { column: { column: attributeJson(field.attribute), parse }, search }
  }
  const { column } = storedField('events', field)
  return { column: numberColumn(sql`${column}`), search: alsoIn(search, columnInRange(column, NUMBERS)) }
}

/**
 * Reads the numbers of the matches, and computes their statistics. `binOf` returns the bin of a start.
 */
export const readStatistics = async (
  each: EachNumber,
  { column, search }: NumberField,
  facets: readonly CountedFacet[],
  binOf: (start: number) => number,
): Promise<SummaryStatistics> => {
  const bins = new Map<number, Tally>()
  const entries = facets.map(() => new Map<number, Tally>())
  const count: Sink = (numbers, offset) => {
    const number = numberAt(numbers, offset + 1)
    countTallies(1 + facets.length)
    if (Number.isNaN(number)) return
    note(bins, binOf(numberAt(numbers, offset)), number)
    entries.forEach((tallies, i) => {
      const key = at(facets, i).keyOf(numberAt(numbers, offset + 2 + i)) // the facets follow the start and the number
      if (key >= 0) note(tallies, key, number)
    })
  }
  await each([START, column, ...facets], count, search)
  return {
    whole: statisticsOf([...bins.values()]),
    bins: [...bins].sort(([a], [b]) => a - b).map(([start, tally]) => [start, statisticsOf([tally])]),
    facets: entries.map((tallies) => new Map(Array.from(tallies, ([key, tally]) => [key, statisticsOf([tally])]))),
  }
}

/** The numbers of a group so far. */
interface Tally {
  count: number
  min: number
  max: number
  readonly sum: ExactSum
}

const note = (tallies: Map<number, Tally>, key: number, number: number): void => {
  const tally = tallies.get(key) ?? { count: 0, min: number, max: number, sum: emptySum() }
  if (tally.count === 0) tallies.set(key, tally)
  tally.count += 1
  tally.min = Math.min(tally.min, number)
  tally.max = Math.max(tally.max, number)
  addTo(tally.sum, number)
}

/** Returns the statistics of some groups together. */
const statisticsOf = (tallies: readonly Tally[]): NumberStatistics => {
  const count = tallies.reduce((sum, tally) => sum + tally.count, 0)
  if (count === 0) return NO_NUMBERS
  const sum = emptySum()
  for (const tally of tallies) addSum(sum, tally.sum)
  const [min, max] = [Math.min(...tallies.map(({ min }) => min)), Math.max(...tallies.map(({ max }) => max))]
  return { count, min, max, mean: quotient(sum, count), sum: quotient(sum, 1) }
}
