import { listOf, type Schema } from '../base/schema.ts'
import type { Clock } from '../base/zone.ts'
import { allOf, type Condition } from '../question/condition.ts'
import type { Question } from '../question/question.ts'
import { checkText, LOOKUPS, type LookupName, MEANINGS, type Meaning } from './lookups.ts'

/** A type of filter with its lookups. */
export interface FilterType {
  /** The type of the value for OPTIONS and the documentation: text, integer, instant, ... */
  readonly kind: string
  /** The schema of a value in the form that clients should send. */
  readonly schema: Schema
  /** The end of a sentence about the field, for a filter with its own meaning. It replaces the lookup's `asks`. */
  readonly asks?: string
  /** The lookup of a parameter without a lookup name. */
  readonly bare: LookupName
  readonly lookups: { readonly [N in LookupName]?: Lookup }
  /** All possible values. Absent if they cannot be listed. */
  readonly choices?: readonly string[] | undefined
  /** The other parameter that must be given with this one. The lookup gets its value. Absent: there is none. */
  readonly beside?: string | undefined
  /** Returns the filter for a member of the value. Null: no parameter can name it. Absent: the value has no members. */
  readonly members?: ((name: string) => FilterField | null) | undefined
}

/** A field of a filter set. */
export interface FilterField extends FilterType {
  /** The start of a sentence that a lookup completes, such as `The category of the event`. */
  readonly about: string
  /** An example of a value. */
  readonly example: string | number | readonly (string | number)[]
  /** Lookups of the same field whose values are numbers. Only the parameters with their names exist. */
  readonly numbers?: FilterField
}

/**
 * Reads a value into a condition, or several that must all hold. `clock` reads local times. `other` is the value of the
 * parameter that must be given with it. Throws ValueError for a wrong value.
 */
export type Lookup = (value: string, clock: Clock, other?: string) => Asked | readonly Asked[]

/** A condition of a question, or its `latest`, which is no condition. */
export type Asked = Question['where'] | { readonly kind: 'latest' }

/** A parameter of a list. */
export interface FilterParameter extends Pick<FilterType, 'kind' | 'schema' | 'choices' | 'beside'> {
  readonly lookup: Lookup
  /** The empty text is a value. Otherwise it means that the filter is not set. */
  readonly takesEmpty: boolean
  /** True if the value is a comma list. The parameter may then be repeated. */
  readonly takesList: boolean
  /** A sentence about the rows that match. */
  readonly description: string
  /** Returns the schema of this lookup's value from `schema`. Arrays stand for comma lists. */
  readonly shape: (schema: Schema) => Schema
  readonly example: unknown
  /** Returns the parameters of the member in the name of a parameter. Null: it names none. Absent: there are none. */
  readonly members?: ((parameter: string) => FilterSet | null) | undefined
}

/** The parameters of a list by their names, `field` and `field__lookup`. */
export type FilterSet = ReadonlyMap<string, FilterParameter>

/** Returns a filter with one lookup. Its parameter has no lookup name. */
export const bare = (kind: string, schema: Schema, read: Lookup): FilterType => ({
  kind,
  schema,
  bare: 'exact',
  lookups: { exact: (value, clock, other) => read(checkText(value), clock, other) },
})

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
  own?.schema ?? (list === undefined ? schema : listOf(schema, ...list))

/** Returns the parameters of the member in the name of a parameter. */
const parametersOfMember = (
  field: string,
  named: NonNullable<FilterType['members']>,
  parameter: string,
): FilterSet | null => {
  const [, name = '', lookup] = parameter.split('__')
  const lacksName = lookup === undefined && (Object.hasOwn(LOOKUPS, name) || name === 'not')
  const member = lacksName ? null : named(name)
  return member && listFilters({ [`${field}__${name}`]: member })
}
