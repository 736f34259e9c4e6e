import { ValueError } from '../errors.ts'
import { type FilterSet, textOf } from '../filters/filter.ts'
import { type Mistakes, mistake, noMistakes, refuseMistakes } from '../mistakes.ts'
import type { Parameter } from './query.ts'
import { suggestionFor } from './suggestion.ts'

/** The parameters of a request, each once, and what is wrong with them: up to a hundred mistakes are told in one answer. */
export interface Values {
  readonly bytes: ReadonlyMap<string, Uint8Array>
  readonly mistakes: Mistakes
}

/** The names of the parameters that an address takes. `lists` are the comma lists among them. */
export interface Known {
  readonly names: readonly string[]
  readonly lists: ReadonlySet<string>
}

/** Adds the filters of a list to other parameters. `lists` names the comma lists among these. */
export const knownOf = (
  names: readonly string[],
  filters: FilterSet = new Map(),
  lists: readonly string[] = [],
): Known => ({
  names: [...names, ...filters.keys()],
  lists: new Set([...lists, ...[...filters].flatMap(([name, { takesList }]) => (takesList ? [name] : []))]),
})

export const NO_PARAMETERS: Known = knownOf([])

/**
 * Reads the values of parameters. A repeated comma list is one list, in the order sent. Any other repeated parameter and
 * an unknown one are faults, unless `lenient` passes over them (RFC 7240): then the last value counts.
 */
export const valuesOf = (parameters: readonly Parameter[], { names, lists }: Known, lenient: boolean): Values => {
  const mistakes = noMistakes()
  const given = Map.groupBy(parameters, ({ name }) => name)
  if (!lenient)
    for (const [name, { length }] of given) {
      if (!names.includes(name)) mistake(mistakes, name, unknown(name, names))
      else if (length > 1 && !lists.has(name)) mistake(mistakes, name, 'Given more than once. Give it once.')
    }
  const values = Array.from(given, ([name, all]) => [name, lists.has(name) ? joined(all) : last(all)] as const)
  return { bytes: new Map(values), mistakes }
}

const last = (all: readonly Parameter[]): Uint8Array => all.at(-1)?.bytes ?? NONE

/** The values of a repeated comma list as one. An empty value adds nothing. */
const joined = (all: readonly Parameter[]): Uint8Array => {
  const values = all.flatMap(({ bytes }) => (bytes.length > 0 ? [bytes] : []))
  const list = new Uint8Array(
    Math.max(
      0,
      values.reduce((sum, { length }) => sum + length + 1, -1),
    ),
  )
  let end = 0
  for (const value of values) {
    if (end > 0) list[end++] = COMMA
    list.set(value, end)
    end += value.length
  }
  return list
}

const NONE = new Uint8Array()
const COMMA = 0x2c

/** The value of a parameter as `parse` reads it; where it is not given, empty or faulty, what stands otherwise. */
export const read = <T>(values: Values, name: string, parse: (text: string) => T, otherwise: T): T => {
  const bytes = values.bytes.get(name)
  if (bytes === undefined || bytes.length === 0) return otherwise
  return attempt(values, name, () => parse(textOf(bytes)), otherwise)
}

/** Reads a whole number within limits. */
export const wholeNumber = (least: number, most: number) => (text: string) => {
  const number = /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : Number.NaN
  if (number >= least && number <= most) return number
  throw new ValueError(`Enter a whole number from ${least} to ${most}.`)
}

/** Makes a ValueError a fault of a parameter. */
export const attempt = <T>({ mistakes }: Values, name: string, parse: () => T, otherwise: T): T => {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof ValueError)) throw error
    mistake(mistakes, name, error.message)
    return otherwise
  }
}

/** Throws a 400 that names every faulty parameter. */
export const refuseFaults = ({ mistakes }: Values): void => refuseMistakes(mistakes)

const unknown = (name: string, known: readonly string[]): string => {
  const suggestion = name.length > 100 ? null : suggestionFor(name, known)
  return suggestion === null ? 'Unknown parameter.' : `Unknown parameter. ${suggestion}`
}
