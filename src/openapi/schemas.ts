import { mediaType } from '../downloads.ts'
import type { Schema } from '../filters/lookups.ts'
import { isItems, LIST_FORMATS } from '../formats/formats.ts'
import { ADDRESS, INTEGER, listOf, orNull, record, ref, STRING } from '../model/schema.ts'
import type { Resource } from '../resource.ts'
import { document } from './answers.ts'

const ITEMS = LIST_FORMATS.filter(isItems)

/** Describes the body of a list or an item, in every format. */
export const content = (resource: Resource, kind: 'list' | 'item'): Schema =>
  Object.assign(
    document(ref(kind === 'list' ? `${resource.item}Page` : resource.item)),
    ...ITEMS.map((format) => ({ [mediaType(format)]: { schema: ref(format.schemas(resource)[kind][0]) } })),
  )

/** Returns the schemas of a list and its items, in every format. */
export const contentSchemas = (resource: Resource): Schema => ({
  ...resource.schemas,
  ...Object.assign({}, ...includedOf(resource).map(([, { of }]) => of.schemas)),
  [`${resource.item}Page`]: pageOf(resource),
  ...Object.fromEntries(ITEMS.flatMap((format) => Object.values(format.schemas(resource)))),
})

const DESCRIBED = { name: STRING, description: STRING, renders: listOf(STRING), parses: listOf(STRING) }

const QUERIED = {
  filters: {
    type: 'object',
    description: 'The filters, and the kind of value that each accepts.',
    additionalProperties: STRING,
  },
  parameters: listOf(STRING),
}

/** The schemas that all lists share. */
export const ANSWER_SCHEMAS: Readonly<Record<string, Schema>> = {
  Detail: record({ detail: STRING }, { description: 'The fault, and the value to enter.' }),
  Faults: {
    type: 'object',
    description:
      'The faults of each parameter, or of each member of a body by its path, such as features[3].properties.value.',
    additionalProperties: { type: 'array', items: STRING, minItems: 1 },
    minProperties: 1,
  },
  Description: record(DESCRIBED, { description: 'The formats and parameters of an address.' }),
  ListDescription: record({
    ...DESCRIBED,
    ...QUERIED,
    ordering: listOf(STRING),
    reads: STRING,
  }),
  SummaryDescription: record({ ...DESCRIBED, ...QUERIED }),
  Health: record({ status: { const: 'ok' } }),
  Readiness: record({ status: { const: 'ready' }, revision: INTEGER, version: STRING }),
}

const includedOf = ({ included = {} }: Resource) => Object.entries(included)

/**
 * Makes the schema of a page. It repeats the members of all pages, because many generators of clients ignore `allOf`.
 */
const pageOf = (resource: Resource): Schema =>
  record(
    {
      count: { type: 'integer', minimum: 0, description: 'The number of items that match, on all pages.' },
      next: orNull(ADDRESS),
      previous: orNull(ADDRESS),
      results: listOf(ref(resource.item)),
    },
    {},
    Object.fromEntries(includedOf(resource).map(([name, { of }]) => [name, listOf(ref(of.item))])),
  )
