import { Column, sql } from 'drizzle-orm'
import { accessName } from '../access.ts'
import type { Filter } from '../filters/filter.ts'
import type { Schema } from '../filters/lookups.ts'
import { isoInstant } from '../filters/temporal.ts'
import type { TextDictionary } from './dictionaries.ts'
import type { Columns, Field, Form, Member, NamedFilter, Ordering } from './field.ts'
import { INSTANT, INTEGER, STRING, TIMESTAMP } from './schema.ts'

type RowWith = Readonly<Record<string, unknown>>

/** Declares the only column of a field, whose value is the value of the field. */
export const single = (name: string, column: Column | TextDictionary) => ({
  columns: { [name]: column },
  get: (row: RowWith): unknown => row[name],
  put: (value: unknown) => ({ [name]: value }),
})

/** Declares a field that only shows columns of another table. */
export const borrowed = (joined: Columns) => ({ columns: {}, joined, get: () => null })

export const NOWHERE = { v3: null, v4: null, flat: null, ogc: null, tile: null, file: null }

type Extra = Omit<Partial<Member>, 'name' | 'write'>

/** Shows a value under one name. */
export const as = (name: string, { write, ...form }: Form, extra: Extra = {}): Member[] => [
  { name, ...form, write: (value, _, links) => write(value, links), ...extra },
]

/** Shows a column of the row under one name. */
export const columnMember = (name: string, schema: Schema, column: string, extra: Extra = {}): Member => ({
  name,
  schema,
  column,
  write: (_, row: RowWith) => row[column],
  ...extra,
})

/** Shows a value on every surface under one name. */
export const everywhere = (name: string, form: Form, extra: Extra = {}): Field['on'] => {
  const members = as(name, form, extra)
  return { v3: members, v4: members, flat: members, ogc: members, tile: members, file: members }
}

/** Declares a filter. A text is its name in both versions. */
export const named = (
  names: string | Pick<NamedFilter, 'v3' | 'v4' | 'ogc'>,
  filter: Filter,
  words: Pick<NamedFilter, 'about' | 'example' | 'rank' | 'unindexed' | 'numbers' | 'told'>,
): NamedFilter => ({ ...(typeof names === 'string' ? { v3: names, v4: names } : names), ...filter, ...words })

/** Declares an order of events. Events without a value are at the end in both directions. `names` may be one name for both versions. */
export const ordered = (names: string | Pick<Ordering, 'v3' | 'v4'>, by: Column | TextDictionary): Ordering => ({
  ...(typeof names === 'string' ? { v3: names, v4: names } : names),
  ...(by instanceof Column
    ? { column: by, isText: by.dataType === 'string', nullsLast: !by.notNull && by.generated === undefined }
    : { column: sql`(SELECT ${by.text} FROM ${by.table} WHERE ${by.id} = ${by.key})`, isText: true }),
  rank: 1,
})

export const plain = (schema: Schema): Form => ({ schema, write: (value) => value })

export const string = plain(STRING)
export const integer = plain(INTEGER)
/** Writes milliseconds since 1970 as a number. */
export const timestamp = plain(TIMESTAMP)

export const nullable = ({ write, ...form }: Form): Form => ({
  ...form,
  nullable: true,
  write: (value, links) => (value === null ? null : write(value, links)),
})

/** Writes an instant in ISO 8601. `unit` is the unit of the value in microseconds. */
export const iso = (unit: bigint): Form => ({
  schema: INSTANT,
  unit,
  write: (value: number) => isoInstant(value, unit),
})

export const accessForm = (schema: Schema): Form => ({ schema, write: (level: number) => accessName(level) })
