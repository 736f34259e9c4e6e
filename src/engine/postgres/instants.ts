import { type SQL, sql } from 'drizzle-orm'
import { BEFORE_1970, KEY_LENGTH, SECOND, SECOND_LENGTH } from '../../question/range.ts'
import { literal } from './sql.ts'

/** Writes the key of an instant (`keyOfInstant`) from its units since 1970, and further digits. `unit` is in ticks. */
export const keyOf = (units: SQL, unit: bigint, fraction = sql`''`): SQL => {
  const inSecond = SECOND / unit
  const length = literal(Number(SECOND_LENGTH) + String(inSecond).length - 1)
  const digits = sql`lpad((${units} + ${String(BEFORE_1970 * inSecond)}::numeric)::text, ${length}, '0')`
  return sql`(rpad(${digits} || ${fraction}, ${literal(Number(KEY_LENGTH))}, '0') COLLATE "C")`
}

const DAY = '([0-9]{4})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])'
const CLOCK = '([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9])(?:\\.([0-9]{1,100}))?)?'
const ZONE = '[Zz]|([+ -])([01][0-9]|2[0-3])(?::?([0-5][0-9]))?'
const INSTANT = `^${DAY}(?:[Tt ]${CLOCK}(?:${ZONE})?)?$`

const part = (number: number): SQL => sql`coalesce(parts[${literal(number)}], '0')::bigint`
/** Days repeat each 400 years, and a date of PostgreSQL has no year 0. */
const FIRST = sql`make_date((2000 + ${part(1)} % 400)::int, ${part(2)}::int, 1)`
const LAST = sql`extract(day FROM ${FIRST} + interval '1 month -1 day')`
const DAYS = sql`(${FIRST} - date '1970-01-01' + ${part(3)} - 1 + (${part(1)} / 400 - 5) * 146097)`
const OFFSET = sql`CASE WHEN parts[8] = '-' THEN -60 ELSE 60 END * (60 * ${part(9)} + ${part(10)})`
const SECONDS = sql`${DAYS} * 86400 + 3600 * ${part(4)} + 60 * ${part(5)} + ${part(6)} - ${OFFSET}`

/** Writes the key of a text that is an instant or a date, as `exactInstantOf` reads it in UTC. It is null for other texts. */
export const keyOfText = (text: SQL): SQL =>
  sql`(SELECT CASE WHEN ${part(3)} <= ${LAST} THEN ${keyOf(SECONDS, SECOND, sql`coalesce(parts[7], '')`)} END
    FROM (SELECT regexp_match(${text}, ${INSTANT}) AS parts OFFSET 0) AS read WHERE parts IS NOT NULL)`
