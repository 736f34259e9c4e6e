import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { ValueError } from '../errors.ts'
import { fold } from './fold.ts'

/** How many values a comma list may have. */
const MAX_VALUES = 1000

/** A text as it is and case-folded: two columns of one table. */
export interface TextColumns {
  readonly text: SQLWrapper
  readonly folded: SQLWrapper
}

/** The lookups of texts that the database decides. `%`, `_`, quotes and backslashes are plain characters in all. */
export const TEXT_LOOKUPS: Record<string, (column: TextColumns, value: string) => SQL> = {
  exact: ({ text }, value) => sql`${text} = ${value}`,
  iexact: ({ folded }, value) => sql`${folded} = ${fold(value)}`,
  contains: ({ text }, value) => sql`instr(${text}, ${value}) > 0`,
  icontains: ({ folded }, value) => sql`instr(${folded}, ${fold(value)}) > 0`,
  startswith: ({ text }, value) => startsWith(text, value),
  istartswith: ({ folded }, value) => startsWith(folded, fold(value)),
  endswith: ({ text }, value) => endsWith(text, value),
  iendswith: ({ folded }, value) => endsWith(folded, fold(value)),
  in: ({ text }, value) => sql`${text} IN (SELECT value FROM json_each(${JSON.stringify(commaList(value))}))`,
}

/** From least to greatest of what a column counts in, both included; null: no end. */
export type Extent = readonly [least: bigint | null, greatest: bigint | null]

/**
 * The lookups of numbers, instants and durations: the extent that values of a finer unit leave of a column, one of whose
 * own is `unit` of theirs. Exact: 1.5 milliseconds are less than 2 and more than 1.
 */
export const ORDERED_LOOKUPS: Record<string, (values: readonly bigint[], unit: bigint) => Extent> = {
  exact: ([value = 0n], unit) => [ceiling(value, unit), floor(value, unit)],
  lt: ([value = 0n], unit) => [null, ceiling(value, unit) - 1n],
  lte: ([value = 0n], unit) => [null, floor(value, unit)],
  gt: ([value = 0n], unit) => [floor(value, unit) + 1n, null],
  gte: ([value = 0n], unit) => [ceiling(value, unit), null],
  range: ([least = 0n, greatest = 0n], unit) => [ceiling(least, unit), floor(greatest, unit)],
}

/** An integer for the database, written into the SQL: D1 takes no bigint, and a number would lose what is past 2^53. */
export const integer = (value: bigint): SQL => sql.raw(String(bounded(value)))

/** The column is one of these. */
export const isIn = (column: SQLWrapper, values: readonly bigint[]): SQL =>
  sql`${column} IN (SELECT value FROM json_each(${`[${values.map(bounded)}]`}))`

/** The values of a comma list. Throws ValueError past the limit. */
export const commaList = (value: string): string[] => {
  const values = value.split(',')
  if (values.length > MAX_VALUES) throw new ValueError(`Enter at most ${MAX_VALUES} values, separated by commas.`)
  return values
}

const startsWith = (column: SQLWrapper, prefix: string): SQL => {
  const end = afterPrefix(prefix)
  return end === null ? sql`${column} >= ${prefix}` : sql`(${column} >= ${prefix} AND ${column} < ${end})`
}

const endsWith = (column: SQLWrapper, suffix: string): SQL =>
  sql`substr(${column}, -${sql.raw(String([...suffix].length))}) = ${suffix}`

/** The least text greater than all that start with the prefix, in order of code points; null where there is none. */
const afterPrefix = (prefix: string): string | null => {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0)
  while (points.length > 0) {
    const last = points.pop() ?? 0
    if (last < 0x10ffff) return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1)
  }
  return null
}

const floor = (value: bigint, unit: bigint): bigint => value / unit - (value % unit < 0n ? 1n : 0n)

const ceiling = (value: bigint, unit: bigint): bigint => -floor(-value, unit)

const LIMIT = 2n ** 62n

/** A number within 64 bits: what is past every id and instant stays past it. */
const bounded = (value: bigint): bigint => (value > LIMIT ? LIMIT : value < -LIMIT ? -LIMIT : value)
