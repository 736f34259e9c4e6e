import { parse } from 'csv-parse/sync'
import { NUMBER } from '../../src/formats/csv.ts'
import type { DecimalMark } from '../../src/formats/locale.ts'
import { optionError } from '../load/error.ts'

/** A number with a decimal comma, such as `52,1`. */
const WITH_COMMA = /^[+-]?\d*,\d+([eE][+-]?\d+)?$/
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
  usual: DecimalMark = '.',
): DecimalMark {
  if (delimiter === ',') return '.'
  const wholeRows = head.slice(0, head.lastIndexOf('\n') + 1) || head
  const options = { bom: true, delimiter, relax_column_count: true, skip_records_with_error: true, to: SAMPLE_ROWS }
  const rows: string[][] = parse(wholeRows, options)
  const numbers = rows
    .slice(1)
    .flatMap((cells) => cells.filter((_, place) => places.includes(place)).map((cell) => cell.trim()))
  if (numbers.some((text) => text.includes('.'))) return '.'
  return numbers.some((text) => WITH_COMMA.test(text)) ? ',' : usual
}

/** Replaces the comma in a number by a point. Returns any other cell unchanged. */
export const withPoint = (cell: string, mark: DecimalMark): string =>
  mark === ',' && WITH_COMMA.test(cell.trim()) ? cell.trim().replace(',', '.') : cell

/** Reads the number in a cell. Returns the cell if it is not a number with this mark. */
export const numberIn = (cell: string, mark: DecimalMark): string | number => {
  if (mark === ',' && cell.includes('.')) return cell
  const text = withPoint(cell, mark).trim()
  return NUMBER.test(text) ? Number(text) : cell
}

/** Returns a hint for numbers with the other mark. It is empty if there are none. */
export function decimalHint(values: readonly unknown[]): string {
  const texts = values.filter((value) => typeof value === 'string').map((text) => text.trim())
  if (texts.some((text) => WITH_COMMA.test(text))) return '; for decimal commas use --decimal ,'
  if (texts.some((text) => NUMBER.test(text))) return '; for decimal points use --decimal .'
  return ''
}
