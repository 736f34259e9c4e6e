import { type SQL, sql } from 'drizzle-orm'
import { FENCE, literal } from './sql.ts'

/** Writes a CASE that computes a value once, under the name `it`. */
export const once = (value: SQL, write: SQL): SQL =>
  sql`(SELECT ${write} FROM (SELECT ${value} AS it ${FENCE}) AS once)`

/** Writes a number that is null if it is not finite. */
export const finite = (number: SQL): SQL => sql`nullif(nullif(nullif(${number}, 'NaN'), 'Infinity'), '-Infinity')`

/** Writes the 64 bits of a double: its sign, 11 bits of its exponent of 2, and 52 of its mantissa. */
export const bitsOf = (value: SQL): SQL => sql`('x' || encode(float8send(${value}), 'hex'))::bit(64)::bigint`

/** Writes the double of a `real`. The shortest text of a real is the number that answers show. */
export const ofReal = (real: SQL): SQL => finite(sql`${real}::text::float8`)

/**
 * A number without an exponent of less than so many characters is a double. Other numbers have an exponent of at most 3 digits
 * here. So decimals after the first 765 do not count, and a text that is still longer than the last length is beyond a double.
 */
const [SHORT, LONG, LONGEST] = [300, 800, 2200].map(literal) as [SQL, SQL, SQL]
/** A regular expression repeats a part at most 255 times. */
const DECIMALS = `([.]${'[0-9]{255}'.repeat(3)})[0-9]+`

/**
 * Writes the double of a text that is a number. PostgreSQL has an error for numbers beyond a double, for those that round to
 * 0, and for long ones. Here the second are 0, as in JavaScript. The others, NaN and infinity are null. A long exponent
 * decides before the digits.
 */
export const doubleOfText = (text: SQL): SQL => {
  const zero = sql`it !~ '[1-9].*[eE]|^[^eE]*[1-9]'`
  const long = sql`it ~ '[eE][+-]?0*[1-9][0-9]{3}'`
  const cut = sql`(CASE WHEN length(it) > ${LONG} THEN regexp_replace(it, ${DECIMALS}, ${'\\1'}) ELSE it END)`
  // The bounds are half a step beyond the greatest double, and below the least one.
  const within = sql`CASE WHEN length(${cut}) > ${LONGEST} THEN NULL
    WHEN abs(${cut}::numeric) >= 1.7976931348623158079e308 THEN NULL
    WHEN abs(${cut}::numeric) <= 2.4703282292062327208e-324 THEN 0 ELSE ${cut}::float8 END`
  return once(
    text,
    sql`CASE WHEN length(it) < ${SHORT} AND it !~ '[^0-9.+-]' THEN it::float8 WHEN (it ~ '[0-9]') IS NOT TRUE THEN NULL
      WHEN ${zero} THEN 0
      WHEN ${long} THEN CASE WHEN it ~ '[eE]-' THEN 0 END ELSE ${within} END`,
  )
}

/** The white space of JavaScript. */
const SPACE = '[\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]'
const NUMBER = `^${SPACE}*([+-]?(?:[0-9]+(?:[.][0-9]*)?|[.][0-9]+)(?:[eE][+-]?[0-9]+)?)`

/** Writes the number at the beginning of a text, as `leadingNumber` of src/filters/numbers.ts reads it. */
export const numberOfText = (text: SQL): SQL =>
  sql`CASE WHEN ${text} !~ ${`${NUMBER},[0-9]`} THEN ${doubleOfText(sql`substring(${text} FROM ${NUMBER})`)} END`
