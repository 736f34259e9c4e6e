import type { SQL, SQLWrapper } from 'drizzle-orm'
import { ValueError } from '../errors.ts'
import type { Area } from '../geometry/within.ts'
import { type Extent, LOOKUPS, type Schema } from './lookups.ts'

/** What one `field__lookup=value` asks of a row. */
export type Condition = Plain | Span | Listed | Among | Within

/** Decided by the database alone. */
export interface Plain {
  readonly sql: SQL
}

/** A column of integers within an extent. */
export interface Span {
  readonly column: SQLWrapper
  readonly extent: Extent
}

/** A column of integers that is one of these. */
export interface Listed {
  readonly column: SQLWrapper
  readonly values: readonly bigint[]
}

/** The row refers to one of those rows of a dictionary that match, in the database or, text by text, here. */
export interface Among {
  readonly dictionary: Dictionary
  readonly match: SQL | ((text: string) => boolean)
  /** It names one entry or a few, as an exact text or a uuid does. */
  readonly few?: boolean
}

/** Within an area: prefiltered by cells in the database, tested here. */
export interface Within {
  readonly area: Area
}

/** A table whose ids a column of the list refers to. */
export interface Dictionary {
  /** The column of the list's own table. */
  readonly key: SQLWrapper
  readonly table: SQLWrapper
  readonly id: SQLWrapper
  /** What regular expressions are matched with. */
  readonly text: SQLWrapper
  /** How many rows of the list refer to a row, of those that a caller of this level sees; absent where it is not kept. */
  readonly counts?: (level: number) => SQL
}

/** A kind of filter: the lookups it takes and what each means. */
export interface Filter {
  /** What a value is, for OPTIONS and the papers: text, integer, instant, ... */
  readonly kind: string
  /** What a value looks like, in the form that clients had best send. */
  readonly schema: Schema
  /** What its one lookup says of the field, where that is not what the lookup says elsewhere. */
  readonly asks?: string
  /** The lookup of the bare parameter. */
  readonly bare: string
  readonly lookups: Readonly<Record<string, Lookup>>
  /** The values there are; absent where they cannot be listed. */
  readonly choices?: readonly string[]
}

/** A field of a filter set. */
export interface Field extends Filter {
  /** What the field is: the beginning of a sentence that a lookup ends, such as `The category of the event`. */
  readonly about: string
  /** A value of it that may be asked for. */
  readonly example: string | number | readonly (string | number)[]
}

/** Reads a value into a condition, or several that all hold. Throws ValueError with a message that says what to enter. */
export type Lookup = (value: Uint8Array) => Condition | readonly Condition[]

/** A parameter of a list. `takesEmpty`: an empty value is a value, where elsewhere it means that the filter is not set. */
export interface FilterParameter {
  readonly kind: string
  readonly lookup: Lookup
  readonly takesEmpty: boolean
  /** The value is a comma list, and the parameter may be repeated. */
  readonly takesList: boolean
  /** A sentence: what is asked of a row. */
  readonly description: string
  /** What values of this kind look like, how this lookup's are made of them, and one that may be sent; arrays as comma lists. */
  readonly schema: Schema
  readonly shape: (schema: Schema) => Schema
  readonly example: unknown
  readonly choices?: readonly string[] | undefined
}

/** Every parameter of a list: `field` and `field__lookup`, each with what it means. */
export type FilterSet = ReadonlyMap<string, FilterParameter>

/** The filter set of a table of fields. A field with one lookup is given bare only. */
export const filterSet = (fields: Readonly<Record<string, Field>>): FilterSet => {
  const parameters = new Map<string, FilterParameter>()
  for (const [field, { kind, schema, bare, lookups, asks, choices, about, example }] of Object.entries(fields)) {
    const add = (parameter: string, name: string, takesEmpty: boolean) => {
      const [lookup, meaning] = [lookups[name], LOOKUPS[name]]
      if (lookup === undefined || meaning === undefined) throw new Error(`${parameter} has no lookup ${name}`)
      const { shape, sample } = meaning
      const description = `${about} ${asks ?? meaning.asks}.`
      const words = { description, schema, shape, example: sample(example) }
      const takesList = shape(schema).type === 'array'
      parameters.set(parameter, { kind, lookup, takesEmpty, takesList, choices, ...words })
    }
    add(field, bare, false)
    const named = Object.keys(lookups)
    if (named.length === 1) continue
    for (const name of named) add(`${field}__${name}`, name, kind === 'text' && name === 'exact')
  }
  return parameters
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text of a value. Throws ValueError where it is no UTF-8, or holds a NUL, which no text here does. */
export const textOf = (bytes: Uint8Array): string => {
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    throw new ValueError('Enter text in UTF-8, percent-encoded.')
  }
  if (text.includes('\0')) throw new ValueError('Null characters are not allowed.')
  return text
}
