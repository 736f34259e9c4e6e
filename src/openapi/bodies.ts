import { at } from '../collections.ts'
import type { Schema } from '../filters/lookups.ts'
import { listOf, ref } from '../model/schema.ts'
import type { Resource } from '../resource.ts'
import { MAX_ITEMS } from '../store/body.ts'
import type { Writable } from '../store/writable.ts'

/**
 * Makes the schema of a POST body: one item, an array of items, a FeatureCollection, or a page that the client read.
 */
export const newItems = (writable: Writable): Schema => {
  const name = nameOf(writable)
  const one = oneOf(writable)
  return { anyOf: [...one, severalOf(one), ref(collectionOf(name)), ref(pageOf(name))] }
}

/** Lists the schemas of an item in a body: a new item and, if items have external ids, an upsert. */
const oneOf = (writable: Writable): Schema[] => {
  const name = nameOf(writable)
  return writable.keyed === undefined ? [ref(`New${name}`)] : [ref(`New${name}`), ref(`${name}Upsert`)]
}

const severalOf = (one: readonly Schema[]): Schema => {
  return { ...listOf(one.length === 1 ? at(one, 0) : { anyOf: one }), minItems: 1, maxItems: MAX_ITEMS }
}

// Both schemas have names, because generators of clients make a type of each named schema.
const collectionOf = (name: string): string => `New${name}Collection`
const pageOf = (name: string): string => `New${name}Results`

/** Makes the schemas of the bodies that write a list. It adds the schema of the answer to several new items. */
export const bodySchemas = ({ writable }: Resource): Schema => {
  const { fields, readOnly, idsSchema, keyed, items } = writable
  const members = [
    ...Object.entries(fields).map(([path, field]) => ({ path: path.split('.'), ...field })),
    // The service ignores these members, so a client can send back an item that it read.
    ...readOnly.map((path) => ({ path: path.split('.'), schema: { readOnly: true } })),
  ]
  const name = nameOf(writable)
  return {
    [`New${name}`]: objectOf(members),
    ...(items && { [`${name}Changes`]: objectOf(members.map((member) => ({ ...member, required: false }))) }),
    ...(keyed && { [`${name}Upsert`]: objectOf(needing(members, keyed.needed)) }),
    [collectionOf(name)]: {
      type: 'object',
      properties: { type: { const: 'FeatureCollection' }, features: severalOf(oneOf(writable)) },
      required: ['type', 'features'],
    },
    [pageOf(name)]: {
      type: 'object',
      properties: { results: severalOf(oneOf(writable)) },
      required: ['results'],
    },
    [idsOf(writable)]: idsSchema,
  }
}

/** Describes a body in every media type. The example is beside the schema, where Swagger UI looks for it. */
export const bodyOf = (types: readonly string[], schema: Schema, example?: object): Schema =>
  Object.fromEntries(types.map((type) => [type, { schema, example }]))

interface Member {
  readonly path: readonly string[]
  readonly schema: Schema
  readonly required?: boolean
}

/** Requires only the members at these paths. */
const needing = (members: readonly Member[], paths: readonly string[]): Member[] =>
  members.map((member) => ({ ...member, required: paths.includes(member.path.join('.')) }))

/** Makes the schema of an object. Members with longer paths are in inner objects. */
const objectOf = (members: readonly Member[]): Schema => {
  const groups = Object.entries(Object.groupBy(members, ({ path }) => at(path, 0)))
  const schemaOf = (group: readonly Member[] = []): Schema => {
    const [first] = group
    if (first?.path.length === 1) return first.schema
    return objectOf(group.map((member) => ({ ...member, path: member.path.slice(1) })))
  }
  const needed = groups.filter(([, group]) => group?.some(({ required }) => required))
  return {
    type: 'object',
    properties: Object.fromEntries(groups.map(([name, group]) => [name, schemaOf(group)])),
    required: needed.map(([name]) => name),
    additionalProperties: false,
  }
}

/** Returns the name of the schema for the answer to several new items. All lists of a table share it. */
export const idsOf = ({ table }: Writable): string => `${capitalised(table)}Ids`

/**
 * Returns the name of an item in schemas, such as `EventSeries`. All versions of a list share it, because their bodies
 * are equal.
 */
export const nameOf = ({ table, named = table }: Writable): string => capitalised(named)

const capitalised = (name: string): string => name.replace(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase())
