import { ValueError } from '../errors.ts'

const HOUR = 3_600_000
/** The units of a distance from now, in milliseconds. */
const UNITS: Readonly<Record<string, number>> = { h: HOUR, d: 24 * HOUR, w: 7 * 24 * HOUR }
const SECOND = 1000

/** The pattern of a time relative to now. Five digits keep its year between 1 and 9999. */
export const RELATIVE_PATTERN = 'now([-+]\\d{1,5}[hdw])?'
/** A plus in an address arrives as a space. */
const RELATIVE = /^\s*now(?:([-+ ])(\d{1,5})([hdw]))?\s*$/
/** The characters between two instants: of a range, of an interval, and of repeated intervals under /ogc. */
const SEPARATORS = /([,/\n])/

/**
 * Replaces each time relative to now, such as now-7d, by its instant. `now` is in milliseconds since 1970. Instants have
 * whole seconds, rounded down, so that equal requests within a second share an answer.
 */
export const resolveTimes = (text: string, now: number): string =>
  text
    .split(SEPARATORS)
    .map((part) => {
      const [found, sign, amount = '0', unit = 'h'] = RELATIVE.exec(part) ?? []
      if (found === undefined) return part
      const distance = Number(amount) * (UNITS[unit] ?? Number.NaN) * (sign === '-' ? -1 : 1)
      return new Date(Math.floor(now / SECOND) * SECOND + distance).toISOString().replace('.000Z', 'Z')
    })
    .join('')

/** Throws a ValueError for a text that begins like a relative time. `resolveTimes` has replaced the correct ones. */
export const refuseRelative = (text: string): void => {
  if (/^\s*now/i.test(text))
    throw new ValueError(
      'Enter now, or now with a number of hours (h), days (d) or weeks (w), such as now-7d or now%2B12h (plus as %2B).',
    )
}
