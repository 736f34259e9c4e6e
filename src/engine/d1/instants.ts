import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { BEFORE_1970, KEY_LENGTH, SECOND, SECOND_LENGTH } from '../../question/range.ts'
import { integer, letter } from './sql.ts'

/** Writes the key of an instant (`keyOfInstant`) from its first digits. */
const padded = (digits: SQL): SQL => sql`substr(${digits} || hex(zeroblob(50)), 1, ${integer(KEY_LENGTH)})`

/** Writes a number of units since 1970 with the digits of a key. `unit` is in ticks. */
const digitsOf = (units: SQL, unit: bigint): SQL => {
  const inSecond = SECOND / unit
  const length = Number(SECOND_LENGTH) + String(inSecond).length - 1
  return sql`printf(${letter(`%0${length}d`)}, ${units} + ${integer(BEFORE_1970 * inSecond)})`
}

/** Writes the key of the instant in a column of whole units. */
export const keyOfColumn = (column: SQLWrapper, unit: bigint): SQL => padded(digitsOf(sql`${column}`, unit))

const HAS_FRACTION = sql`substr(it, 17) GLOB ':[0-5][0-9].[0-9]*'`
const HAS_SECONDS = sql`substr(it, 17) GLOB ':[0-5][0-9]*'`
const AFTER = sql`ltrim(substr(it, 21), '0123456789')`

/** Tests the zone of an instant. It is empty, Z, or an offset such as +01:00, +0100 or +01. */
const IS_ZONE = sql`(zone IN ('', 'Z', 'z') OR substr(zone, 2, 2) < '24' AND (zone GLOB '[-+ ][0-2][0-9]'
  OR zone GLOB '[-+ ][0-2][0-9][0-5][0-9]' OR zone GLOB '[-+ ][0-2][0-9]:[0-5][0-9]'))`

const OFFSET = sql`iif(zone LIKE '-%', -60, 60) * (60 * substr(zone, 2, 2) + iif(length(zone) > 3, substr(zone, -2), 0))`
const SECONDS = sql`unixepoch(day) + 3600 * substr(clock, 2, 2) + 60 * substr(clock, 5) + second - ${OFFSET}`

/**
 * Writes the key of a text that is an instant or a date, as `exactInstantOf` reads it in UTC. It is null for other texts. The
 * text may be an expression, which is computed once.
 */
export const keyOfText = (text: SQL): SQL => sql`(
  SELECT CASE WHEN day GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]' AND date(day) = day AND length(fraction) <= 100
    AND (it = day OR clock GLOB '[Tt ][0-2][0-9]:[0-5][0-9]' AND substr(clock, 2, 2) < '24') AND ${IS_ZONE}
    THEN ${padded(sql`${digitsOf(SECONDS, SECOND)} || fraction`)} END
  FROM (SELECT it, substr(it, 1, 10) AS day, substr(it, 11, 6) AS clock, iif(${HAS_SECONDS}, substr(it, 18, 2), 0) AS second,
      iif(${HAS_FRACTION}, substr(it, 21, length(it) - 20 - length(${AFTER})), '') AS fraction,
      iif(${HAS_FRACTION}, ${AFTER}, iif(${HAS_SECONDS}, substr(it, 20), substr(it, 17))) AS zone
    FROM (SELECT ${text} AS it LIMIT 1) LIMIT 1))`
