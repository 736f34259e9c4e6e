import { type Faults, invalidParameters, ValueError } from '../errors.ts'
import { textOf } from '../filters/filter.ts'
import { nearest } from './nearest.ts'
import type { Parameter } from './query.ts'

/** The parameters of a request, each once, and what is wrong with them: all is told in one answer. */
export interface Values {
  readonly bytes: ReadonlyMap<string, Uint8Array>
  readonly faults: Faults
}

/**
 * The values of parameters. Unknown and repeated ones are faults, unless `lenient` passes over them (RFC 7240): then the
 * last counts.
 */
export const valuesOf = (parameters: readonly Parameter[], known: readonly string[], lenient: boolean): Values => {
  // No prototype: `__proto__` is a parameter like any other.
  const faults: Faults = Object.create(null)
  const values = new Map<string, Uint8Array>()
  for (const { name, bytes } of parameters) {
    if (!lenient && !known.includes(name)) faults[name] = [unknown(name, known)]
    else if (!lenient && values.has(name)) faults[name] = ['Given more than once. Give it once.']
    values.set(name, bytes)
  }
  return { bytes: values, faults }
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
export const attempt = <T>({ faults }: Values, name: string, parse: () => T, otherwise: T): T => {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof ValueError)) throw error
    faults[name] = [...(faults[name] ?? []), error.message]
    return otherwise
  }
}

/** Throws a 400 that names every faulty parameter. */
export const refuseFaults = ({ faults }: Values): void => {
  if (Object.keys(faults).length > 0) throw invalidParameters(faults)
}

const unknown = (name: string, known: readonly string[]): string => {
  const suggestion = nearest(name, known)
  return `Unknown parameter.${suggestion === null ? '' : ` Did you mean ${suggestion}?`}`
}
