import { orNull, type Schema } from '../base/schema.ts'
import { FIELDS, type FieldName, type ListName, type Properties } from '../question/fields.ts'
import type { Order } from '../question/question.ts'
import type { Fields, Member, ModelField, Surface, ToldFilter } from './field.ts'
import type { Links, ValueReader } from './kinds.ts'

/** A named value of an item in an answer. */
export interface ItemMember {
  readonly name: string
  /** The title of its column, in the words of the people who keep the data. */
  readonly title?: string
  /** The time zone of its times, if it is not UTC. */
  readonly zone?: string
  readonly schema: Schema
  readonly inFeature?: true
  write(row: object, links: Links): unknown
}

/** What a form of items shows: named members, which follow from fields of their rows. */
export interface View {
  /** The name of its schema. */
  readonly name: string
  readonly schema: Schema
  /** True if an item is a feature of GeoJSON. The members are then its properties. */
  readonly isFeature: boolean
  readonly reads: readonly FieldName[]
  readonly members: readonly ItemMember[]
}

type Values = Readonly<Record<string, unknown>>

type Ranked = { readonly rank?: number }
const byRank = ({ rank: a = 0 }: Ranked, { rank: b = 0 }: Ranked): number => a - b

/** Returns the members of a field on a surface. */
const shownIn = ({ on }: ModelField, surface: Surface): readonly Member[] => {
  const members = on[surface] ?? []
  return typeof members === 'string' ? [{ name: members }] : members
}

/** Returns the fields that a surface shows. */
export const shownOn = (fields: Fields, surface: Surface): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, field]) => shownIn(field, surface).length > 0))

/** Each member on a surface with its field, in the order of the surface. A part has no form but its own. */
const listed = (fields: Fields, surface: Surface) =>
  Object.entries(fields)
    .flatMap(([key, field]) =>
      shownIn(field, surface).map((member) => {
        const { schema, nullable, unit, write } = { ...(member.part === undefined && field.kind), ...member }
        if (schema === undefined) throw new Error(`${key} has no schema on the surface ${surface}`)
        return { ...member, key, field, schema, nullable, unit, write }
      }),
    )
    .sort(byRank)

export const membersOf = (fields: Fields, surface: Surface, version: 'v3' | 'v4' = 'v3'): ItemMember[] =>
  listed(fields, surface).map(({ key, field, name, v4 = name, schema, part, nullable, inFeature, write }) => {
    const valueIn = (row: object): unknown =>
      part === undefined && field.get ? field.get(row) : (row as Values)[part ?? key]
    return {
      name: version === 'v4' ? v4 : name,
      schema: nullable ? orNull(schema) : schema,
      ...(inFeature && { inFeature }),
      write: (row, links) => {
        const value = valueIn(row)
        return write === undefined || value === null ? value : write(value, links)
      },
    }
  })

const NO_LINKS: Links = {
  to: (path) => {
    throw new Error(`this surface has no address for ${path}`)
  },
}

/** Returns a function that writes these members of a row as an object. Without links, no member may have an address. */
export const writerOf =
  (members: readonly ItemMember[]) =>
  (row: object, links = NO_LINKS): Values => {
    const item: Record<string, unknown> = {}
    for (const { name, write } of members) {
      const value = write(row, links)
      // An assignment would set the prototype.
      if (name === '__proto__') Object.defineProperty(item, name, { value, enumerable: true })
      else item[name] = value
    }
    return item
  }

export const schemasOf = (members: readonly ItemMember[]): Readonly<Record<string, Schema>> =>
  Object.fromEntries(members.map(({ name, schema }) => [name, schema]))

/** Returns the schemas of the properties of a feature, with titles and roles (OGC API - Features, Part 5). */
export const featureSchemasOf = (fields: Fields, surface: 'ogc' | 'tile'): Readonly<Record<string, Schema>> =>
  Object.fromEntries(
    listed(fields, surface).map(({ field, name, title = field.told.title[0], schema, role }) => [
      name,
      { title, ...schema, ...(role && { 'x-ogc-role': role }) },
    ]),
  )

/**
 * Returns the filters of some versions, or of the features of /ogc, in their order. A filter has its first name among
 * them. It is in the group of its field, unless it has its own.
 */
export const filtersOf = (
  fields: Fields,
  ...surfaces: readonly ('v3' | 'v4' | 'ogc')[]
): Readonly<Record<string, ToldFilter>> => {
  const named = Object.values(fields).flatMap(({ told, filters = [] }) =>
    filters.flatMap((filter) => {
      const [name] = surfaces.flatMap((surface) => filter[surface] ?? [])
      const own = filter.told ? { group: told.group, ...filter.told } : told
      return name === undefined ? [] : [{ ...filter, name, told: own }]
    }),
  )
  return Object.fromEntries(named.sort(byRank).map(({ name, ...filter }) => [name, filter]))
}

/** Returns the orders of a version by their names. */
export const orderingsOf = (fields: Fields, version: 'v3' | 'v4'): Orderings =>
  Object.fromEntries(
    Object.entries(fields)
      .flatMap(([key, { orders = [] }]) => orders.map((each) => ({ by: key as FieldName, ...each }))) // by its own value
      .sort(byRank)
      .flatMap(({ [version]: name, by, nulls = 'least' }) => (name === null ? [] : [[name, { by, nulls }]])),
  )

/** The orders of a list by their names. */
export type Orderings = Readonly<Record<string, Pick<Order, 'nulls' | 'by'>>>

/** Returns the properties that CQL2 filters may name: the members of features of a list. */
export const propertiesOf = (fields: Fields, list: ListName): Properties => {
  const isField = (name: string): name is FieldName => Object.hasOwn(FIELDS[list], name)
  return Object.fromEntries(
    listed(fields, 'ogc').flatMap(({ key, name, property }) => {
      const field = [name, key].find(isField)
      const own = property === undefined && field !== undefined ? { field } : property
      return own ? [[name, own]] : []
    }),
  )
}

/** Returns the parts of a row that have the value of a field. */
const partsOf = (name: string, { parts = [name as FieldName] }: ModelField): readonly FieldName[] => parts // its own name is one

/** Returns the parts of a row that have the values of some fields, and those that a surface shows besides. */
export const readsOf = (fields: Fields, surface: Surface): readonly FieldName[] => [
  ...new Set([
    ...Object.entries(fields).flatMap(([name, field]) => partsOf(name, field)),
    ...Object.values(fields).flatMap((field) => shownIn(field, surface).flatMap(({ part }) => part ?? [])),
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
