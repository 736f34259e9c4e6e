import { parse } from 'csv-parse/sync'
import type { DecimalMark } from '../../src/formats/csv.ts'
import { NUMBER } from '../../src/formats/csv.ts'
import { optionError } from '../load/error.ts'

/** A number that is no code: `007`, `+31` and `5.` are none. */
const PLAIN = /^([+-]?(0|[1-9]\d*)?\.\d+|-?(0|[1-9]\d*))([eE][+-]?\d+)?$/
const SAMPLE_ROWS = 1000

/** Returns the mark that `--decimal` names. Throws LoadError for anything else. */
export function decimalMarkOf(name: string): DecimalMark {
  if (name === '.' || name === ',') return name
  throw optionError('--decimal', name, 'enter a comma or a point')
}

/**
 * Recognises the mark from the first rows of a CSV file. It is a comma if the columns at `places` have decimal commas
 * and no points. It is a point if they have points, or if commas separate the columns. Otherwise it is `usual`.
 */
export function recogniseDecimalMark(
  head: string,
  delimiter: string,
  places: readonly number[],
  usual: DecimalMark,
): DecimalMark {
  if (delimiter === ',') return '.'
  const wholeRows = head.slice(0, head.lastIndexOf('\n') + 1) || head
  const options = { bom: true, delimiter, relax_column_count: true, skip_records_with_error: true, to: SAMPLE_ROWS }
  const rows: string[][] = parse(wholeRows, options)
  const numbers = rows.slice(1).flatMap((cells) => places.map((place) => cells[place] ?? ''))
  if (numbers.some((text) => text.includes('.'))) return '.'
  return numbers.some(hasComma) ? ',' : usual
}

/** Returns the number that a whole cell is, with a decimal point. Null: it is no number with this mark. */
export function numberIn(cell: string, mark: DecimalMark): string | null {
  if (mark === ',' && cell.includes('.')) return null
  const number = cell.trim().replace(mark, '.')
  return NUMBER.test(number) ? number : null
}

/** Returns the number that a whole cell of any content is, with a decimal point. Null: it is a text or a code. */
export function plainNumberIn(cell: string, mark: DecimalMark): string | null {
  const number = numberIn(cell, mark)
  return number !== null && PLAIN.test(number) ? number : null
}

const hasComma = (text: string): boolean => text.includes(',') && plainNumberIn(text, ',') !== null

/** Returns a hint for numbers with the other mark. It is empty if there are none. */
export function decimalHint(values: readonly unknown[]): string {
  const texts = values.filter((value) => typeof value === 'string')
  if (texts.some(hasComma)) return '; for decimal commas use --decimal ,'
  if (texts.some((text) => plainNumberIn(text, '.') !== null)) return '; for decimal points use --decimal .'
  return ''
}
