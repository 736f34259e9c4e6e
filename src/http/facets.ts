import { ValueError } from '../base/errors.ts'
import { type EntryOrder, type Facet, NO_NUMBERS, type NumberStatistics, TIME_PARTS } from '../engine/summaries.ts'
import { namesIn, type Schema } from '../filters/lookups.ts'
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

/** A name in a request, and the thing that it names. */
export interface Named<T> {
  readonly name: string
  readonly found: T
}

/** Returns a reader of a name. */
export const oneOf =
  <T>(find: (name: string) => T | null, known: readonly string[]) =>
  (text: string): Named<T> => {
    const name = text.trim()
    const found = find(name)
    if (found !== null) return { name, found }
    throw new ValueError(`Enter one of ${known.join(', ')}.`)
  }

/** The most facets and the most numbers of a summary, and the most pairs of them. Each pair costs as much for each row. */
export const [MAX_NAMES, MAX_PAIRED] = [20, 50]

/** Returns a reader of a comma list of names. */
export const namesOf =
  <T>(find: (name: string) => T | null, known: readonly string[]) =>
  (text: string): Named<T>[] =>
    namesIn(text, MAX_NAMES).map((name) => {
      const found = find(name)
      if (found !== null) return { name, found }
      throw new ValueError(`Enter one or more of ${known.join(', ')}, separated by commas.`)
    })

/** The names of the statistics of numbers. */
export const STATISTIC_NAMES = Object.keys(NO_NUMBERS) as readonly (keyof NumberStatistics)[] // it has no others

/** The usual order of entries. */
export const MOST_ROWS: EntryOrder = { by: 'count', descending: true }

/** Returns a reader of the order of entries. The request asks for the statistics of these numbers. */
export const entryOrderOf =
  (numbers: readonly Named<unknown>[]) =>
  (text: string): EntryOrder => {
    const [, sign, name = ''] = /^\s*(-?)(.*?)\s*$/s.exec(text) ?? []
    const descending = sign === '-'
    if (name === 'count' || name === 'text') return { by: name, descending }
    const statistic = STATISTIC_NAMES.find((each) => name.endsWith(`__${each}`))
    const field = name.slice(0, -`__${statistic}`.length)
    const number = numbers.findIndex((each) => each.name === field)
    if (statistic !== undefined && number >= 0) return { by: { number, statistic }, descending }
    if (statistic !== undefined && numbersNamed(field) !== null)
      throw new ValueError(`Enter ${field} in statistics as well.`)
    throw new ValueError(
      `Enter count, text, or a number with a statistic, such as value__sum: ${STATISTIC_NAMES.join(', ')}. A - in front reverses the order.`,
    )
  }
