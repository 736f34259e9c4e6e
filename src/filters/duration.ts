import type { SQLWrapper } from 'drizzle-orm'
import { valueError } from '../errors.ts'
import type { Filter } from './filter.ts'
import { ordered } from './numbers.ts'
import { DAY, fractionOf, HOUR, MILLISECONDS, MINUTE, SECOND, TICKS } from './temporal.ts'

const CLOCK = `(?:(-?[0-9]+) (?:days?, )?)?(-?)(?:(?:([0-9]+):)?([0-9]+):)?([0-9]+)(?:[.,]([0-9]{1,100}))?`
const AMOUNT = `([0-9]+(?:[.,][0-9]{1,100})?)`
const ISO = `([+-]?)[Pp](?=.*[0-9])(?:${AMOUNT}[Dd])?(?:[Tt](?=[0-9])(?:${AMOUNT}[Hh])?(?:${AMOUNT}[Mm])?(?:${AMOUNT}[Ss])?)?`
const CLOCK_DURATION = new RegExp(`^${CLOCK}$`)
const ISO_DURATION = new RegExp(`^${ISO}$`)
const MAX_LENGTH = 200

const DURATION_SCHEMA = {
  type: 'string',
  pattern: `^(?:${CLOCK}|${ISO})$`,
  maxLength: MAX_LENGTH,
  description: 'A length of time, as [days ][[HH:]MM:]SS, or in ISO 8601 with days, hours, minutes and seconds.',
}

/** Returns a filter for a duration, `HH:MM:SS` or `PT<h>H<m>M`. The column has milliseconds. */
export const duration = (column: SQLWrapper): Filter =>
  ordered('duration', DURATION_SCHEMA, column, MILLISECONDS * TICKS, durationOf)

/**
 * Parses a duration into ticks. Accepts Django's form `[D ][[HH:]MM:]SS[.ffffff]`, with up to 100 decimal digits, and
 * ISO 8601 with days, hours, minutes and seconds. Throws ValueError for anything else, such as weeks, months and years.
 */
export const durationOf = (value: string): bigint => {
  const trimmed = value.trim()
  if (trimmed.length <= MAX_LENGTH) {
    const clock = CLOCK_DURATION.exec(trimmed)
    if (clock !== null) {
      const [, days, sign, hours, minutes, seconds, fraction] = clock
      const time =
        BigInt(hours ?? 0) * HOUR + BigInt(minutes ?? 0) * MINUTE + BigInt(seconds ?? 0) * SECOND + fractionOf(fraction)
      return BigInt(days ?? 0) * DAY + (sign === '-' ? -time : time)
    }
    const iso = ISO_DURATION.exec(trimmed)
    if (iso !== null) {
      const [, sign, ...amounts] = iso
      const total = [DAY, HOUR, MINUTE, SECOND].reduce((sum, unit, i) => sum + amount(amounts[i], unit), 0n)
      return sign === '-' ? -total : total
    }
  }
  throw valueError(['duration'])
}

const amount = (text: string | undefined, unit: bigint): bigint => {
  const [whole = '0', fraction] = (text ?? '0').split(/[.,]/)
  return BigInt(whole) * unit + (fractionOf(fraction) * unit) / SECOND
}
