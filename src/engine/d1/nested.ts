import { type SQL, sql } from 'drizzle-orm'
import { at } from '../../base/collections.ts'
import { OPERATORS } from './sql.ts'

/** SQL and its depth in operators. D1 limits an expression to 100 levels. */
export interface Nested {
  readonly sql: SQL
  readonly depth: number
}

export type Word = 'AND' | 'OR'

/** Wraps SQL that has no operator of this file. */
export const nested = (text: SQL): Nested => ({ sql: text, depth: 1 })

export const negated = ({ sql: text, depth }: Nested): Nested => ({ sql: sql`NOT (${text})`, depth: depth + 1 })

/** Joins SQL by AND or OR. There is at least one part. It joins the parts of least depth first. */
export const join = (word: Word, parts: readonly Nested[]): Nested => {
  const [a, b, ...others] = [...parts].sort((one, other) => one.depth - other.depth)
  if (a === undefined || b === undefined) return at(parts, 0)
  return join(word, [...others, { sql: sql`(${a.sql} ${OPERATORS[word]} ${b.sql})`, depth: b.depth + 1 }])
}
