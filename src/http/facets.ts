import { type Facet, TIME_PARTS } from '../engine/summaries.ts'
import type { Schema } from '../filters/lookups.ts'
import { attributeIn } from '../filters/text.ts'
import { color } from '../model/kinds.ts'
import { INTEGER, STRING, UUID } from '../model/schema.ts'
import type { Field } from '../question/condition.ts'
import type { FieldName } from '../question/fields.ts'

/** A client can count events by a field. `members` names the parts of a value, and their schemas. */
export interface FacetMember {
  readonly field: Facet['field']
  readonly members: Readonly<Record<string, { readonly part: FieldName; readonly schema: Schema }>>
}

const textFacet = (field: FieldName): FacetMember => ({ field, members: { value: { part: field, schema: STRING } } })

const FACETS = {
  category: textFacet('category'),
  event_series: {
    field: 'series',
    members: {
      id: { part: 'series', schema: INTEGER },
      uuid: { part: 'series_uuid', schema: UUID },
      name: { part: 'series_name', schema: STRING },
      color: { part: 'series_color', schema: color.schema },
    },
  },
  object_type__model: textFacet('object_type'),
} satisfies Readonly<Record<string, FacetMember>>

/** A client can also count by these parts of the start. */
const STARTS = Object.fromEntries(
  TIME_PARTS.map((part): [string, FacetMember] => [
    `timestamp_start__${part}`,
    { field: { start: part }, members: { value: { part: 'start', schema: INTEGER } } },
  ]),
)

export const NAMED_FACETS: Readonly<Record<string, FacetMember>> = { ...FACETS, ...STARTS }

/** An attribute may have any value of JSON. */
export const ANY: Schema = {}

/** Returns what a name counts by: a facet, or an attribute. Null: no such thing. */
export const facetNamed = (name: string): FacetMember | null => {
  const attribute = attributeIn(name)
  if (attribute !== null) return { field: { attribute }, members: { value: { part: 'attributes', schema: ANY } } }
  return Object.hasOwn(NAMED_FACETS, name) ? (NAMED_FACETS[name] ?? null) : null
}

/** Returns the field whose numbers a name means. Null: no such field. */
export const numbersNamed = (name: string): Field | null => {
  const attribute = attributeIn(name)
  return attribute === null ? (name === 'value' ? 'value_number' : null) : { attribute }
}

/** The names of facets and of numbers, for messages. */
export const FACET_NAMES = [...Object.keys(NAMED_FACETS), 'attributes__NAME']
export const NUMBER_NAMES = ['value', 'attributes__NAME']
