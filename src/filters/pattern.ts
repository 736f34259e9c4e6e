import { RE2JS } from 're2js'
import { ValueError } from '../errors.ts'

const MAX_PATTERN = 200

/**
 * The maximum number of instructions in a compiled expression. Each may run on each character of each text. `.{0,500}`
 * has 1,001.
 */
const MAX_PROGRAM = 2000

/** Compiles a regular expression. Throws ValueError if its syntax is wrong or it is too large. */
export const pattern = (expression: string, flags: number): RE2JS => {
  if (expression.length > MAX_PATTERN)
    throw new ValueError(`Enter a regular expression of at most ${MAX_PATTERN} characters.`)
  const compiled = compile(expression, flags)
  if (compiled.programSize() > MAX_PROGRAM)
    throw new ValueError('This expression is too large. Enter smaller repetition counts, such as {0,100}.')
  return compiled
}

const compile = (expression: string, flags: number): RE2JS => {
  try {
    return RE2JS.compile(expression, flags)
  } catch {
    throw new ValueError(
      'Enter a regular expression in RE2 syntax, such as ^tropical (storm|depression)$. RE2 has no back references and no look-around.',
    )
  }
}
