import { at } from '../base/collections.ts'
import { ADDRESS, INTEGER, listOf, orNull, record, ref, type Schema, STRING } from '../base/schema.ts'
import { mediaType } from '../formats/downloads.ts'
import { formatsOfList, isItems, LIST_FORMATS } from '../formats/formats.ts'
import { partOf } from '../formats/shown.ts'
import type { Resource } from '../lists/resource.ts'
import { MAX_ITEMS } from '../store/fields.ts'
import type { Writable } from '../store/writable.ts'

export const ANY_OBJECT: Schema = { type: 'object' }

/** Describes a body with one media type, JSON by default. */
export const json = (schema: Schema, type = 'application/json'): Schema => ({ [type]: { schema } })

/** Describes the body of a document, in JSON and HTML. */
export const document = (schema: Schema, type?: string): Schema => ({
  ...json(schema, type),
  'text/html': { schema: STRING },
})

/** Describes a body in every media type. The example is beside the schema, where Swagger UI looks for it. */
export const bodiesOf = (types: readonly string[], schema: Schema, example?: object): Schema =>
  Object.fromEntries(types.map((type) => [type, { schema, example }]))

const ITEMS = LIST_FORMATS.filter(isItems)
const itemsOfList = (resource: Resource) => formatsOfList(resource).filter(isItems)

/** Describes the body of a list or an item in formats of items. The client may choose members. */
export const itemsContent = (resource: Resource, kind: 'list' | 'item', formats = ITEMS): Schema =>
  Object.fromEntries(
    formats.map((format) => {
      const [whole, ...parts] = Object.keys(format.schemas(resource)[kind]).map((name) => ref(name))
      return [mediaType(format.contentType), { schema: parts.length === 0 ? whole : { anyOf: [whole, ...parts] } }]
    }),
  )

/**
 * Describes the body of a list or an item in every format. JSON is as usual, with chosen members, with a plan, or as
 * `more` says.
 */
export const contentOf = (resource: Resource, kind: 'list' | 'item', ...more: readonly Schema[]): Schema => {
  const item = resource.view.name
  const names = kind === 'item' ? [item, `${item}Part`] : [`${item}Page`, `${item}PartPage`, 'Explained']
  const ofJson = { anyOf: [...names.map((name) => ref(name)), ...more] }
  return { ...document(ofJson), ...itemsContent(resource, kind, kind === 'list' ? itemsOfList(resource) : ITEMS) }
}

/** Returns the schemas of a list and its items, in every format. */
export const contentSchemas = (resource: Resource): Schema => ({
  [resource.view.name]: resource.view.schema,
  ...resource.schemas,
  ...Object.fromEntries(includedOf(resource).map(([, { name, schema }]) => [name, schema])),
  [`${resource.view.name}Page`]: pageOf(resource, resource.view.name),
  [`${resource.view.name}Part`]: {
    ...partOf(resource.view.schema),
    description: 'The members that the parameter fields names.',
  },
  [`${resource.view.name}PartPage`]: pageOf(resource, `${resource.view.name}Part`),
  ...Object.assign({}, ...itemsOfList(resource).flatMap((format) => Object.values(format.schemas(resource)))),
})

const includedOf = ({ included = {} }: Resource) => Object.entries(included)

/**
 * Makes the schema of a page. It repeats the members of all pages, because many generators of clients ignore `allOf`.
 */
const pageOf = (resource: Resource, item: string): Schema =>
  record(
    {
      count: { type: 'integer', minimum: 0, description: 'The number of items that match, on all pages.' },
      next: orNull(ADDRESS),
      previous: orNull(ADDRESS),
      results: listOf(ref(item)),
    },
    {},
    Object.fromEntries(includedOf(resource).map(([name, view]) => [name, listOf(ref(view.name))])),
  )

const DESCRIBED = { name: STRING, description: STRING, renders: listOf(STRING), parses: listOf(STRING) }
const QUERIED = {
  filters: {
    type: 'object',
    description: 'The filters, and the kind of value that each accepts.',
    additionalProperties: STRING,
  },
  parameters: listOf(STRING),
}

