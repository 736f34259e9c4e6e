import { ValueError } from '../errors.ts'
import { textOf } from '../filters/filter.ts'
import { type Mistakes, mistake, noMistakes, refuseMistakes } from '../mistakes.ts'
import { nearest } from './nearest.ts'
import type { Parameter } from './query.ts'

/** The parameters of a request, each once, and what is wrong with them: up to a hundred mistakes are told in one answer. */
export interface Values {
  readonly bytes: ReadonlyMap<string, Uint8Array>
  readonly mistakes: Mistakes
}

/**
 * The values of parameters. Unknown and repeated ones are faults, unless `lenient` passes over them (RFC 7240): then the
 * last counts.
 */
export const valuesOf = (parameters: readonly Parameter[], known: readonly string[], lenient: boolean): Values => {
  const mistakes = noMistakes()
  const values = new Map<string, Uint8Array>()
  const repeated = new Set<string>()
  for (const { name, bytes } of parameters) {
    if (values.has(name)) repeated.add(name)
    else if (!lenient && !known.includes(name)) mistake(mistakes, name, unknown(name, known))
    values.set(name, bytes)
  }
  for (const name of lenient ? [] : repeated)
    if (known.includes(name)) mistake(mistakes, name, 'Given more than once. Give it once.')
  return { bytes: values, mistakes }
}

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
  const suggestion = nearest(name, known)
  return `Unknown parameter.${suggestion === null ? '' : ` Did you mean ${suggestion}?`}`
}
