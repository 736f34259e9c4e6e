import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { ValueError } from '../errors.ts'
import type { ColumnRange } from '../filters/sql.ts'
import {
  type EntryTest,
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

/**
 * A predicate about a row. By three-valued logic it is true, false or NULL. It is NULL if the row does not have the
 * value. Then both tests fail.
 */
export interface Predicate {
  readonly isTrue: () => RowTest
  readonly isFalse: () => RowTest
  /** Writes the predicate as SQL with the value 1, 0 or NULL. */
  readonly answer: () => Nested
}

/** Returns a predicate with one value for all rows. */
export const constant = (truth: boolean | null): Predicate => ({
  isTrue: () => (truth === true ? PASSES : FAILS),
  isFalse: () => (truth === false ? PASSES : FAILS),
  answer: () => leaf(sql.raw(truth === null ? 'NULL' : truth ? '1' : '0')),
})

/** Returns a predicate that the database decides. The value of the SQL is 1, 0 or NULL. */
export const plain = (text: SQL): Predicate => ({
  isTrue: () => sqlTest(text),
  isFalse: () => sqlTest(sql`NOT (${text})`),
  answer: () => leaf(text),
})

/** Returns a predicate about the row's entry in a dictionary. It is NULL if the row has no entry. */
export const ofEntry = ({
  dictionary,
  match,
  namesFewRows,
}: Omit<EntryTest, 'match'> & { readonly match: SQL }): Predicate => {
  const isTrue = entryTest({ dictionary, match: leaf(match), ...(namesFewRows === true && { namesFewRows }) })
  return {
    isTrue: () => isTrue,
    isFalse: () => entryTest({ dictionary, match: leaf(sql`NOT (${match})`) }),
    answer: () => leaf(sql`CASE WHEN ${dictionary.key} IS NOT NULL THEN ${isTrue.write().sql} END`),
  }
}

/** Returns the predicate that an integer column is in a range. */
export const ofExtent = (column: SQLWrapper, extent: ColumnRange): Predicate => {
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

/** Returns the predicate that an integer column is one of these values. */
export const ofList = (column: SQLWrapper, values: readonly bigint[]): Predicate => {
  const text = sql`${column} IN (SELECT value FROM json_each(${`[${values}]`}))`
  return {
    ...plain(text),
    isTrue: () => ({ conditions: () => [{ kind: 'listed', column, values }], write: () => leaf(text) }),
  }
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

/** Returns the predicate that two predicates have the same value. */
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

/** Returns a 400. The database cannot combine this geometry with other predicates by OR or NOT. */
export const geometryAlone = (at: string): ValueError =>
  new ValueError(
    `At ${at}: with OR or NOT and other conditions, a geometry must be a box or a point. Enter BBOX(west, south, east, north), or join the geometry by AND.`,
  )
