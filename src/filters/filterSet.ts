import { Column, is, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import {
  type Condition,
  entries,
  type Filter,
  type FilterField,
  type FilterParameter,
  type FilterSet,
} from './filter.ts'
import { LOOKUPS, type LookupName, listSchema, MEANINGS, type Meaning, type Schema } from './lookups.ts'
import { all, gapsOf, inRanges } from './sql.ts'

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
        lookup: (value) => complementOf([filter.lookup(value)].flat()),
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

/**
 * Returns the condition for the rows that do not meet all of these conditions. If each row has an entry, or a value, it
 * selects the other entries or ranges, because they have stored counts.
 */
const complementOf = (of: readonly Condition[]): Condition => {
  const [only, ...others] = of
  const rest = others.length === 0 && only !== undefined ? othersThan(only) : null
  return rest ?? { kind: 'sql', sql: sql`(${all(of.map(testOf))}) IS NOT TRUE` }
}

/** An expression is never null if none of its columns is. */
const isNeverNull = (value: SQLWrapper): boolean => {
  const columns = is(value, Column) ? [value] : value.getSQL().queryChunks.filter((chunk) => is(chunk, Column))
  return columns.length > 0 && columns.every(({ notNull }) => notNull)
}

/** The most gaps that become ranges. Each is an OR, and D1 limits an expression to 100 levels. */
const MAX_GAPS = 10

/** Returns the condition for the other entries or values. Returns null if a row may have none, or for too many gaps. */
const othersThan = (condition: Condition): Condition | null => {
  if (condition.kind === 'range' && isNeverNull(condition.column)) {
    const extents = gapsOf(condition.extents)
    return extents.length > MAX_GAPS ? null : { ...condition, extents }
  }
  if (condition.kind !== 'entries' || typeof condition.match === 'function') return null
  const { dictionary, match } = condition
  if (dictionary.key === dictionary.id || !isNeverNull(dictionary.key)) return null
  return entries(dictionary, sql`(${match}) IS NOT TRUE`)
}

/** Writes a condition as SQL for one row. It is null if a column is null. */
const testOf = (condition: Condition): SQL => {
  if (condition.kind === 'sql') return condition.sql
  if (condition.kind === 'range') return inRanges(condition.column, condition.extents)
  if (condition.kind !== 'entries' || typeof condition.match === 'function')
    throw new RangeError(`A condition of the kind ${condition.kind} has no complement.`)
  const { dictionary, match } = condition
  const { key, id, table } = dictionary
  return key === id ? match : sql`${key} IN (SELECT ${id} FROM ${table} WHERE ${match})`
}
