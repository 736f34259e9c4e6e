import { valueError } from '../base/errors.ts'
import { type Clock, instantsIn, type TimePart, UTC } from '../base/zone.ts'
import type { Condition } from '../question/condition.ts'
import type { FieldName } from '../question/fields.ts'
import { type Extent, MILLISECOND } from '../question/range.ts'
import { conditionsAsked, type FilterType, type Lookup } from './filter.ts'
import { comparable, isInteger, number, parseInteger } from './numbers.ts'

/** Returns a filter with the lookups of another one for integers. `select` makes the condition from the extents of these. */
const byIntegers = (
  { lookups, ...filter }: FilterType,
  select: (of: readonly Extent[], clock: Clock) => Condition,
): FilterType => {
  const selected =
    (lookup: Lookup): Lookup =>
    (value, clock) => {
      const conditions = conditionsAsked(lookup(value, clock))
      const extents = conditions.flatMap((each) => (each.kind === 'range' ? each.extents : []))
      return select(extents, clock)
    }
  const all = Object.entries(lookups).map(([name, lookup]): [string, Lookup] => [name, selected(lookup)])
  return { ...filter, lookups: Object.fromEntries(all) }
}

/** The most ranges of a year filter. D1 limits an expression to 100 levels. */
const MAX_RANGES = 20

/** Returns a filter for the year of an instant, on the clock of the request. An index of the instant answers a few years. */
export const year = (field: FieldName): FilterType =>
  byIntegers(number(field), (years, clock) => {
    const extents = instantsOf(years, clock)
    if (extents.length <= MAX_RANGES) return { kind: 'range', field, extents }
    // Only a list of years has so many. Each extent of it is one year.
    const values = years.map(([first]) => Number(first)).filter(Number.isSafeInteger)
    return { kind: 'part', field, part: 'year', clock, values }
  })

/** Returns a filter for another part of an instant, from `least` to `most`. */
export const part = (field: FieldName, name: Exclude<TimePart, 'year'>, least: number, most: number): FilterType => {
  const read = (text: string): bigint => {
    const value = isInteger(text) ? parseInteger(text) : null
    if (value === null || value < least || value > most) throw valueError(['integerBetween', least, most])
    return value
  }
  const all = Array.from({ length: most - least + 1 }, (_, i) => least + i)
  const schema = { type: 'integer', minimum: least, maximum: most }
  return byIntegers(comparable('integer', schema, field, read), (extents, clock) => {
    const values = all.filter((each) =>
      extents.some(([first, last]) => each >= (first ?? least) && each <= (last ?? most)),
    )
    return { kind: 'part', field, part: name, clock, values }
  })
}

/** Returns the extents of the instants in some years. */
const instantsOf = (years: readonly Extent[], clock: Clock): readonly Extent[] => {
  const spans = years.map(
    ([first, last]) => [first === null ? null : startOf(first), last === null ? null : startOf(last + 1n) - 1] as const,
  )
  return instantsIn(clock ?? UTC, spans).map(([first, last]) => [
    first === null ? null : BigInt(first) * MILLISECOND,
    last === null ? null : BigInt(last + 1) * MILLISECOND - 1n,
  ])
}

/** No instant of JavaScript has a year beyond these. The start of each is a safe integer of milliseconds. */
const MOST_YEARS = 280_000n
const [YEARS, CYCLE] = [400n, Date.UTC(2400) - Date.UTC(2000)]

/** Returns the local start of a year, in milliseconds since 1970. The calendar repeats each 400 years. */
const startOf = (year: bigint): number => {
  const within = year > MOST_YEARS ? MOST_YEARS : year < -MOST_YEARS ? -MOST_YEARS : year
  const since = ((within % YEARS) + YEARS) % YEARS
  return Date.UTC(Number(2000n + since), 0) + Number((within - since - 2000n) / YEARS) * CYCLE
}
