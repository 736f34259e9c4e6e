import type { FilterField, FilterParameter, FilterSet } from './filter.ts'
import { LOOKUPS, type LookupName, MEANINGS, type Meaning } from './lookups.ts'
import { parametersOfMembers } from './members.ts'

/** The kinds of areas and periods, of words and of attributes, and of conditions on several rows. They have no complements. */
const WITHOUT_COMPLEMENT = ['geometry', 'box', 'interval', 'words', 'latest', 'attributes']

/**
 * Returns the parameters for a table of fields. A field with one lookup has no parameter with a lookup name. `build` makes
 * the parameters of members.
 */
export const filterSet = (
  fields: Readonly<Record<string, FilterField>>,
  build: (fields: Readonly<Record<string, FilterField>>) => FilterSet = (own) => filterSet(own),
): ReadonlyMap<string, FilterParameter> => {
  const parameters = new Map<string, FilterParameter>()
  for (const [field, own] of Object.entries(fields)) {
    const { numbers, bare } = own
    const members = own.members && parametersOfMembers(field, own.members, build)
    const add = (parameter: string, name: LookupName, from: FilterField, takesEmpty: boolean) => {
      const { kind, schema, lookups, asks, choices, beside, about, example } = from
      const lookup = lookups[name]
      if (lookup === undefined) throw new Error(`${parameter} has no lookup ${name}`)
      const { shape, sample, asks: meaning }: Meaning = LOOKUPS[name]
      const takes = { lookup, takesEmpty, takesList: shape(schema).type === 'array' }
      const words = { description: `${about} ${asks ?? meaning}.`, schema, shape, example: sample(example) }
      const isOfValues = parameter === field || name === 'in' || takesEmpty
      const hasComplement = isOfValues && !WITHOUT_COMPLEMENT.includes(kind) && beside === undefined
      parameters.set(parameter, { kind, choices, beside, members, hasComplement, ...takes, ...words })
    }
    add(field, bare, own, false)
    const named = MEANINGS.flatMap(([name]) =>
      [own, numbers].flatMap((from) => (from?.lookups[name] === undefined ? [] : [{ name, from }])),
    )
    if (named.length === 1) continue
    for (const { name, from } of named) add(`${field}__${name}`, name, from, from.kind === 'text' && name === 'exact')
  }
  return parameters
}
