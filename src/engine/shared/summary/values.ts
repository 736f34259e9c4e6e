import { at } from '../../../base/collections.ts'
import { badRequest } from '../../../base/errors.ts'
import { LongNumber } from '../../../base/json.ts'
import type { TimePart, Zone } from '../../../base/zone.ts'
import type { Row } from '../../engine.ts'
import { MAX_COMPARED, MAX_VALUE_TEXT, MAX_VALUES } from '../../limits.ts'
import { type Facet, NO_NUMBERS } from '../../summaries.ts'
import type { EntryStatistics } from './statistics.ts'

/** Returns a part of a local time in milliseconds since 1970. */
const PARTS: Readonly<Record<TimePart, (local: number) => number>> = {
  year: (local) => new Date(local).getUTCFullYear(),
  month: (local) => new Date(local).getUTCMonth() + 1,
  weekday: (local) => new Date(local).getUTCDay() || 7,
  hour: (local) => new Date(local).getUTCHours(),
}

/** Returns a function for a part of an instant in milliseconds since 1970, on the clock of a zone. Null: UTC. */
export const timePart =
  (part: TimePart, zone: Zone | null) =>
  (instant: number): number =>
    PARTS[part](zone === null ? instant : zone.toLocal(instant))

/** Numbers the values of an attribute in the order in which they come. Throws a 400 if they need too much memory. */
export const numbered = (name: string) => {
  const keys = new Map<unknown, number>()
  const values: unknown[] = []
  let characters = 0
  const parse = (value: unknown): number => {
    if (value === null || value === undefined) return -1
    // No text of an attribute has the character NUL.
    const same = typeof value === 'object' ? `\0${JSON.stringify(value)}` : value
    const known = keys.get(same)
    if (known !== undefined) return known
    characters += typeof same === 'string' ? same.length : 0
    if (keys.size >= MAX_VALUES || characters > MAX_VALUE_TEXT)
      throw badRequest(`The attribute ${name} has too many different values. Add a filter, or leave the facet out.`)
    keys.set(same, keys.size)
    return values.push(value) - 1
  }
  return { parse, entryOf: (key: number): Row => ({ attributes: values[key] }) }
}

/** An entry by its key, with its number of rows. Entries with a higher rank come first. */
export interface Ranked {
  readonly id: number
  readonly count: number
  readonly rank: number
}

/** The rank of entries without a statistic. Every other one is higher. */
const LAST = -Number.MAX_VALUE

/** Returns the entries of a facet with their ranks. `counts` has the rows of each key. `statistics` is by number. */
export const rankedBy = (
  facet: Pick<Facet, 'order'>,
  counts: ReadonlyMap<number, number>,
  statistics: readonly EntryStatistics[],
): readonly Ranked[] => {
  const rankOf = rankIn(facet, statistics)
  const known = [...counts].filter(([key]) => key >= 0)
  return known.map(([id, count]) => ({ id, count, rank: rankOf(id, count) }))
}

const rankIn = (
  { order: { by, descending } }: Pick<Facet, 'order'>,
  statistics: readonly EntryStatistics[],
): ((key: number, count: number) => number) => {
  if (by === 'text') return () => 0
  const sign = descending ? 1 : -1
  if (by === 'count') return (_, count) => sign * count
  const known = at(statistics, by.number)
  return (key) => {
    const value = (known.get(key) ?? NO_NUMBERS)[by.statistic]
    return value === null ? LAST : sign * value
  }
}

/** Returns a slice of the entries that no dictionary has, with the number of later entries. */
export const sliceOf = (
  {
    size,
    offset,
    order,
    entryOf,
  }: Pick<Facet, 'size' | 'offset' | 'order'> & { readonly entryOf: (key: number) => Row },
  ranked: readonly Ranked[],
) => {
  const isSorted = ranked.length <= MAX_COMPARED
  if (!isSorted && order.by === 'text')
    throw badRequest(`A facet has more than ${MAX_COMPARED} values, too many to order by text. Add a filter.`)
  const all = ranked.map((each) => ({ ...each, value: entryOf(each.id) }))
  const valueIn = ({ value: { attributes, start } }: (typeof all)[number]) => attributes ?? start
  const sign = order.by === 'text' && order.descending ? -1 : 1
  // Many values are not compared. Values with equal ranks then stay in the order of their arrival.
  all.sort((a, b) => b.rank - a.rank || (isSorted ? sign * compareValues(valueIn(a), valueIn(b)) : a.id - b.id))
  const entries = all.slice(offset, offset + size)
  return { entries, more: Math.max(0, all.length - offset - entries.length) }
}

/** Compares two values of JSON: false, true, numbers, texts in the order of code points, then all others as JSON. */
const compareValues = (a: unknown, b: unknown): number => {
  const [rank, other] = [rankOf(a), rankOf(b)]
  if (rank !== other) return rank - other
  if (rank <= RANKS.indexOf('number')) return Number(a) - Number(b)
  const [one, two] = [a, b].map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
  return compareTexts(one ?? '', two ?? '')
}

const RANKS: readonly string[] = ['boolean', 'number', 'string']
const rankOf = (value: unknown): number => {
  if (value instanceof LongNumber) return RANKS.indexOf('number')
  return RANKS.indexOf(typeof value) + (typeof value === 'object' ? RANKS.length + 1 : 0)
}

/** UTF-16 has another order than code points, which UTF-8 has. */
export const compareTexts = (a: string, b: string): number => {
  const [one, other] = [Array.from(a), Array.from(b)]
  const place = one.findIndex((character, i) => character !== other[i])
  if (place < 0) return one.length - other.length
  return (one[place]?.codePointAt(0) ?? 0) - (other[place]?.codePointAt(0) ?? -1)
}
