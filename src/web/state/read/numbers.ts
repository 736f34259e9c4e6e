import { ONE_ATTRIBUTE } from '../../../formats/columns.ts'
import type { Field } from '../fields.ts'
import { decimalMark, formatValue } from '../format.ts'

/** The numbers that a filter takes. */
export interface Numbers {
  /** How many there may be. Null: any number of them, in a list. */
  readonly counts: readonly number[] | null
  /** `text`: the service compares texts. `whole`: they have no decimals. `degrees`: none reaches a thousand. */
  readonly are: 'any' | 'text' | 'whole' | 'degrees'
}

export const isList = (lookup: string): boolean => /^(in|range)(__|$)/.test(lookup)

export const ONE: Numbers = { counts: [1], are: 'any' }

/** Returns how many numbers a lookup takes. */
export const countsOf = (lookup: string): Numbers['counts'] => {
  if (lookup.startsWith('range')) return [2]
  return isList(lookup) ? null : [1]
}

/** Returns the numbers that a filter takes. Null if it takes none. A value or an attribute may be a text or a number. */
export const numbersOf = ({ name, kind }: Field, lookup: string): Numbers | null => {
  const counts = countsOf(lookup)
  if (/^(integer|reference)/.test(kind)) return { counts, are: 'whole' }
  if (kind === 'position') return { counts: [2], are: 'degrees' }
  if (kind === 'box') return { counts: [4, 6], are: 'degrees' }
  if (kind === 'metres' || kind === 'duration') return { counts, are: 'any' }
  if (name !== 'value' && kind !== 'attributes' && kind !== ONE_ATTRIBUTE) return null
  if (/^(lt|gt|range)/.test(lookup)) return { counts, are: 'any' }
  // A part of a text is no number: 1.234 is in 1.234,5.
  return /regex|contains|with/.test(lookup) ? null : { counts, are: 'text' }
}

/** Returns the pattern of numbers with these marks. Blanks and apostrophes may also stand between thousands. */
const written = (thousands: string, decimal: string) =>
  new RegExp(`^([-+−]?)(?=.?\\d)([1-9]\\d{0,2}(?:[${thousands}\\s'’]\\d{3})+|\\d*)(?:[${decimal}](\\d+))?$`)

const WITH_POINT = written(',', '.')
const WITH_COMMA = written('.', ',')
const IN_DEGREES = /^([-+−]?)(?=.?\d)(\d*)(?:[.,](\d+))?$/

const isDecimalComma = (): boolean => decimalMark() === ','

/**
 * Reads a number, and writes it as the service does: 1.234,5 becomes 1234.5. The language decides what a mark means, so
 * 1.000 is a thousand in Dutch, and one in English. A text that is no number in the language may have the marks of the
 * other one: 0.5 is a half in both. Null for other texts.
 */
export const readNumber = (text: string, are: Numbers['are'] = 'any'): string | null => {
  const [own, other] = isDecimalComma() ? [WITH_COMMA, WITH_POINT] : [WITH_POINT, WITH_COMMA]
  const [first, second] = are === 'degrees' ? [IN_DEGREES, IN_DEGREES] : [own, are === 'text' ? own : other]
  const found = first.exec(text.trim()) ?? second.exec(text.trim())
  if (found === null) return null
  const [, sign = '', whole = '', fraction] = found
  return `${sign.replace('−', '-')}${whole.replace(/\D/g, '')}${fraction === undefined ? '' : `.${fraction}`}`
}

/** What may stand between numbers, the clearest first. Degrees have no thousands, so a blank may stand between them. */
const BETWEEN = [/ *; */, /, +/, /,/]
const BETWEEN_DEGREES = [...BETWEEN.slice(0, 2), / +/, /,/]

/** Tests if a comma within a number of a list is its decimal mark. It otherwise separates numbers. */
const isCommaWithin = ({ are }: Numbers): boolean => isDecimalComma() && are !== 'whole'

/** Reads the numbers of a filter as a value for the service. Null if the text is something else. */
export const readNumbers = (text: string, form: Numbers): string | null => {
  const { counts, are } = form
  const mayBeAlone = counts !== null || isCommaWithin(form) || !text.includes(',')
  for (const separator of are === 'degrees' ? BETWEEN_DEGREES : BETWEEN) {
    const parts = text.split(separator)
    const fits = counts === null ? parts.length > 1 || mayBeAlone : counts.includes(parts.length)
    const numbers = parts.map((part) => readNumber(part, are))
    if (fits && !numbers.includes(null)) return numbers.join(',')
  }
  return null
}

/** A number with commas between its thousands. The second form cannot be two numbers: nobody writes 0 as 000. */
const THOUSANDS = /^[-+−]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/
const ONLY_THOUSANDS = /(?<![\d.,])[1-9]\d{0,2},0\d\d(?!\d)/

/**
 * Returns both readings of a list whose commas may stand between numbers or between thousands, such as 1,500. Null for
 * other texts.
 */
export const readingsOf = (text: string, form: Numbers): readonly [thousands: string, numbers: string] | null => {
  const { counts, are } = form
  const isClear = counts?.includes(1) || are === 'degrees' || /;|, /.test(text)
  if (isClear || (counts === null && isCommaWithin(form) && readNumber(text) !== null)) return null
  if (!ONLY_THOUSANDS.test(text) && !(counts === null && THOUSANDS.test(text))) return null
  const listed = (joined: string) => joined.replaceAll(',', '; ')
  return [listed(text.replace(/,(?=\d{3}(?!\d))/g, '')), listed(text)]
}

const STORED = /^[-+]?\d+(?:\.\d+)?$/

/** Writes the numbers of a filter with the decimal mark of the language. Other values stay. */
export const writeNumbers = (value: string, { counts }: Numbers): string => {
  const parts = counts?.includes(1) ? [value] : value.split(',').map((part) => part.trim())
  return parts.every((part) => STORED.test(part)) ? parts.map(formatValue).join('; ') : value
}
