import type { DecimalMark } from '../../src/formats/csv.ts'
import { NUMBER_FORM } from '../../src/formats/csv.ts'
import { optionError } from '../load/error.ts'
import type { TableRow } from './header.ts'

/** A number that is no code: `007`, `+31` and `5.` are none. */
const PLAIN = /^([+-]?(0|[1-9]\d*)?\.\d+|-?(0|[1-9]\d*))([eE][+-]?\d+)?$/

/** The options for numbers. */
export interface NumberOptions {
  /** The decimal mark of numbers. It is a comma or a point. Absent: it is recognised. */
  readonly decimal?: string | undefined
  /** The mark between groups of three digits. Absent: a number has none. */
  readonly thousands?: string | undefined
}

/** How numbers are written in a file. */
export interface NumberForm {
  readonly decimal: DecimalMark
  /** A number with groups of three digits. Null: no number has them. */
  readonly grouped: RegExp | null
}

const GROUPS: Readonly<Record<string, string>> = { '.': '\\.', ',': ',', "'": "['’]", ' ': '[ \u00a0\u202f]' }

/** Returns the form of numbers that options name. `usual` finds the decimal mark without them. Throws LoadError for others. */
export function numberForm({ decimal, thousands }: NumberOptions, usual: () => DecimalMark): NumberForm {
  if (decimal !== undefined && decimal !== '.' && decimal !== ',')
    throw optionError('--decimal', decimal, 'enter a comma or a point')
  if (thousands === undefined) return { decimal: decimal ?? usual(), grouped: null }
  const group = GROUPS[thousands]
  if (group === undefined || thousands === decimal)
    throw optionError(
      '--thousands',
      thousands,
      'enter a point, a comma, an apostrophe or a space that differs from --decimal',
    )
  const opposite = { '.': ',', ',': '.' } as const
  const mark = decimal ?? (thousands === '.' || thousands === ',' ? opposite[thousands] : usual())
  return { decimal: mark, grouped: new RegExp(`^[+-]?\\d{1,3}(${group}\\d{3})+([${mark}]\\d+)?$`) }
}

/**
 * Recognises the decimal mark of a text from the first rows. It is a comma if the columns at `places` have decimal commas
 * and no points. It is a point if they have points, or if commas separate the columns. Otherwise it is `usual`.
 */
export function recogniseDecimalMark(
  sample: readonly TableRow[],
  delimiter: string,
  places: readonly number[],
  usual: DecimalMark,
): DecimalMark {
  if (delimiter === ',') return '.'
  const numbers = sample.flatMap(({ cells }) => places.map((place) => String(cells[place] ?? '')))
  if (numbers.some((text) => text.includes('.'))) return '.'
  return numbers.some(hasComma) ? ',' : usual
}

/** Returns the number that a whole cell is, with a decimal point. Null: it is no number in this form. */
export function numberIn(cell: string, { decimal, grouped }: NumberForm): string | null {
  const trimmed = cell.trim().replaceAll('\u2212', '-') // the minus sign, which several languages write
  const text = grouped?.test(trimmed) ? trimmed.replace(decimal === ',' ? /[^\d,+-]/g : /[^\d.+-]/g, '') : trimmed
  if (decimal === ',' && text.includes('.')) return null
  const number = text.replace(decimal, '.')
  return NUMBER_FORM.test(number) ? number : null
}

/** Returns the number that a whole cell of any content is, with a decimal point. Null: it is a text or a code. */
export function plainNumberIn(cell: string, form: NumberForm): string | null {
  const number = numberIn(cell, form)
  return number !== null && PLAIN.test(number) ? number : null
}

export const POINTS: NumberForm = { decimal: '.', grouped: null }
const COMMAS: NumberForm = { decimal: ',', grouped: null }

const hasComma = (text: string): boolean => text.includes(',') && plainNumberIn(text, COMMAS) !== null
const hasPoint = (text: string): boolean => text.includes('.') && plainNumberIn(text, POINTS) !== null

/** A number that surely has groups of digits: it has a decimal mark, too, or several groups. */
const GROUPED = /^-?\d{1,3}((\.\d{3})+,\d+|(,\d{3})+\.\d+|([.,'’ \u00a0\u202f])\d{3}(\4\d{3})+)$/

/** Returns a hint for numbers with other marks. It is empty if there are none. `isOther`: no text is a number in the file. */
export function decimalHint(values: readonly unknown[], isOther = true): string {
  const texts = values.filter((value) => typeof value === 'string')
  const grouped = texts.find((text) => GROUPED.test(text))
  if (grouped !== undefined) {
    const mark = /[^\d-]/.exec(grouped)?.[0].replace('’', "'").replace(/\s/, ' ') ?? ''
    return `; for numbers such as ${grouped} use --thousands ${/[ ']/.test(mark) ? `"${mark}"` : mark}`
  }
  const either = texts.find((text) => /^-?\d{1,3}[.,]\d{3}$/.test(text))
  if (
    isOther &&
    either !== undefined &&
    texts.every((text) => !/[.,]/.test(text) || /^-?\d{1,3}([.,]\d{3})+$/.test(text))
  )
    return `; for numbers such as ${either} use --thousands ${/[.,]/.exec(either)?.[0]} or --decimal ${/[.,]/.exec(either)?.[0]}`
  if (isOther && texts.some(hasComma)) return '; for decimal commas use --decimal ,'
  if (isOther && texts.some(hasPoint)) return '; for decimal points use --decimal .'
  return ''
}
