import { RE2JS } from 're2js'
import { boundedMap } from '../base/collections.ts'
import { orUndefined, valueError } from '../base/errors.ts'
import { countSteps } from '../base/work.ts'

const MAX_PATTERN = 200
/**
 * The maximum number of instructions in a compiled expression. Each may run on each character of a text, for 30 ns. So
 * the longest text takes at most 0.3 seconds. `.{0,100}` has 201.
 */
const MAX_PROGRAM = 1000

/** The most characters in the ranges of an expression. RE2JS folds each when it compiles, in 35 ns. */
const MAX_IN_RANGES = 1_000_000
/** RE2JS folds no characters after this one. */
const LAST_FOLDED = 0x1e943
/** A range such as `a-z`. A code of `\x{...}` may stand for each end. */
const RANGE = /(?<=\\x\{([\da-f]+)\}|(.))-(?=\\x\{([\da-f]+)\}|(.))/gisu

/** Returns the number of characters in the ranges of an expression. A hyphen outside of brackets counts as a range, too. */
const charactersInRanges = (expression: string): number => {
  const placeOf = (code: string | undefined, character = '') =>
    Math.min(LAST_FOLDED, (code === undefined ? character.codePointAt(0) : Number.parseInt(code, 16)) ?? 0)
  const sizes = Array.from(expression.matchAll(RANGE), ([, firstCode, first, lastCode, last]) =>
    Math.max(0, placeOf(lastCode, last) - placeOf(firstCode, first)),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** Returns the units of work to compile an expression. It compiles none that is too long. */
export const unitsToCompile = (expression: string): number =>
  expression.length > MAX_PATTERN ? 0 : 1000 + charactersInRanges(expression) / 40

/** The last expressions. A request compiles one when it reads it, and its engine takes it from here. */
const compiled = boundedMap<RE2JS>(16)

/** Compiles a regular expression. Throws ValueError if its syntax is wrong or it is too large. */
export const compile = (expression: string, ignoreCase: boolean): RE2JS => {
  if (expression.length > MAX_PATTERN) throw valueError(['longPattern', MAX_PATTERN])
  if (charactersInRanges(expression) > MAX_IN_RANGES) throw valueError(['largeRanges'])
  const key = `${ignoreCase} ${expression}`
  const flags = ignoreCase ? RE2JS.CASE_INSENSITIVE : 0
  const program = compiled.get(key) ?? orUndefined(() => RE2JS.compile(expression, flags))
  if (program === undefined) throw valueError(['pattern'])
  if (program.programSize() > MAX_PROGRAM) throw valueError(['largePattern'])
  compiled.set(key, program, 1)
  return program
}

/** Returns the test of a regular expression. */
export const patternOf = (pattern: string, ignoreCase: boolean): ((text: string) => boolean) => {
  const program = compile(pattern, ignoreCase)
  const size = program.programSize()
  // A test for the places of the match would take 400 times as long, because it has no automaton.
  return (text) => {
    countSteps(size, text.length)
    return program.test(text)
  }
}
