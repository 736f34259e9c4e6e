import { Column, eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { TextDictionary } from '../engine/d1/dictionaries.ts'
import type { Field, Fields, Surface } from './field.ts'
import { shownOn } from './members.ts'

/** A column of a table that an insert or an update sets. */
interface StoredColumn {
  readonly column: Column
  /** The dictionary of the text that the column stores. Null: the column stores the value itself. */
  readonly dictionary: TextDictionary | null
  /** True if null means the stamp of the write. */
  readonly stamped: boolean
  /** Returns the value in a record. */
  readonly valueIn: (record: Values) => unknown
}

type Values = Readonly<Record<string, unknown>>

const selected = (columns: Field['columns'] = {}): [string, SQLWrapper][] =>
  Object.entries(columns).map(([name, stored]) => [name, stored instanceof Column ? stored : stored.text])

/** Returns the columns that a query selects for some fields. The keys are the names in a row. */
export const columnsOf = (fields: Fields): Readonly<Record<string, SQLWrapper>> =>
  Object.fromEntries(Object.values(fields).flatMap(({ columns }) => selected(columns)))

/** Returns the columns of other tables that a surface shows. */
export const joinedColumnsOf = (fields: Fields, surface: Surface): Readonly<Record<string, SQLWrapper>> =>
  Object.fromEntries(Object.values(shownOn(fields, surface)).flatMap(({ joined }) => selected(joined)))

const dictionariesOf = (fields: Fields): TextDictionary[] =>
  Object.values(fields).flatMap(({ columns = {} }) =>
    Object.values(columns).flatMap((each) => (each instanceof Column ? [] : [each])),
  )

/** Returns the joins for the texts in dictionaries. */
export const joinsOf = (fields: Fields): SQL =>
  sql.join(
    dictionariesOf(fields).map(({ table, id, key }) => sql`LEFT JOIN ${table} ON ${eq(id, key)}`),
    sql` `,
  )

/** Returns the stored fields of a model with their names. */
export const storedIn = (fields: Fields) =>
  Object.entries(fields).flatMap(([name, { kind, ...field }]) => {
    const {
      columns = {},
      get = (row: object) => (row as Values)[name],
      put = (value: unknown) => ({ [name]: value }),
    } = field
    return kind === undefined ? [] : [{ ...field, name, kind, columns, get, put }]
  })

/** Returns the columns that fields are stored in. */
export const storedColumnsOf = (fields: Fields): StoredColumn[] =>
  storedIn(fields).flatMap(({ name, columns, put, also = [], stamped = false }) => [
    ...Object.entries(columns).map(([key, each]) => ({
      ...(each instanceof Column ? { column: each, dictionary: null } : { column: each.key, dictionary: each }),
      stamped,
      valueIn: (record: Values) => put(record[name])[key],
    })),
    ...also.map(({ column, of }) => {
      return { column, dictionary: null, stamped: false, valueIn: (record: Values) => of(record[name]) }
    }),
  ])

/** Returns a function for the record of a row. `R` is the type of the records of these fields. */
export const recordOf = <R extends object>(kind: string, fields: Fields) => {
  const all = storedIn(fields)
  return (row: object): R =>
    ({ kind, ...Object.fromEntries(all.map(({ name, get }) => [name, get(row)])) }) as unknown as R // every stored field
}

/** Returns the stamps of a record that a write changes. They are null, because the write sets new ones. */
export const unstamped = (fields: Fields): Values =>
  Object.fromEntries(storedIn(fields).flatMap(({ name, stamped }) => (stamped ? [[name, null]] : [])))

/** Returns a function for the row of a record, as a query reads it after a write at the time `now`. */
export const rowOf = (fields: Fields) => {
  const all = storedIn(fields)
  return (record: object, { now }: { readonly now: number | null } = { now: null }): Values =>
    Object.assign(
      {},
      ...all.map(({ name, put, stamped }) => put((record as Values)[name] ?? (stamped ? now : null))), // by name
    )
}

/** Returns the values of a new item that omits everything it may omit. */
export const defaultsOf = (fields: Fields): Values =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, { otherwise }]) => (otherwise === undefined ? [] : [[name, otherwise]])),
  )
