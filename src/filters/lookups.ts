import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { ValueError } from '../errors.ts'
import { fold } from './fold.ts'

/** How many values a comma list may have. */
export const MAX_VALUES = 1000

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

/** A column of integers, each worth `unit` of what the values count: 1000n where milliseconds meet microseconds. */
export interface OrderedColumn {
  readonly column: SQLWrapper
  readonly unit: bigint
}

/** The lookups of numbers, instants and durations. Each compares exactly, also between two units of the column. */
export const ORDERED_LOOKUPS: Record<string, (column: OrderedColumn, values: readonly bigint[]) => SQL> = {
  exact: (of, [value]) => equal(of, one(value)),
  lt: (of, [value]) => less(of, one(value)),
  lte: (of, [value]) => sql`${of.column} <= ${floor(of, one(value))}`,
  gt: (of, [value]) => sql`${of.column} > ${floor(of, one(value))}`,
  gte: (of, [value]) => notLess(of, one(value)),
  in: ({ column, unit }, values) => {
    const whole = values.filter((value) => value % unit === 0n).map((value) => bounded(value / unit))
    return sql`${column} IN (SELECT value FROM json_each(${`[${whole}]`}))`
  },
  range: (of, [least, greatest]) => sql`(${notLess(of, one(least))} AND ${of.column} <= ${floor(of, one(greatest))})`,
}

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

const one = (value: bigint | undefined): bigint => value ?? 0n

const floorDivide = (value: bigint, unit: bigint): bigint => {
  const quotient = value / unit
  return value % unit < 0n ? quotient - 1n : quotient
}

const LIMIT = 2n ** 62n

/** A number within 64 bits: what is past every id and instant stays past it. */
const bounded = (value: bigint): bigint => (value > LIMIT ? LIMIT : value < -LIMIT ? -LIMIT : value)

/** Written out: D1 binds no bigint, a number loses what is past 2^53, and only 100 parameters can be bound. */
const floor = ({ unit }: OrderedColumn, value: bigint): SQL => sql.raw(String(bounded(floorDivide(value, unit))))

const equal = (of: OrderedColumn, value: bigint): SQL =>
  value % of.unit === 0n ? sql`${of.column} = ${floor(of, value)}` : sql`0`

const less = (of: OrderedColumn, value: bigint): SQL =>
  value % of.unit === 0n ? sql`${of.column} < ${floor(of, value)}` : sql`${of.column} <= ${floor(of, value)}`

const notLess = (of: OrderedColumn, value: bigint): SQL =>
  value % of.unit === 0n ? sql`${of.column} >= ${floor(of, value)}` : sql`${of.column} > ${floor(of, value)}`
