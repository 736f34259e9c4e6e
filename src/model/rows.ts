import type { FieldName } from '../question/fields.ts'
import type { Fields, ModelField, Surface } from './field.ts'
import type { ValueReader } from './kinds.ts'
import { partsShown } from './members.ts'

type Values = Readonly<Record<string, unknown>>

/** Returns the parts of a row that have the value of a field. */
const partsOf = (name: string, { parts = [name as FieldName] }: ModelField): readonly FieldName[] => parts // its own name is one

/** Returns the parts of a row that have the values of some fields, and those that a surface shows besides. */
export const readsOf = (fields: Fields, surface: Surface): readonly FieldName[] => [
  ...new Set([
    ...Object.entries(fields).flatMap(([name, field]) => partsOf(name, field)),
    ...partsShown(fields, surface),
  ]),
]

/** The values of the stored fields of a model. */
export type ValuesOf<F> = {
  readonly [N in keyof F as F[N] extends { kind: unknown } ? N : never]: F[N] extends { kind: ValueReader<infer V> }
    ? V
    : never
}

/** Returns the stored fields of a model with their names. */
export const storedIn = (fields: Fields) =>
  Object.entries(fields).flatMap(([name, field]) => {
    const { kind, get = (row: object) => (row as Values)[name], put = (value: unknown) => ({ [name]: value }) } = field
    return kind === undefined ? [] : [{ ...field, name, kind, parts: partsOf(name, field), get, put }]
  })

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
