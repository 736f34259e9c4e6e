import type { SQL } from 'drizzle-orm'
import { ValueError } from '../errors.ts'
import type { Area } from '../geometry/within.ts'

/** What one `field__lookup=value` asks of a row. */
export type Condition =
  /** Decided by the database. */
  | { readonly sql: SQL }
  /** Decided here, text by text: the ids of `texts` (columns id, text) that match, put into `where`. */
  | { readonly texts: SQL; readonly matches: (text: string) => boolean; readonly where: (ids: SQL) => SQL }
  /** Within an area: prefiltered by cells in the database, tested here. */
  | { readonly area: Area }

/** A field of a filter set: the lookups it takes and what each means. */
export interface Filter {
  /** What a value is, for OPTIONS and the papers: text, integer, instant, ... */
  readonly kind: string
  /** The lookup of the bare parameter. */
  readonly bare: string
  readonly lookups: Readonly<Record<string, Lookup>>
}

/** Reads a value into a condition. Throws ValueError with a message that says what to enter. */
export type Lookup = (value: Uint8Array) => Condition

/** A parameter of a list. `takesEmpty`: an empty value is a value, where elsewhere it means that the filter is not set. */
export interface FilterParameter {
  readonly kind: string
  readonly lookup: Lookup
  readonly takesEmpty: boolean
}

/** Every parameter of a list: `field` and `field__lookup`, each with what it means. */
export type FilterSet = ReadonlyMap<string, FilterParameter>

/** The filter set of a table of fields. A field with one lookup is given bare only. */
export const filterSet = (fields: Readonly<Record<string, Filter>>): FilterSet => {
  const parameters = new Map<string, FilterParameter>()
  for (const [field, { kind, bare, lookups }] of Object.entries(fields)) {
    const add = (name: string, lookup: Lookup | undefined, takesEmpty: boolean) => {
      if (lookup === undefined) throw new Error(`${field} has no lookup for ${name}`)
      parameters.set(name, { kind, lookup, takesEmpty })
    }
    add(field, lookups[bare], false)
    const named = Object.keys(lookups)
    if (named.length === 1) continue
    for (const name of named) add(`${field}__${name}`, lookups[name], kind === 'text' && name === 'exact')
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
