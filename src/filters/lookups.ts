import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { ValueError } from '../errors.ts'
import { fold } from './fold.ts'

/** A condition that no row meets. SQLite would fold a plain 0 with the condition of a partial index, and find no plan. */
export const NOTHING = sql`1 = 0`

/** How many values a comma list may have. */
const MAX_VALUES = 1000

/** A text as it is and case-folded: two columns of one table. */
export interface TextColumns {
  readonly text: SQLWrapper
  readonly folded: SQLWrapper
}

/** A JSON Schema (2020-12). */
export type Schema = Readonly<Record<string, unknown>>

/** From least to greatest of what a column counts in, both included; null: no end. */
export type Extent = readonly [least: bigint | null, greatest: bigint | null]

/** A lookup: in words, and in the database what it asks of texts and of what has an order. */
export interface Meaning {
  /** What it says of a field, as the end of a sentence. */
  readonly asks: string
  /** The schema of its value, made from that of one value of the field; arrays are written as comma lists. */
  readonly shape: (one: Schema) => Schema
  /** A value of it, made from one of the field. */
  readonly sample: (one: string | number | readonly (string | number)[]) => unknown
  /** What it asks of a text. `%`, `_`, quotes and backslashes are plain characters. Absent: not asked of texts, or not there. */
  readonly text?: (column: TextColumns, value: string) => SQL
  /**
   * The extent that values of a number, an instant or a duration in a finer unit leave of a column, one of whose own is
   * `unit` of theirs. Exact: 1.5 milliseconds are less than 2 and more than 1. Absent: not asked of these, or no extent.
   */
  readonly extent?: (values: readonly bigint[], unit: bigint) => Extent
}

const one = {
  shape: (schema: Schema) => schema,
  sample: (value: string | number | readonly (string | number)[]) => value,
}
const flag = { shape: () => ({ type: 'boolean' }), sample: () => false }
const list = (least: number, most: number) => ({
  shape: (items: Schema) => listSchema(items, least, most),
  sample: (value: string | number | readonly (string | number)[]) => Array.from({ length: least }, () => value),
})

/** The schema of a comma list. */
export const listSchema = (items: Schema, minItems = 1, maxItems = MAX_VALUES): Schema => ({
  type: 'array',
  items,
  minItems,
  maxItems,
})

/** Every lookup. */
export const LOOKUPS: Readonly<Record<string, Meaning>> = {
  exact: {
    asks: 'is this',
    ...one,
    text: ({ text }, value) => sql`${text} = ${value}`,
    extent: ([value = 0n], unit) => [ceiling(value, unit), floor(value, unit)],
  },
  iexact: {
    asks: 'is this, in any case',
    ...one,
    text: ({ folded }, value) => sql`${folded} = ${fold(value)}`,
  },
  contains: {
    asks: 'contains this',
    ...one,
    text: ({ text }, value) => sql`instr(${text}, ${value}) > 0`,
  },
  icontains: {
    asks: 'contains this, in any case',
    ...one,
    text: ({ folded }, value) => sql`instr(${folded}, ${fold(value)}) > 0`,
  },
  startswith: {
    asks: 'starts with this',
    ...one,
    text: ({ text }, value) => startsWith(text, value),
  },
  istartswith: {
    asks: 'starts with this, in any case',
    ...one,
    text: ({ folded }, value) => startsWith(folded, fold(value)),
  },
  endswith: {
    asks: 'ends with this',
    ...one,
    text: ({ text }, value) => endsWith(text, value),
  },
  iendswith: {
    asks: 'ends with this, in any case',
    ...one,
    text: ({ folded }, value) => endsWith(folded, fold(value)),
  },
  in: {
    asks: 'is one of these',
    ...list(1, MAX_VALUES),
    text: ({ text }, value) => sql`${text} IN (SELECT value FROM json_each(${JSON.stringify(commaList(value))}))`,
  },
  // Decided here, text by text, and by whether there is a text.
  regex: { asks: 'holds a match of this regular expression (RE2)', ...one },
  iregex: { asks: 'holds a match of this regular expression (RE2), in any case', ...one },
  isnull: { asks: 'is absent (true) or there (false)', ...flag },
  lt: {
    asks: 'is less than this',
    ...one,
    extent: ([value = 0n], unit) => [null, ceiling(value, unit) - 1n],
  },
  lte: {
    asks: 'is this or less',
    ...one,
    extent: ([value = 0n], unit) => [null, floor(value, unit)],
  },
  gt: {
    asks: 'is more than this',
    ...one,
    extent: ([value = 0n], unit) => [floor(value, unit) + 1n, null],
  },
  gte: {
    asks: 'is this or more',
    ...one,
    extent: ([value = 0n], unit) => [ceiling(value, unit), null],
  },
  range: {
    asks: 'is from the first to the second of these, both included',
    ...list(2, 2),
    extent: ([least = 0n, greatest = 0n], unit) => [ceiling(least, unit), floor(greatest, unit)],
  },
}

/** An integer for the database, written into the SQL: D1 takes no bigint, and a number would lose what is past 2^53. */
export const integer = (value: bigint): SQL => sql.raw(String(bounded(value)))

/** The column is one of these. */
export const isIn = (column: SQLWrapper, values: readonly bigint[]): SQL =>
  sql`${column} IN (SELECT value FROM json_each(${`[${values.map(bounded)}]`}))`

/** The values of a comma list. Throws ValueError past the limit. */
export const commaList = (value: string): string[] => {
  const values = value.split(',', MAX_VALUES + 1)
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
