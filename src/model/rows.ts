import { Column, eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { TextDictionary } from './dictionaries.ts'
import type { Columns, Fields, Surface } from './field.ts'

/** A column of a table that an insert or an update sets. The value of a column with a dictionary is a text. */
export interface StoredColumn {
  readonly column: Column
  readonly dictionary: TextDictionary | null
  /** True if null means the stamp of the write. */
  readonly stamped: boolean
}

type Values = Readonly<Record<string, unknown>>

const isColumn = (stored: Column | TextDictionary): stored is Column => stored instanceof Column

type Selected = Readonly<Record<string, SQLWrapper>>
const selected = (columns: Columns): [string, SQLWrapper][] =>
  Object.entries(columns).map(([name, stored]) => [name, isColumn(stored) ? stored : stored.text])

/** Returns the columns that a query selects for some fields. The keys are the names in a row. */
export const columnsOf = (fields: Fields): Selected =>
  Object.fromEntries(Object.values(fields).flatMap(({ columns }) => selected(columns)))

export const shownOn = (fields: Fields, surface: Surface): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, { on }]) => on[surface] !== null))

/** Returns the columns of other tables that a surface shows. */
export const joinedColumnsOf = (fields: Fields, surface: Surface): Selected =>
  Object.fromEntries(Object.values(shownOn(fields, surface)).flatMap(({ joined = {} }) => selected(joined)))

export const dictionariesOf = (fields: Fields): TextDictionary[] =>
  Object.values(fields).flatMap(({ columns }) =>
    Object.values(columns).flatMap((each) => (isColumn(each) ? [] : [each])),
  )

/** Returns the joins for the texts in dictionaries. */
export const joinsOf = (fields: Fields): SQL =>
  sql.join(
    dictionariesOf(fields).map(({ table, id, key }) => sql`LEFT JOIN ${table} ON ${eq(id, key)}`),
    sql` `,
  )

/** Returns the stored fields of a model with their names. */
export const storedIn = (fields: Fields) =>
  Object.entries(fields).flatMap(([name, { kind, put, ...field }]) =>
    kind === undefined || put === undefined ? [] : [{ name, kind, put, ...field }],
  )

/** Returns the columns that fields are stored in, in the order of `valuesOf`. */
export const storedColumnsOf = (fields: Fields): StoredColumn[] =>
  storedIn(fields).flatMap(({ columns, also, stamped = false }) =>
    [...Object.values(columns), ...Object.values(also?.columns ?? {})].map((each) =>
      isColumn(each) ? { column: each, dictionary: null, stamped } : { column: each.key, dictionary: each, stamped },
    ),
  )

/** Returns a function for the values of a record, in the order of `storedColumnsOf`. */
export const valuesOf = (fields: Fields): ((record: Values) => unknown[]) => {
  const all = storedIn(fields).map(({ name, columns, put, also }) => ({
    name,
    put,
    also,
    columns: Object.keys(columns),
    derived: Object.keys(also?.columns ?? {}),
  }))
  // A load calls this for each record, so it only fills one array.
  return (record) => {
    const values: unknown[] = []
    for (const { name, put, also, columns, derived } of all) {
      const row = put(record[name])
      for (const column of columns) values.push(row[column])
      if (also === undefined) continue
      const more = also.of(record[name])
      for (const column of derived) values.push(more[column])
    }
    return values
  }
}

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
