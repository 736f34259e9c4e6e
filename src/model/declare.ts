import { Column, sql } from 'drizzle-orm'
import { accessName } from '../access.ts'
import type { Filter } from '../filters/filter.ts'
import type { Schema } from '../filters/lookups.ts'
import { isoInstant } from '../filters/temporal.ts'
import type { TextDictionary } from './dictionaries.ts'
import type {
  Columns,
  DerivedField,
  Form,
  Member,
  NamedFilter,
  Ordering,
  StoredField,
  Surface,
  ValueOf,
} from './field.ts'
import { INSTANT, INTEGER, STRING, TIMESTAMP } from './schema.ts'

export const field = <V, const C extends Columns, const J extends Columns = Record<never, never>>(
  declared: StoredField<V, C, J>,
): StoredField<V, C, J> => declared

export const derivedField = <V, const C extends Columns, const J extends Columns = Record<never, never>>(
  declared: DerivedField<V, C, J>,
): DerivedField<V, C, J> => declared

/** Declares the only column of a field, whose value is the value of the field. */
export const single = <const N extends string, const C extends Column | TextDictionary>(name: N, column: C) => ({
  columns: { [name]: column } as { readonly [K in N]: C }, // a computed name widens to string
  get: (row: { readonly [K in N]: ValueOf<C> }) => row[name],
  put: (value: ValueOf<C>) => ({ [name]: value }) as { readonly [K in N]: ValueOf<C> }, // as above
})

/** Declares a field that only shows columns of another table. */
export const borrowed = <const J extends Columns>(joined: J) => ({ columns: {}, joined, get: () => null })

export const NOWHERE = { v3: null, v4: null, flat: null, ogc: null, tile: null, file: null }

type Extra<V, R> = Omit<Partial<Member<V, R>>, 'name' | 'write'>

/** Shows a value under one name. */
export const as = <V, R>(name: string, { write, ...form }: Form<V>, extra: Extra<V, R> = {}): Member<V, R>[] => [
  { name, ...form, write: (value, _, links) => write(value, links), ...extra },
]

/** Shows a column of the row under one name. */
export const columnMember = <const K extends string>(
  name: string,
  schema: Schema,
  column: K,
  extra: Extra<unknown, { readonly [N in K]: unknown }> = {},
): Member<unknown, { readonly [N in K]: unknown }> => ({
  name,
  schema,
  column,
  write: (_, row) => row[column],
  ...extra,
})

/** Shows a value on every surface under one name. */
export const everywhere = <V, R>(
  name: string,
  form: Form<V>,
  extra: Extra<V, R> = {},
): { readonly [S in Surface]: readonly Member<V, R>[] } => {
  const members = as<V, R>(name, form, extra)
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

export const plain = <V>(schema: Schema): Form<V> => ({ schema, write: (value) => value })

export const string = plain<string>(STRING)
export const integer = plain<number>(INTEGER)
/** Writes milliseconds since 1970 as a number. */
export const timestamp = plain<number>(TIMESTAMP)

export const nullable = <V>({ write, ...form }: Form<V>): Form<V | null> => ({
  ...form,
  nullable: true,
  write: (value, links) => (value === null ? null : write(value, links)),
})

/** Writes an instant in ISO 8601. `unit` is the unit of the value in microseconds. */
export const iso = (unit: bigint): Form<number> => ({
  schema: INSTANT,
  unit,
  write: (value) => isoInstant(value, unit),
})

export const accessForm = (schema: Schema): Form<number> => ({ schema, write: (level) => accessName(level) })
