import { ValueError } from '../errors.ts'

/** A number at the beginning of a text, and the rest. Its digits are ASCII. */
const NUMBER = /^\s*([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)(.*)$/is

/** Returns the double at the beginning of a text, and the rest. Null without a number, or if it is beyond a double. */
const split = (text: string): readonly [number: number, rest: string] | null => {
  const [, digits, rest = ''] = NUMBER.exec(text) ?? []
  const number = Number(digits ?? Number.NaN)
  return Number.isFinite(number) ? [number + 0, rest] : null // + 0, because JSON has no -0
}

/**
 * Returns the number at the beginning of a text: `0.4 m` is 0.4. Leading blanks, `.5`, `+3` and `1e3` count. Returns null
 * for other texts, for a decimal comma as in `1,5`, and for numbers beyond a double.
 */
export const leadingNumber = (text: string): number | null => {
  const [number = null, rest = ''] = split(text) ?? []
  return /^,\d/.test(rest) ? null : number
}

/** The most characters of a number in a parameter. No pattern reads a longer text. */
export const MAX_NUMBER = 1000

/** Reads a text that is only a number. Returns null for others. */
export const wholeNumber = (text: string): number | null => {
  if (text.length > MAX_NUMBER) return null
  const [number = null, rest = ''] = split(text) ?? []
  return rest.trim() === '' ? number : null
}

/** Reads a text that is only a number. Throws ValueError for others. */
export const numberOf = (text: string): number => {
  const number = wholeNumber(text)
  if (number === null) throw new ValueError('Enter a number, such as 0.4.')
  return number
}
