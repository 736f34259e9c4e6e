import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { ValueError } from '../errors.ts'
import type { Extent } from '../filters/lookups.ts'
import {
  type Entry,
  entryTest,
  every,
  FAILS,
  join,
  leaf,
  type Nested,
  PASSES,
  type RowTest,
  some,
  spanTest,
  sqlTest,
} from './rowTest.ts'

/** A question to a row. The answer is true, false or, of what the row does not have, NULL: then neither test passes. */
export interface Predicate {
  readonly isTrue: () => RowTest
  readonly isFalse: () => RowTest
  /** Writes the answer as a value: 1, 0 or NULL. */
  readonly answer: () => Nested
}

/** The same answer for every row. */
export const constant = (truth: boolean | null): Predicate => ({
  isTrue: () => (truth === true ? PASSES : FAILS),
  isFalse: () => (truth === false ? PASSES : FAILS),
  answer: () => leaf(sql.raw(truth === null ? 'NULL' : truth ? '1' : '0')),
})

/** The database decides, by SQL whose value is 1, 0 or NULL. */
export const plain = (text: SQL): Predicate => ({
  isTrue: () => sqlTest(text),
  isFalse: () => sqlTest(sql`NOT (${text})`),
  answer: () => leaf(text),
})

/** An entry of a dictionary decides. The answer is NULL if the row refers to none. */
export const ofEntry = ({ dictionary, match, few }: Omit<Entry, 'match'> & { readonly match: SQL }): Predicate => {
  const isTrue = entryTest({ dictionary, match: leaf(match), ...(few === true && { few }) })
  return {
    isTrue: () => isTrue,
    isFalse: () => entryTest({ dictionary, match: leaf(sql`NOT (${match})`) }),
    answer: () => leaf(sql`CASE WHEN ${dictionary.key} IS NOT NULL THEN ${isTrue.write().sql} END`),
  }
}

/** A column of integers is within an extent. */
export const ofExtent = (column: SQLWrapper, extent: Extent): Predicate => {
  const [least, greatest] = extent
  const isTrue = spanTest(column, extent)
  const beside = [
    ...(least === null ? [] : [spanTest(column, [null, least - 1n])]),
    ...(greatest === null ? [] : [spanTest(column, [greatest + 1n, null])]),
  ]
  return {
    isTrue: () => isTrue,
    isFalse: () => (isTrue === FAILS ? sqlTest(sql`${column} IS NOT NULL`) : some(beside)),
    answer: () => leaf(sql`CASE WHEN ${column} IS NOT NULL THEN ${isTrue.write().sql} END`),
  }
}

/** A column of integers is one of these. */
export const ofList = (column: SQLWrapper, values: readonly bigint[]): Predicate => {
  const text = sql`${column} IN (SELECT value FROM json_each(${`[${values}]`}))`
  return { ...plain(text), isTrue: () => ({ conditions: () => [{ column, values }], write: () => leaf(text) }) }
}

export const not = ({ isTrue, isFalse, answer }: Predicate): Predicate => ({
  isTrue: isFalse,
  isFalse: isTrue,
  answer: () => {
    const { sql: text, depth } = answer()
    return { sql: sql`(NOT ${text})`, depth: depth + 1 }
  },
})

export const and = (all: readonly Predicate[]): Predicate => ({
  isTrue: () => every(all.map(({ isTrue }) => isTrue())),
  isFalse: () => some(all.map(({ isFalse }) => isFalse())),
  answer: () => joined(all, 'AND'),
})

export const or = (any: readonly Predicate[]): Predicate => ({
  isTrue: () => some(any.map(({ isTrue }) => isTrue())),
  isFalse: () => every(any.map(({ isFalse }) => isFalse())),
  answer: () => joined(any, 'OR'),
})

const joined = (all: readonly Predicate[], word: 'AND' | 'OR'): Nested =>
  join(
    all.map(({ answer }) => answer()),
    word,
  )

/** Two questions have the same answer. */
export const same = (one: Predicate, other: Predicate): Predicate => {
  const compared = (op: '=' | '<>'): Nested => {
    const [a, b] = [one.answer(), other.answer()]
    return { sql: sql`((${a.sql}) ${sql.raw(op)} (${b.sql}))`, depth: Math.max(a.depth, b.depth) + 1 }
  }
  return {
    isTrue: () => ({ write: () => compared('=') }),
    isFalse: () => ({ write: () => compared('<>') }),
    answer: () => compared('='),
  }
}

/** A 400: the database cannot decide a geometry beside other questions. */
export const geometryAlone = (at: string): ValueError =>
  new ValueError(
    `At ${at}: here, beside OR and NOT with other questions, a geometry is a box or a point. Enter BBOX(west, south, east, north), or join it by AND.`,
  )
