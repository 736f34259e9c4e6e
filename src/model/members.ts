import type { Schema } from '../filters/lookups.ts'
import type { AnyField, AnyMember, Fields, Links, Surface } from './field.ts'
import { orNull } from './schema.ts'

/** A named value of an item in an answer. */
export interface ItemMember {
  readonly name: string
  readonly schema: Schema
  readonly inGeometry?: true
  write(row: object, links: Links): unknown
}

/** Each field and its members on a surface, in the order of the surface. */
const listed = (fields: Fields, surface: Surface): (readonly [AnyField, AnyMember])[] =>
  Object.values(fields)
    .flatMap((field) => (field.on[surface] ?? []).map((member) => [field, member] as const))
    .sort(([, a], [, b]) => (a.rank ?? 0) - (b.rank ?? 0))

/** Returns the members of an item on a surface. */
export const membersOf = (fields: Fields, surface: Surface, version: 'v3' | 'v4' = 'v3'): ItemMember[] =>
  listed(fields, surface).map(([field, member]) => ({
    name: version === 'v4' ? (member.v4 ?? member.name) : member.name,
    schema: member.nullable ? orNull(member.schema) : member.schema,
    ...(member.inGeometry && { inGeometry: true }),
    write: (row, links) => member.write(field.get(row), row, links),
  }))

/** Adds a member that only one list has, after the member with a name. */
export const insertAfter = (members: readonly ItemMember[], name: string, added: ItemMember): ItemMember[] =>
  members.flatMap((member) => (member.name === name ? [member, added] : [member]))

/** Returns a function that writes these members of a row as an object. */
export const writerOf =
  (members: readonly ItemMember[]) =>
  (row: object, links: Links): Readonly<Record<string, unknown>> => {
    const item: Record<string, unknown> = {}
    for (const { name, write } of members) item[name] = write(row, links)
    return item
  }

const NO_LINKS: Links = {
  to: (path) => {
    throw new Error(`this surface has no address for ${path}`)
  },
}

/** Returns a function that writes a row for a surface without addresses. */
export const plainWriterOf = (fields: Fields, surface: 'ogc' | 'tile' | 'file') => {
  const write = writerOf(membersOf(fields, surface))
  return (row: object): Readonly<Record<string, unknown>> => write(row, NO_LINKS)
}

/** Returns the schemas of members by their names. */
export const schemasOf = (members: readonly ItemMember[]): Readonly<Record<string, Schema>> =>
  Object.fromEntries(members.map(({ name, schema }) => [name, schema]))

/** Returns the schemas of the properties of a feature, with titles and roles (OGC API - Features, Part 5). */
export const featureSchemasOf = (fields: Fields, surface: 'ogc' | 'tile'): Readonly<Record<string, Schema>> =>
  Object.fromEntries(
    listed(fields, surface).map(([{ title }, member]) => [
      member.name,
      { title: member.title ?? title, ...member.schema, ...(member.role && { 'x-ogc-role': member.role }) },
    ]),
  )
