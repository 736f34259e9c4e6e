import type { SQL } from 'drizzle-orm'
import { ValueError } from '../errors.ts'
import type { Schema } from '../filters/lookups.ts'
import { type Mistakes, mistake } from '../mistakes.ts'
import { refuseLong, refuseLonger } from './length.ts'
import { isObject } from './records.ts'

/** What is read of an item, by the names of a record. */
export type Draft = Readonly<Record<string, unknown>>

/** A member of an item that may be written. `to` is the member of the draft that it sets. */
export type Field<R extends object = Draft> = {
  [N in keyof R & string]: About & { readonly to: N } & (Plain<R[N]> | Reference)
}[keyof R & string]

interface About {
  /** What a value looks like, in the form that clients had best send. */
  readonly schema: Schema
  /** The path of this member in items of another version. A body may use either path. */
  readonly alias?: string
  /** A new item needs it. */
  readonly required?: boolean
  /** Only a new item sets it. A change may repeat it. */
  readonly once?: boolean
  /** PUT keeps it if the body does not give it. Otherwise PUT clears it. */
  readonly stays?: boolean
  /** A POST over a stored item may move it with another field. PATCH leaves it. */
  readonly follows?: boolean
  /** Most characters of a new text. A stored text may be longer, and a body may repeat it. */
  readonly most?: number
  /** The path of the text in a record, such as `object.model`. By default it is `to`. */
  readonly text?: string
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

/** Lists the members of an item by their paths, such as `name` and `properties.value`. */
export interface Shape<R extends object = Draft> {
  readonly fields: Readonly<Record<string, Field<R>>>
  /** Members that items show and nobody writes. They are ignored, so that a client can send back what it read. */
  readonly readOnly: readonly string[]
  /** Members of every draft that no body gives. */
  readonly fixed?: Partial<R>
  /** A GeoJSON Feature is accepted too: its properties are the members of the item. */
  readonly inFeatures?: true
}

/** An item of a body. `at` is its place, such as `features[3].`. */
export interface Item {
  readonly value: unknown
  readonly at: string
}

/** An item that was read. `missing` are the paths of the required members that it does not give. */
export interface Part {
  readonly item: Item
  readonly draft: Draft
  readonly missing: readonly string[]
}

/** Reads an item, and notes every mistake. `replaces`: members that are not given are cleared, as PUT does. */
export const readItem = (shape: Shape, sent: Item, mistakes: Mistakes, replaces = false): Part => {
  const item = itemIn(shape, sent, mistakes)
  const { value, at } = item
  const draft: Record<string, unknown> = { ...shape.fixed }
  const missing: string[] = []
  if (!isObject(value)) {
    mistake(mistakes, nameOf(at), 'Enter a JSON object.')
    return { item, draft, missing }
  }
  for (const [own, field] of Object.entries(shape.fields)) {
    const [path, given] = givenOf(value, own, field, at, mistakes)
    if (given === undefined && field.required) missing.push(own)
    const clears = replaces && !field.required && !field.once && !field.stays
    if (given === undefined && !clears) continue
    try {
      const read = field.read(given ?? null)
      if (read !== undefined) draft[field.to] = read
    } catch (error) {
      if (!(error instanceof ValueError)) throw error
      mistake(mistakes, at + path, error.message)
    }
  }
  noteUnknown(shape, value, at, mistakes)
  return { item, draft, missing }
}

/** Notes the required members that an item does not give. */
export const noteMissing = ({ item, missing }: Part, mistakes: Mistakes): void => {
  for (const path of missing) mistake(mistakes, item.at + path, 'This field is required.')
}

/** Returns the value of a field, and the path that the item uses for it. */
const givenOf = (value: Draft, path: string, { alias }: Field, at: string, mistakes: Mistakes): [string, unknown] => {
  const given = memberOf(value, path)
  const other = alias === undefined ? undefined : memberOf(value, alias)
  if (alias === undefined || other === undefined) return [path, given]
  if (given !== undefined) mistake(mistakes, at + alias, `Give ${path} or ${alias}, not both.`)
  return [alias, other]
}

const FEATURE_MEMBERS = ['type', 'id', 'bbox', 'geometry', 'links', 'properties']

/** Returns the item whose members a shape describes. A Feature may hold them in its properties. */
const itemIn = ({ inFeatures }: Shape, item: Item, mistakes: Mistakes): Item => {
  const { value, at } = item
  if (!inFeatures || !isObject(value) || value.type !== 'Feature') return item
  for (const name of Object.keys(value))
    if (!FEATURE_MEMBERS.includes(name))
      mistake(mistakes, at + name, `Unknown field. A Feature has ${FEATURE_MEMBERS.join(', ')}.`)
  return { value: value.properties, at: `${at}properties.` }
}

/** Notes if a record of an item is too long to be stored. */
export const checkLength = (record: object, at: string, mistakes: Mistakes): void =>
  noteFault(mistakes, nameOf(at), () => refuseLong(record))

/** Notes texts with too many characters. Texts that are equal to the stored ones are not checked. */
export const checkTexts = (
  { fields }: Shape,
  { item, draft }: Part,
  stored: Draft | null,
  mistakes: Mistakes,
): void => {
  for (const [path, { to, most, text = to }] of Object.entries(fields)) {
    const given = isObject(draft[to]) ? memberOf(draft, text) : draft[to]
    if (most === undefined || typeof given !== 'string' || (stored && given === memberOf(stored, text))) continue
    noteFault(mistakes, item.at + path, () => refuseLonger(given, most))
  }
}

const noteFault = (mistakes: Mistakes, path: string, check: () => void): void => {
  try {
    check()
  } catch (error) {
    if (!(error instanceof ValueError)) throw error
    mistake(mistakes, path, error.message)
  }
}

/** What a whole item goes by in a 400. */
const nameOf = (at: string): string => (at === '' ? 'detail' : at.slice(0, -1))

const noteUnknown = ({ fields, readOnly }: Shape, value: Draft, at: string, mistakes: Mistakes): void => {
  const aliases = Object.values(fields).flatMap(({ alias }) => alias ?? [])
  const known = new Set([...Object.keys(fields), ...aliases, ...readOnly])
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
export const lookUp = <P extends Part>(shape: Shape, parts: readonly P[], level: number) => {
  const named = Object.entries(shape.fields).flatMap(([path, { to, lookup }]) => {
    const values = parts.map(({ draft }) => draft[to]).filter((value) => value !== undefined)
    return lookup === undefined || values.length === 0 ? [] : [{ path, to, lookup, values }]
  })
  const resolve = (answers: readonly (readonly Found[])[], mistakes: Mistakes): P[] => {
    const found = named.map((field, i) => ({
      ...field,
      ids: new Map(answers[i]?.map(({ given, id }) => [JSON.stringify(given), id])),
    }))
    return parts.map((part) => {
      const draft: Record<string, unknown> = { ...part.draft }
      for (const { path, to, lookup, ids } of found) {
        const value = draft[to]
        if (value === undefined) continue
        const id = ids.get(JSON.stringify(value))
        if ((id === undefined) !== (lookup.fresh === true)) {
          mistake(mistakes, part.item.at + path, lookup.message(value))
          delete draft[to]
        } else if (lookup.fresh) ids.set(JSON.stringify(value), 0)
        else draft[to] = id
      }
      return { ...part, draft }
    })
  }
  return {
    queries: named.map(({ lookup, values }) => lookup.query(JSON.stringify([...new Set(values)]), level)),
    resolve,
  }
}
