import { type Mistakes, mistake, noMistakes, refuseMistakes, ValueError, valueError } from '../errors.ts'
import type { FilterParameter, FilterSet } from '../filters/filter.ts'
import { decodeText } from '../filters/lookups.ts'
import { resolveTimes } from '../filters/temporal.ts'
import type { Parameter } from './query.ts'
import { suggestionFor } from './suggestion.ts'

/** The values of parameters by name, and the mistakes in them. One answer names up to a hundred mistakes. */
export interface Values {
  readonly bytes: ReadonlyMap<string, Uint8Array>
  readonly mistakes: Mistakes
}

/**
 * The names of the parameters that an address takes. The parameters in `lists` and some of `filters` take a comma list. The
 * parameters in `times` take instants, also relative to now.
 */
export interface Known {
  readonly names: readonly string[]
  readonly filters: FilterSet
  readonly lists: readonly string[]
  readonly times: ReadonlySet<string>
}

/** The kinds of filters that take instants. */
const TIMES: readonly string[] = ['instant', 'interval']

/** Adds the filters of a list to `names`. The names in `lists` take a comma list. */
export const knownOf = (
  names: readonly string[],
  filters: FilterSet = new Map(),
  lists: readonly string[] = [],
): Known => ({
  names: [...names, ...filters.keys()],
  filters,
  lists,
  times: new Set([...filters].flatMap(([name, { kind }]) => (TIMES.includes(kind) ? [name] : []))),
})

/** Returns the parameters of the members of a filter: of `attributes` for the name `attributes__mag__gte`. */
const membersFor = (filters: FilterSet, name: string): FilterParameter['members'] =>
  filters.get(name.slice(0, Math.max(0, name.indexOf('__'))))?.members

/** Returns the parameter with a name. It may be a parameter of a member. */
export const parameterIn = (filters: FilterSet, name: string): FilterParameter | undefined =>
  filters.get(name) ?? membersFor(filters, name)?.(name)?.get(name)

export const NO_PARAMETERS = knownOf([])

/** The parameters of a request, with instants in place of times that are relative to now. */
export interface Moment {
  readonly parameters: readonly Parameter[]
  /** The parameters that the addresses of other pages carry. */
  readonly linked: readonly Parameter[]
  readonly isRelative: boolean
}

/**
 * Replaces the times relative to `now` in an address and in a posted body. Links carry the instants of both. There they
 * replace the times of the body, so that a client can post one body for several pages.
 */
export const momentOf = (
  { times }: Known,
  inUrl: readonly Parameter[],
  inBody: readonly Parameter[],
  now: number,
): Moment => {
  const resolved = (given: Parameter): Parameter => {
    if (!times.has(given.name)) return given
    const text = new TextDecoder().decode(given.bytes)
    const instants = resolveTimes(text, now)
    return instants === text ? given : { ...given, bytes: new TextEncoder().encode(instants) }
  }
  const isRelative = (given: Parameter) => resolved(given) !== given
  const relative = new Set(inBody.filter(isRelative).map(({ name }) => name))
  const isMoved = ({ name }: Parameter) => relative.has(name) && !inUrl.some((other) => other.name === name)
  const linked = [...inUrl, ...inBody.filter(isMoved)].map(resolved)
  return {
    parameters: [...linked, ...inBody.filter(({ name }) => !relative.has(name))],
    linked,
    isRelative: inUrl.some(isRelative) || inBody.some(isMoved),
  }
}

/**
 * Reads the values of parameters. It joins repeated comma lists in order. Other repeated parameters are mistakes, and
 * unknown ones too. A filter that disappears would select too much.
 */
export const valuesOf = (parameters: readonly Parameter[], known: Known): Values => {
  const { names, filters, lists } = known
  const mistakes = noMistakes()
  const given = Map.groupBy(parameters, ({ name }) => name)
  const takesList = (name: string) => lists.includes(name) || parameterIn(filters, name)?.takesList === true
  for (const [name, { length }] of given) {
    const isKnown = names.includes(name) || parameterIn(filters, name) !== undefined
    if (!isKnown) mistake(mistakes, name, unknown(name, known))
    if (isKnown && length > 1 && !takesList(name)) mistake(mistakes, name, valueError(['repeated']))
  }
  const values = Array.from(given, ([name, all]) => [name, takesList(name) ? joined(all) : last(all)] as const)
  return { bytes: new Map(values), mistakes }
}

const last = (all: readonly Parameter[]): Uint8Array => all.at(-1)?.bytes ?? new Uint8Array()

/** Joins the values of a repeated comma list. An empty value adds nothing. */
const joined = (all: readonly Parameter[]): Uint8Array => {
  const values = all.flatMap(({ bytes }) => (bytes.length > 0 ? [bytes] : []))
  const list = new Uint8Array(values.reduce((sum, { length }) => sum + length + 1, 0))
  let end = 0
  for (const value of values) {
    list.set(value, end)
    end += value.length
    list[end++] = COMMA
  }
  return list.subarray(0, -1)
}

const COMMA = 0x2c

/** Reads a parameter with `parse`. Returns `otherwise` if the parameter is absent, empty or faulty. */
export const read = <T>(values: Values, name: string, parse: (text: string) => T, otherwise: T): T => {
  const bytes = values.bytes.get(name)
  if (bytes === undefined || bytes.length === 0) return otherwise
  return attempt(values, name, () => parse(decodeText(bytes)), otherwise)
}

/** Reads a whole number within limits. */
export const wholeNumber = (least: number, most: number) => (text: string) => {
  const number = /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : Number.NaN
  if (number >= least && number <= most) return number
  throw valueError(['integerBetween', least, most])
}

/** Runs `parse`, and notes a ValueError as a mistake of the parameter. */
export const attempt = <T>({ mistakes }: Values, name: string, parse: () => T, otherwise: T): T => {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof ValueError)) throw error
    mistake(mistakes, name, error)
    return otherwise
  }
}

/** Throws a 400 that names every faulty parameter. */
export const refuseFaults = ({ mistakes }: Values): void => refuseMistakes(mistakes)

const unknown = (name: string, { names, filters }: Known): ValueError => {
  if (membersFor(filters, name) !== undefined) return valueError(['unknown'], ['attribute'])
  const suggestion = name.length > 100 ? null : suggestionFor(name, names)
  return suggestion === null ? valueError(['unknown']) : valueError(['unknown'], suggestion)
}

/** Returns the text of a parameter. It is empty if the parameter is absent. */
export const textIn = ({ bytes }: Values, name: string): string =>
  new TextDecoder().decode(bytes.get(name) ?? new Uint8Array())
