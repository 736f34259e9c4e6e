import { type SQL, sql } from 'drizzle-orm'
import { named } from './sql.ts'

/**
 * The rows with equal values of some columns. `set` tells which: it has a bit for each column that does not group them.
 * Starts are in milliseconds since 1970.
 */
export interface Group extends Readonly<Record<string, unknown>> {
  readonly set: number
  readonly rows: number
  readonly least: number
  readonly greatest: number
  readonly west: number | null
  readonly south: number | null
  readonly east: number | null
  readonly north: number | null
}

/** Returns the number by which groups name a set of columns. */
export const bitsOf = (columns: readonly string[], set: readonly string[]): number =>
  columns.reduce((bits, name) => 2 * bits + (set.includes(name) ? 0 : 1), 0)

/** The name of the exponent of a number, which is a column for groups. */
export const exponentOf = (number: string): string => `${number}_exponent`

const names = (list: readonly string[]): SQL =>
  sql.join(
    list.map((name) => sql.identifier(name)),
    sql`, `,
  )

/**
 * Groups rows by each set in one scan. `columns` has the columns of all sets. A group has the least and the greatest of
 * each of `numbers`, and the sum of its mantissas. The sum is exact if the set has the exponent.
 */
export const groupsOf = (
  rows: SQL,
  columns: readonly string[],
  numbers: readonly string[],
  sets: readonly (readonly string[])[],
): SQL<Group> => {
  const told = numbers.flatMap((name) => [
    [`${name}_least`, sql`min(${sql.identifier(name)})`] as const,
    [`${name}_greatest`, sql`max(${sql.identifier(name)})`] as const,
    [`${name}_sum`, sql`sum(${sql.identifier(`${name}_mantissa`)})::text`] as const,
  ])
  const values = named({
    set: sql`grouping(${names(columns)})`,
    rows: sql`count(*)`,
    least: sql`floor(extract(epoch FROM min(start)) * 1000)::bigint`,
    greatest: sql`floor(extract(epoch FROM max(start)) * 1000)::bigint`,
    west: sql`min(x)`,
    south: sql`min(y)`,
    east: sql`max(x)`,
    north: sql`max(y)`,
    ...Object.fromEntries(told),
  })
  const grouped = sql.join(
    sets.map((set) => sql`(${names(set)})`),
    sql`, `,
  )
  return sql`SELECT ${names(columns)}, ${values} FROM (${withParts(rows, numbers)}) AS matched
    GROUP BY GROUPING SETS (${grouped})`
}

/** Adds the exponent and the mantissa of each number (IEEE 754). */
const withParts = (rows: SQL, numbers: readonly string[]): SQL => {
  if (numbers.length === 0) return rows
  const bits = numbers.map((name) => {
    const sent = sql`encode(float8send(${sql.identifier(name)}), 'hex')`
    return [`${name}_bits`, sql`('x' || ${sent})::bit(64)::bigint`] as const
  })
  const parts = numbers.flatMap((name) => {
    const [of, number] = [sql.identifier(`${name}_bits`), sql.identifier(name)]
    const [exponent, fraction] = [sql`(${of} >> 52) & 2047`, sql`${of} & 4503599627370495`]
    const size = sql`CASE WHEN ${exponent} = 0 THEN ${fraction} ELSE (${fraction}) + 4503599627370496 END`
    return [
      [exponentOf(name), sql`(${exponent})::int`] as const,
      [`${name}_mantissa`, sql`CASE WHEN ${number} < 0 THEN -1 ELSE 1 END * ${size}`] as const,
    ]
  })
  return sql`SELECT *, ${named(Object.fromEntries(parts))}
    FROM (SELECT *, ${named(Object.fromEntries(bits))} FROM (${rows}) AS plain) AS written`
}

/** Returns the multiples of the least double in a sum of mantissas with an exponent. */
export const unitsOf = (mantissas: string, exponent: number): bigint =>
  BigInt(mantissas) << BigInt(Math.max(0, exponent - 1))
