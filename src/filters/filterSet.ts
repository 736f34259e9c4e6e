import { allOf, type Condition } from '../question/condition.ts'
import type { Filter, FilterField, FilterParameter, FilterSet, Lookup } from './filter.ts'
import { LOOKUPS, type LookupName, listSchema, MEANINGS, type Meaning, type Schema } from './lookups.ts'

/** The end of a parameter that selects the rows which the parameter without it leaves out. */
export const NOT = '__not'

/** The kinds of areas and periods, of words, and of conditions on several rows. They have no complements. */
const WITHOUT_COMPLEMENT = ['geometry', 'box', 'interval', 'words', 'latest']

/**
 * Returns the parameters of a list for a table of fields. A field with one lookup has no parameter with a lookup name.
 * The complement of a parameter follows it.
 */
export const listFilters = (fields: Readonly<Record<string, FilterField>>): FilterSet => {
  const parameters = new Map<string, FilterParameter>()
  const add = (parameter: string, name: LookupName, from: FilterField, isOfValues: boolean, takesEmpty = false) => {
    const filter = parameterOf(parameter, name, from, takesEmpty)
    parameters.set(parameter, filter)
    const hasOthers = filter.beside === undefined && filter.members === undefined
    if (isOfValues && hasOthers && !WITHOUT_COMPLEMENT.includes(from.kind))
      parameters.set(`${parameter}${NOT}`, {
        ...filter,
        description: `Selects what ${parameter} leaves out.`,
        lookup: (value, clock) => ({ kind: 'unless', of: allOf(conditionsAsked(filter.lookup(value, clock))) }),
      })
  }
  for (const [field, own] of Object.entries(fields)) {
    add(field, own.bare, own, true)
    const named = MEANINGS.flatMap(([name]) =>
      [own, own.numbers].flatMap((from) => (from?.lookups[name] === undefined ? [] : [{ name, from }])),
    )
    if (named.length === 1) continue
    for (const { name, from } of named) {
      const takesEmpty = from.kind === 'text' && name === 'exact'
      add(`${field}__${name}`, name, from, name === 'in' || takesEmpty, takesEmpty)
    }
  }
  return parameters
}

/** Returns the conditions of a lookup. */
export const conditionsAsked = (asked: ReturnType<Lookup>): Condition[] =>
  [asked].flat().filter((each): each is Condition => each.kind !== 'latest')

const parameterOf = (parameter: string, name: LookupName, from: FilterField, takesEmpty: boolean): FilterParameter => {
  const { kind, schema, lookups, asks, choices, beside, about, example, members } = from
  const lookup = lookups[name]
  if (lookup === undefined) throw new Error(`${parameter} has no lookup ${name}`)
  const meaning: Meaning = LOOKUPS[name]
  const { list, own } = meaning
  return {
    kind,
    schema,
    choices,
    beside,
    members: members && ((given) => parametersOfMember(parameter, members, given)),
    lookup,
    takesEmpty,
    takesList: shapeOf(meaning, schema).type === 'array',
    description: `${about} ${asks ?? meaning.asks}.`,
    shape: (one) => shapeOf(meaning, one),
    example: own ? own.example : list ? Array.from({ length: list[0] }, () => example) : example,
  }
}

/** Returns the schema of a lookup's value from that of one value of the field. */
const shapeOf = ({ own, list }: Meaning, schema: Schema): Schema =>
  own?.schema ?? (list === undefined ? schema : listSchema(schema, ...list))

/** Returns the parameters of the member in the name of a parameter. */
const parametersOfMember = (
  field: string,
  named: NonNullable<Filter['members']>,
  parameter: string,
): FilterSet | null => {
  const [, name = '', lookup] = parameter.split('__')
  const lacksName = lookup === undefined && (Object.hasOwn(LOOKUPS, name) || name === 'not')
  const member = lacksName ? null : named(name)
  return member && listFilters({ [`${field}__${name}`]: member })
}
