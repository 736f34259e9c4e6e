import type { SQL, SQLWrapper } from 'drizzle-orm'
import type { Area } from '../geometry/within.ts'
import type { Question } from '../question/question.ts'
import { checkText, type LookupName, type Schema } from './lookups.ts'
import type { ColumnRange } from './sql.ts'

/**
 * The condition that one `field__lookup=value` sets for a row. SQL is for the database alone. In an area, the database
 * selects cells, and the Worker tests the points in them.
 */
export type Condition =
  | { readonly kind: 'sql'; readonly sql: SQL }
  | Range
  | Among
  | RowTest
  /** A row starts last of the rows that meet all other conditions and have the same dictionary entry. */
  | { readonly kind: 'latest'; readonly of: CountedDictionary }
  | { readonly kind: 'area'; readonly area: Area }

/** A condition that a column is in one of some ranges. They are sorted and disjoint, and none is empty. */
export interface Range {
  readonly kind: 'range'
  readonly column: SQLWrapper
  readonly extents: readonly ColumnRange[]
}

/** Returns the condition that a column is in a range. */
export const inRange = (column: SQLWrapper, [least, greatest]: ColumnRange): Range => {
  const isEmpty = least !== null && greatest !== null && least > greatest
  return { kind: 'range', column, extents: isEmpty ? [] : [[least, greatest]] }
}

/** Returns the condition that a column is one of some integers. */
export const oneOf = (column: SQLWrapper, values: readonly bigint[]): Range => {
  const sorted = [...new Set(values)].sort((a, b) => (a < b ? -1 : 1))
  return { kind: 'range', column, extents: sorted.map((value) => [value, value]) }
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
  /** The Worker tests their values. The first column has texts. */
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

/** A property that CQL2 filters can name. */
export type Property =
  | {
      readonly kind: 'text'
      readonly column: SQLWrapper
      /** The column that has the text in the folding of CASEI. */
      readonly caseFolded?: SQLWrapper
      readonly dictionary?: Dictionary
      /** Converts a text to the stored form, such as the form of a uuid. */
      readonly canonical?: (text: string) => string
    }
  | { readonly kind: 'integer'; readonly column: SQLWrapper }
  /** `unit` is the unit of the column, in microseconds. */
  | { readonly kind: 'instant'; readonly column: SQLWrapper; readonly unit: bigint }
  | { readonly kind: 'place'; readonly x: SQLWrapper; readonly y: SQLWrapper }

export type Properties = Readonly<Record<string, Property>>

/** A type of filter with its lookups. */
export interface Filter {
  /** The type of the value for OPTIONS and the documentation: text, integer, instant, ... */
  readonly kind: string
  /** The schema of a value in the form that clients should send. */
  readonly schema: Schema
  /** The end of a sentence about the field, for a filter with its own meaning. It replaces the lookup's `asks`. */
  readonly asks?: string
  /** The lookup of a parameter without a lookup name. */
  readonly bare: LookupName
  readonly lookups: { readonly [N in LookupName]?: Lookup }
  /** All possible values. Absent if they cannot be listed. */
  readonly choices?: readonly string[] | undefined
  /** The other parameter that must be given with this one. The lookup gets its value. Absent: there is none. */
  readonly beside?: string | undefined
  /** Returns the filter for a member of the value. Null: no parameter can name it. Absent: the value has no members. */
  readonly members?: ((name: string) => FilterField | null) | undefined
}

/** A field of a filter set. */
export interface FilterField extends Filter {
  /** The start of a sentence that a lookup completes, such as `The category of the event`. */
  readonly about: string
  /** An example of a value. */
  readonly example: string | number | readonly (string | number)[]
  /** Lookups of the same field whose values are numbers. Only the parameters with their names exist. */
  readonly numbers?: FilterField
}

/**
 * Reads a value into a condition, or several that must all hold. `other` is the value of the parameter that must be
 * given with it. Throws ValueError for a wrong value.
 */
export type Lookup = (value: string, other?: string) => Asked | readonly Asked[]

/** A condition of a question, or its `latest`, which is no condition. */
export type Asked = Question['where'] | { readonly kind: 'latest'; readonly of: 'series' }

/** A parameter of a list. */
export interface FilterParameter extends Pick<Filter, 'kind' | 'schema' | 'choices' | 'beside'> {
  readonly lookup: Lookup
  /** The empty text is a value. Otherwise it means that the filter is not set. */
  readonly takesEmpty: boolean
  /** True if the value is a comma list. The parameter may then be repeated. */
  readonly takesList: boolean
  /** A sentence about the rows that match. */
  readonly description: string
  /** Returns the schema of this lookup's value from `schema`. Arrays stand for comma lists. */
  readonly shape: (schema: Schema) => Schema
  readonly example: unknown
  /** Returns the parameters of the member in the name of a parameter. Null: it names none. Absent: there are none. */
  readonly members?: ((parameter: string) => FilterSet | null) | undefined
}

/** The parameters of a list by their names, `field` and `field__lookup`. */
export type FilterSet = ReadonlyMap<string, FilterParameter>

/** Returns a filter with one lookup. Its parameter has no lookup name. */
export const bare = (kind: string, schema: Schema, read: (text: string) => ReturnType<Lookup>): Filter => ({
  kind,
  schema,
  bare: 'exact',
  lookups: { exact: (value) => read(checkText(value)) },
})
