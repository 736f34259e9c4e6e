import { type SQL, sql } from 'drizzle-orm'
import { BEFORE_1970, floor, KEY_LENGTH, SECOND, SECOND_LENGTH } from '../../question/range.ts'
import { FENCE, literal } from './sql.ts'

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
    FROM (SELECT regexp_match(${text}, ${INSTANT}) AS parts ${FENCE}) AS read WHERE parts IS NOT NULL)`

/** The first and the last microsecond that an instant of JavaScript has. PostgreSQL begins later. */
const [EARLIEST, LATEST] = [-210_866_803_200_000_000n, 8_640_000_000_000_000_000n]

/** Writes an instant in microseconds since 1970 as a text of PostgreSQL. An instant beyond its range becomes infinite. */
export const instantOf = (micros: bigint): SQL => {
  if (micros < EARLIEST) return sql`'-infinity'::timestamptz`
  if (micros > LATEST) return sql`'infinity'::timestamptz`
  const milliseconds = floor(micros, 1000n)
  const date = new Date(Number(milliseconds))
  const year = date.getUTCFullYear()
  const rest = date.toISOString().replace(/^[+-]?\d+(-.*)Z$/, '$1')
  const digits = String(micros - milliseconds * 1000n).padStart(3, '0')
  const written = String(year > 0 ? year : 1 - year).padStart(4, '0')
  return sql`${`${written}${rest}${digits}+00${year > 0 ? '' : ' BC'}`}::timestamptz`
}

/** The longest duration that an interval of PostgreSQL has, in milliseconds. */
const LONGEST = 9_000_000_000_000_000n
const DAY_LENGTH = 86_400_000n

/** Writes a duration in milliseconds. A longer one than PostgreSQL has becomes the longest. Days keep it exact. */
export const lengthOf = (milliseconds: bigint): SQL => {
  const within = milliseconds > LONGEST ? LONGEST : milliseconds < -LONGEST ? -LONGEST : milliseconds
  return sql`${`${within / DAY_LENGTH} days ${within % DAY_LENGTH} milliseconds`}::interval`
}
