import type { SQL, SQLWrapper } from 'drizzle-orm'
import type { PreparedArea } from '../../geometry/within.ts'
import type { ColumnRange } from './sql.ts'

/**
 * A criterion of the planner. Rows that match meet all criteria. SQL is for the database alone. In an area, the database
 * selects cells, and the Worker tests the points in them. `orMissing`: a row without a place also meets it.
 */
export type Criterion =
  | { readonly kind: 'sql'; readonly sql: SQL }
  | Range
  | Among
  | RowTest
  /** A row starts last of the rows that meet all other conditions and have the same dictionary entry. */
  | { readonly kind: 'latest'; readonly of: CountedDictionary }
  | { readonly kind: 'area'; readonly area: PreparedArea; readonly orMissing: boolean }
  | LookUp

/** SQL that depends on the rows in some areas. The engine finds these rows first, and `sql` gets a test for each area. */
export interface LookUp {
  readonly kind: 'lookUp'
  readonly areas: readonly PreparedArea[]
  readonly sql: (within: readonly SQL[]) => SQL
}

/** A condition that a column is in one of some ranges. They are sorted and disjoint, and none is empty. */
export interface Range {
  readonly kind: 'range'
  readonly column: SQLWrapper
  readonly extents: readonly ColumnRange[]
}

/** Returns the condition that a column is in a range. */
export const columnInRange = (column: SQLWrapper, [least, greatest]: ColumnRange): Range => {
  const isEmpty = least !== null && greatest !== null && least > greatest
  return { kind: 'range', column, extents: isEmpty ? [] : [[least, greatest]] }
}

/**
 * A condition on the dictionary entry of a row. `match` is SQL for the database, or a function that the Worker calls
 * for each text.
 */
export interface Among {
  readonly kind: 'entries'
  readonly dictionary: Dictionary
  readonly match: SQL | ((text: string) => boolean)
  /** True if it matches one entry or a few, as an exact text or a uuid does. */
  readonly few?: boolean
}

/** Returns the condition that the entry of a row matches. */
export const entries = (dictionary: Dictionary, match: Among['match'], few = false): Among => ({
  kind: 'entries',
  dictionary,
  match,
  few,
})

/**
 * A condition on the columns of a row that the Worker tests, if the row meets the other conditions. The engine finds the
 * ids of the rows that pass.
 */
export interface RowTest {
  readonly kind: 'rows'
  /** The Worker tests their values. */
  readonly columns: readonly SQLWrapper[]
  /** The engine finds these entries of dictionaries first. `match` selects them, and their text passes the test. */
  readonly sought?: readonly Sought[]
  /** Tests the values of a row. `found` has the entries of each of `sought`. */
  readonly test: (values: readonly unknown[], found: readonly ReadonlyMap<unknown, number>[]) => boolean
  /** Writes SQL that leaves out only rows that fail. Absent: there is none. */
  readonly may?: (found: readonly Entries[]) => SQL
}

/** Entries of a dictionary that the Worker finds by their texts. `test` returns a bit for each text that it finds, or 0. */
export interface Sought {
  readonly dictionary: Dictionary
  readonly match: SQL
  readonly test: (text: string) => number
}

/** The ids of the entries that a test found, with its bits. */
export type Entries = ReadonlyMap<number, number>

/** A dictionary whose entries have stored counts of their rows. */
export type CountedDictionary = Dictionary & Required<Pick<Dictionary, 'counts'>>

/** A table to whose ids a column of the list refers. */
export interface Dictionary {
  /** The column in the list's own table. */
  readonly key: SQLWrapper
  readonly table: SQLWrapper
  readonly id: SQLWrapper
  /** The column for regular expressions. */
  readonly text: SQLWrapper
  /** Writes SQL for the number of an entry's rows that callers of this level can see. Absent: no count is stored. */
  readonly counts?: (level: number) => SQL
  /** The column with the uuids of the entries. */
  readonly uuid?: SQLWrapper
}