export const ANSWER_SCHEMAS: Readonly<Record<string, Schema>> = {
  Detail: record({ detail: STRING }, { description: 'The fault, and the value to enter.' }),
  Faults: {
    type: 'object',
    description:
      'The faults of each parameter, or of each member of a body by its path, such as features[3].properties.value.',
    additionalProperties: { type: 'array', items: STRING, minItems: 1 },
    minProperties: 1,
  },
  Description: record(
    DESCRIBED,
    { description: 'The formats and parameters of an address.' },
    { parameters: listOf(STRING) },
  ),
  ListDescription: record({ ...DESCRIBED, ...QUERIED, ordering: listOf(STRING), reads: STRING }),
  SummaryDescription: record({ ...DESCRIBED, ...QUERIED }),
  Explained: record(
    { plan: ANY_OBJECT, envelope: ANY_OBJECT },
    { description: 'With explain=true: the plan, and the page.' },
  ),
  Gone: record(
    { id: { type: ['integer', 'string'] }, detail: STRING },
    { description: 'A repeat with the Idempotency-Key of an item that was deleted or hidden since.' },
  ),
  Health: record({ status: { const: 'ok' } }),
  Readiness: record(
    { status: { const: 'ready' }, revision: INTEGER, version: STRING },
    {},
    {
      grade: { enum: ['A', 'B', 'C'], description: 'What a database of PostgreSQL has: views, indexes, counts.' },
      tables: {
        type: 'array',
        items: STRING,
        description: 'The tables that its views read. Only for keys that read `Hidden`, or with SHOW_COST=true.',
      },
      advice: {
        type: 'array',
        items: STRING,
        description: 'What its owner can improve. Only for keys that read `Hidden`, or with SHOW_COST=true.',
      },
      database: record(
        { bytes: INTEGER, limit: INTEGER, percent: INTEGER },
        { description: 'How full it is. Only for keys that read `Hidden`, or with SHOW_COST=true.' },
      ),
    },
  ),
}

/** Writes the words of a name, which spaces or underscores separate, as the name of a schema. */
export const capitalised = (name: string): string =>
  name.replace(/(?:^|[_ ])(.)/g, (_, letter: string) => letter.toUpperCase())

/**
 * Returns the names of the schemas of bodies. All versions of a list share them, because their bodies are equal. `ids`
 * is the answer to several new items. All lists of a table share it. Generators of clients make a type of each.
 */
export const bodyNames = ({ table, named = table }: Writable) => {
  const name = capitalised(named)
  return {
    made: `New${name}`,
    changes: `${name}Changes`,
    upsert: `${name}Upsert`,
    collection: `New${name}Collection`,
    page: `New${name}Results`,
    ids: `${capitalised(table)}Ids`,
  }
}

/** Returns references to the schemas of bodies, and of the ids in an answer. Null: the list may be any. */
export const bodyReferences = (writable: Writable | null) => {
  if (writable === null) return { several: ANY_OBJECT, made: ANY_OBJECT, changes: ANY_OBJECT, ids: ANY_OBJECT }
  const { made, changes, collection, page, ids } = bodyNames(writable)
  const needsMembers = Object.values(writable.fields).some(({ required }) => required)
  return {
    // A POST takes one item, an array of items, a FeatureCollection, or a page that the client read.
    several: { anyOf: [...oneOf(writable), severalOf(writable), ref(collection), ref(page)] },
    made: ref(made),
    // Without required members, PUT and PATCH take the same bodies.
    changes: ref(needsMembers ? changes : made),
    ids: ref(ids),
  }
}

/** An item of a body is a new item or, if items have external ids, an upsert. */
const oneOf = (writable: Writable): Schema[] => {
  const { made, upsert } = bodyNames(writable)
  return writable.keyed === undefined ? [ref(made)] : [ref(made), ref(upsert)]
}

const severalOf = (writable: Writable): Schema => {
  const one = oneOf(writable)
  return { ...listOf(one.length === 1 ? at(one, 0) : { anyOf: one }), minItems: 1, maxItems: MAX_ITEMS }
}

/** Makes the schemas of the bodies that write a list. It adds the schema of the answer to several new items. */
export const bodySchemas = (writable: Writable): Schema => {
  const { fields, readOnly, idsSchema, keyed, items } = writable
  const members = [
    ...Object.entries(fields).map(([path, field]) => ({ path: path.split('.'), ...field })),
    // The service ignores these members, so a client can send back an item that it read.
    ...readOnly.map((path) => ({ path: path.split('.'), schema: { readOnly: true } })),
  ]
  const needing = (paths: readonly string[], schemas: Readonly<Record<string, Schema>> = {}) =>
    members.map((member) => {
      const path = member.path.join('.')
      return { ...member, required: paths.includes(path), schema: schemas[path] ?? member.schema }
    })
  const several = severalOf(writable)
  const { made, changes, upsert, collection, page, ids } = bodyNames(writable)
  return {
    [made]: objectOf(members),
    ...(items && { [changes]: objectOf(needing([])) }),
    ...(keyed && { [upsert]: objectOf(needing(keyed.needed, { [keyed.path]: keyed.schema })) }),
    [collection]: {
      ...ANY_OBJECT,
      properties: { type: { const: 'FeatureCollection' }, features: several },
      required: ['type', 'features'],
    },
    [page]: { ...ANY_OBJECT, properties: { results: several }, required: ['results'] },
    [ids]: idsSchema,
  }
}

interface Member {
  readonly path: readonly string[]
  readonly schema: Schema
  readonly required?: boolean
}

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
