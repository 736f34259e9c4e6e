import type { Schema } from '../filters/lookups.ts'
import { FIELDS, type FieldName, type ListName, type Properties } from '../question/fields.ts'
import type { Order } from '../question/question.ts'
import type { Fields, Member, ModelField, Surface, ToldFilter } from './field.ts'
import type { Links } from './kinds.ts'
import { orNull } from './schema.ts'

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

/** Returns the parts of a row that a surface shows by themselves. */
export const partsShown = (fields: Fields, surface: Surface): FieldName[] =>
  Object.values(fields).flatMap((field) => shownIn(field, surface).flatMap(({ part }) => part ?? []))

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
      part === undefined && field.get ? field.get(row) : (row as Readonly<Record<string, unknown>>)[part ?? key]
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
  (row: object, links = NO_LINKS): Readonly<Record<string, unknown>> => {
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
