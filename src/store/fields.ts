import type { SQL } from 'drizzle-orm'
import { ValueError } from '../errors.ts'
import type { Schema } from '../filters/lookups.ts'
import { type Mistakes, mistake } from '../mistakes.ts'
import { isObject, refuseLong } from './records.ts'

/** What is read of an item, by the names of a record. */
export type Draft = Readonly<Record<string, unknown>>

/** A member of an item that may be written: one for each member of its record. */
export type Field<R extends object = Draft> = {
  [N in keyof R & string]: About & { readonly to: N } & (Plain<R[N]> | Reference)
}[keyof R & string]

interface About {
  /** What a value looks like, in the form that clients had best send. */
  readonly schema: Schema
  readonly required?: boolean
  /** It is given once, to what is new: a change may repeat it. */
  readonly once?: boolean
  /** An item that is replaced keeps it where the new one leaves it out. */
  readonly stays?: boolean
}

/** Throws ValueError with what to enter; undefined for what is as good as left out. */
interface Plain<T> {
  readonly read: (value: unknown) => T | undefined
  readonly lookup?: Lookup & { readonly fresh: true }
}

/** A value that stands for the id of a row. */
interface Reference {
  readonly read: (value: unknown) => string | number
  readonly lookup: Lookup
}

/** A value that names a row. */
export interface Lookup {
  /** Of values, a JSON array, those of which there is a row that a caller of this level sees: `given` and its `id`. */
  readonly query: (values: string, level: number) => SQL
  readonly message: (value: unknown) => string
  /** It is to be a new one: what there is already is refused, and what is given twice. */
  readonly fresh?: boolean
}

/** What of an item may be written, by the path of the member: `name`, `properties.value`. */
export interface Shape<R extends object = Draft> {
  readonly fields: Readonly<Record<string, Field<R>>>
  /** Members of items as they are read that cannot be written: passed over, so that what was read can be sent back. */
  readonly readOnly: readonly string[]
}

/** An item of a body, and where it stands there, such as `features[3].`. */
export interface Item {
  readonly value: unknown
  readonly at: string
}

/** What is written of an item, with every mistake noted. `partial`: what is left out is no mistake. */
export const readItem = (shape: Shape, { value, at }: Item, partial: boolean, mistakes: Mistakes): Draft => {
  const draft: Record<string, unknown> = {}
  if (!isObject(value)) {
    mistake(mistakes, nameOf(at), 'Enter a JSON object.')
    return draft
  }
  for (const [path, field] of Object.entries(shape.fields)) {
    const given = memberOf(value, path)
    if (given === undefined) {
      if (field.required && !partial) mistake(mistakes, at + path, 'This field is required.')
      continue
    }
    try {
      const read = field.read(given)
      if (read !== undefined) draft[field.to] = read
    } catch (error) {
      if (!(error instanceof ValueError)) throw error
      mistake(mistakes, at + path, error.message)
    }
  }
  noteUnknown(shape, value, at, mistakes)
  return draft
}

/** Notes of a record of an item that it is too long to be stored. */
export const checkLength = (record: object, at: string, mistakes: Mistakes): void => {
  try {
    refuseLong(record)
  } catch (error) {
    if (!(error instanceof ValueError)) throw error
    mistake(mistakes, nameOf(at), error.message)
  }
}

/** What a whole item goes by in a 400. */
const nameOf = (at: string): string => (at === '' ? 'detail' : at.slice(0, -1))

const noteUnknown = ({ fields, readOnly }: Shape, value: Draft, at: string, mistakes: Mistakes): void => {
  const known = new Set([...Object.keys(fields), ...readOnly])
  const within = new Set([...known].filter((path) => path.includes('.')).map((path) => path.split('.')[0] ?? ''))
  const names = Object.keys(fields).join(', ')
  for (const name of Object.keys(value)) {
    if (!within.has(name)) {
      if (!known.has(name)) mistake(mistakes, at + name, `Unknown field. There are ${names}.`)
    } else if (isObject(value[name])) {
      for (const inner of Object.keys(value[name]))
        if (!known.has(`${name}.${inner}`))
          mistake(mistakes, `${at}${name}.${inner}`, `Unknown field. There are ${names}.`)
    } else mistake(mistakes, at + name, 'Enter a JSON object.')
  }
}

/** The member of an object at a path of one or two names. */
const memberOf = (value: Draft, path: string): unknown => {
  const [name = '', inner] = path.split('.')
  const member = Object.hasOwn(value, name) ? value[name] : undefined
  if (inner === undefined) return member
  return isObject(member) && Object.hasOwn(member, inner) ? member[inner] : undefined
}

/** A row that a value names, and the value. */
interface Found {
  readonly given?: unknown
  readonly id?: number
}

/** The queries that look up what drafts name, and what takes their answers: values become ids, mistakes are noted. */
export const lookUp = (shape: Shape, drafts: readonly Draft[], level: number) => {
  const named = Object.entries(shape.fields).flatMap(([path, { to, lookup }]) => {
    const values = drafts.map((draft) => draft[to]).filter((value) => value !== undefined)
    return lookup === undefined || values.length === 0 ? [] : [{ path, to, lookup, values }]
  })
  const resolve = (answers: readonly (readonly Found[])[], items: readonly Item[], mistakes: Mistakes): Draft[] => {
    const resolved = drafts.map((draft): Record<string, unknown> => ({ ...draft }))
    for (const [i, { path, to, lookup }] of named.entries()) {
      const ids = new Map(answers[i]?.map(({ given, id }) => [String(given), id]))
      for (const [j, draft] of resolved.entries()) {
        const value = draft[to]
        if (value === undefined) continue
        const id = ids.get(String(value))
        if ((id === undefined) !== (lookup.fresh === true))
          mistake(mistakes, `${items[j]?.at ?? ''}${path}`, lookup.message(value))
        else if (lookup.fresh) ids.set(String(value), 0)
        else draft[to] = id
      }
    }
    return resolved
  }
  return {
    queries: named.map(({ lookup, values }) => lookup.query(JSON.stringify([...new Set(values)]), level)),
    resolve,
  }
}
