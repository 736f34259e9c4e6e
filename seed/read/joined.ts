import { clockIn, datesBeside, dayIn, hasClock } from './dates.ts'
import { isUsualDate } from './formats.ts'
import { HOURS, Joined, type TimeOptions } from './time.ts'

const DATE_NAME = /date|datum|yymmdd/i
const TIME_NAME = /time|tijd|hour|uur|^hh$/i
/** Names of one column that the date or the time of day alone may have. */
const WEAK: readonly (string | undefined)[] = [undefined, 'date', 'time', 'datum', 'tijd']

/** Returns the names in the value of an option such as `--start DATE+TIME`. */
export const namesIn = (option: string): readonly string[] => option.split('+').map((name) => name.trim())

/** Joins the texts of one time in several columns. Null: all are empty. */
export const joinedOf = (values: readonly unknown[], names: readonly string[]): Joined | null => {
  const texts = values.map((value) => String(value ?? ''))
  return texts.every((text) => text.trim() === '') ? null : new Joined(texts, names)
}

/**
 * Finds the one column of dates and the one column of times of day, if the name of the start is not clear. `usual` is the
 * usual name that a column has. `valuesOf` returns some values of a column. Returns null if the names or the values leave a doubt.
 */
export function dateAndTime(
  names: readonly string[],
  usual: string | undefined,
  valuesOf: (place: number) => readonly unknown[],
  { format, century }: TimeOptions = {},
): readonly [date: number, time: number] | null {
  if (!WEAK.includes(usual?.toLowerCase()) || (format !== undefined && hasClock(format))) return null
  const readDay = format === undefined ? dayIn : datesBeside(format, century)
  const areDays = (texts: readonly string[]) =>
    texts.every((text) => readDay(text) !== null) || (format === undefined && texts.every(isUsualDate))
  const areClocks = (texts: readonly string[], name: string) =>
    texts.every((text) => clockIn(text, HOURS.test(name)) !== null)
  const date = onlyPlace(names, DATE_NAME, TIME_NAME, valuesOf, areDays)
  const time = onlyPlace(names, TIME_NAME, DATE_NAME, valuesOf, areClocks)
  return date === null || time === null ? null : [date, time]
}

/** Returns the place of the only column with such a name and such values. */
function onlyPlace(
  names: readonly string[],
  own: RegExp,
  other: RegExp,
  valuesOf: (place: number) => readonly unknown[],
  test: (texts: readonly string[], name: string) => boolean,
): number | null {
  const fitting = [...names.entries()].filter(([place, name]) => {
    if (!own.test(name) || other.test(name)) return false
    const texts = valuesOf(place).map((value) => String(value ?? '').trim())
    const filled = texts.filter((text) => text !== '')
    return filled.length > 0 && test(filled, name)
  })
  return fitting.length === 1 ? (fitting[0]?.[0] ?? null) : null
}
