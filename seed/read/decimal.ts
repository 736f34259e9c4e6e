import { parse } from 'csv-parse/sync'
import { NUMBER } from '../../src/formats/csv.ts'
import { LoadError } from '../load/error.ts'

/** What stands between the whole part of a number and its fraction. */
export type DecimalMark = '.' | ','

/** A number with a fraction behind a comma, such as `52,1`. */
const WITH_COMMA = /^[+-]?\d*,\d+([eE][+-]?\d+)?$/
/** How many rows are looked at to recognise the mark. */
const SAMPLE_ROWS = 1000

/** The mark that `--decimal` names. Throws LoadError for anything else. */
export function decimalMarkOf(name: string): DecimalMark {
  if (name === '.' || name === ',') return name
  throw new LoadError(`--decimal is ${JSON.stringify(name)}: put a comma or a point`)
}

/**
 * The mark in the first rows of a CSV file. It is a comma if the columns at `places` have numbers with commas and none with
 * a point. In a file with commas between its columns it is a point.
 */
export function recogniseDecimalMark(head: string, delimiter: string, places: readonly number[]): DecimalMark {
  if (delimiter === ',') return '.'
  const wholeRows = head.slice(0, head.lastIndexOf('\n') + 1) || head
  const options = { bom: true, delimiter, relax_column_count: true, skip_records_with_error: true, to: SAMPLE_ROWS }
  const rows: string[][] = parse(wholeRows, options)
  const numbers = rows.slice(1).flatMap((cells) => places.map((place) => (cells[place] ?? '').trim()))
  return numbers.some((text) => WITH_COMMA.test(text)) && !numbers.some((text) => text.includes('.')) ? ',' : '.'
}

/** The cell with a point for its comma, if it is a number in this notation. Anything else is returned as it is. */
export const withPoint = (cell: string, mark: DecimalMark): string =>
  mark === ',' && WITH_COMMA.test(cell.trim()) ? cell.trim().replace(',', '.') : cell

/** Reads the number in a cell. Returns the cell itself if it is no number in this notation. */
export const numberIn = (cell: string, mark: DecimalMark): string | number => {
  if (mark === ',' && cell.includes('.')) return cell
  const text = withPoint(cell, mark).trim()
  return NUMBER.test(text) ? Number(text) : cell
}

/** What to say about values that are numbers in the other notation. Empty if there are none. */
export function decimalHint(values: readonly unknown[]): string {
  const texts = values.filter((value) => typeof value === 'string').map((text) => text.trim())
  if (texts.some((text) => WITH_COMMA.test(text))) return '; for decimal commas say --decimal ,'
  if (texts.some((text) => NUMBER.test(text))) return '; for decimal points say --decimal .'
  return ''
}
