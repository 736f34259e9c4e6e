import { type SQL, sql } from 'drizzle-orm'
import { MILLISECOND } from '../../question/range.ts'
import type { Tally } from '../shared/summary/statistics.ts'
import { epoch } from './fields.ts'
import type { Snapshot } from './snapshot.ts'
import { double, FENCE, integer, listOf, named } from './sql.ts'

/**
 * The rows with equal values of some columns. `set` tells which: it has a bit for each column that does not group them.
 * Starts are in milliseconds since 1970. They are null for a group of rows without a start.
 */
export interface GroupRow extends Readonly<Record<string, unknown>> {
  readonly set: number
  readonly rows: number
  readonly least: number | null
  readonly greatest: number | null
}

/** Returns the number by which groups name a set of columns. */
const bitsOf = (columns: readonly string[], set: readonly string[]): number =>
  columns.reduce((bits, name) => 2 * bits + (set.includes(name) ? 0 : 1), 0)

/** The name of the exponent of a number, which is a column for groups. */
export const exponentOf = (number: string): string => `${number}_exponent`

/**
 * Groups rows by several sets of columns in one scan. `take` adds a set with a function that receives its groups. `read`
 * then reads the groups, if there is a set.
 */
export const groupings = (numbers: readonly string[]) => {
  const takes: { readonly set: readonly string[]; readonly use: (group: GroupRow) => void }[] = []
  return {
    take: (set: readonly string[], use: (group: GroupRow) => void): void => {
      takes.push({ set, use })
    },
    /**
     * `isWeighted`: a row stands for as many events as its column `weight` says, and `last` is their last start. Groups also
     * have the values `more`.
     */
    read: async (
      { each }: Pick<Snapshot, 'each'>,
      rows: SQL,
      isWeighted = false,
      more: SelectedColumns = {},
    ): Promise<void> => {
      if (takes.length === 0) return
      const sets = takes.map(({ set }) => set)
      const columns = [...new Set(sets.flat())]
      const users = new Map(takes.map(({ set, use }) => [bitsOf(columns, set), use]))
      const told = { ...(isWeighted ? WEIGHTED : PLAIN), ...more }
      await each(groupsOf(rows, told, columns, numbers, sets), (group) => users.get(group.set)?.(group))
    },
  }
}

/** Groups rows by a set of columns, and gives each group to a function. */
export type Take = ReturnType<typeof groupings>['take']

/** Numbers of a group. Their sum is a multiple of the least double. */
export type NumberTally = Tally<bigint>

export const itself = (units: bigint): bigint => units

/** Adds a group of numbers with one exponent. */
export const tally = <K>(tallies: Map<K, NumberTally>, key: K, group: GroupRow, number: string): void => {
  const exponent = group[exponentOf(number)]
  if (exponent === null) return
  const [min, max] = [Number(group[`${number}_least`]), Number(group[`${number}_greatest`])]
  const known = tallies.get(key) ?? { count: 0, min, max, sum: 0n }
  tallies.set(key, known)
  known.count += group.rows
  known.min = Math.min(known.min, min)
  known.max = Math.max(known.max, max)
  known.sum += unitsOf(String(group[`${number}_sum`]), Number(exponent))
}

/** SQL by the names of its columns. */
export type SelectedColumns = Readonly<Record<string, SQL>>

const names = (list: readonly string[]): SQL => listOf(list.map((name) => sql.identifier(name)))

/**
 * Groups rows by each set in one scan. `columns` has the columns of all sets. A group has the least and the greatest of
 * each of `numbers`, and the sum of its mantissas. The sum is exact if the set has the exponent.
 */
const groupsOf = (
  rows: SQL,
  { rows: count, ...more }: typeof PLAIN,
  columns: readonly string[],
  numbers: readonly string[],
  sets: readonly (readonly string[])[],
): SQL<GroupRow> => {
  const told = numbers.flatMap((name) => [
    [`${name}_least`, sql`min(${sql.identifier(name)})`] as const,
    [`${name}_greatest`, sql`max(${sql.identifier(name)})`] as const,
    [`${name}_sum`, sql`sum(${sql.identifier(`${name}_mantissa`)})::text`] as const,
  ])
  const values = named({
    set: sql`grouping(${names(columns)})`,
    rows: count,
    ...more,
    ...Object.fromEntries(told),
  })
  const grouped = listOf(sets.map((set) => sql`(${names(set)})`))
  return sql`SELECT ${names(columns)}, ${values} FROM (${withParts(rows, numbers)}) AS matched
    GROUP BY GROUPING SETS (${grouped}) HAVING ${count} > 0`
}

/** What groups of rows tell, and groups of rows that stand for several events. */
const [FIRST, LAST] = [epoch(sql`min(start)`, MILLISECOND), epoch(sql`max(start)`, MILLISECOND)]
const PLAIN = { rows: sql`count(*)`, least: FIRST, greatest: LAST }
const WEIGHTED = { ...PLAIN, rows: sql`sum(weight)::bigint`, greatest: epoch(sql`max(last)`, MILLISECOND) }

/** The natural logarithm of 256, and the bits of a mantissa below the power of 256. */
const [STEP, MANTISSA] = [Math.log(256), 54]

/**
 * Adds the exponent of 256 and the mantissa of each number. A mantissa is a whole number of less than 63 bits. One power
 * of two could overflow, so the number is multiplied by its root twice. This is exact.
 */
const withParts = (rows: SQL, numbers: readonly string[]): SQL => {
  // Without a fence, PostgreSQL may take each bin for the only one of its kind, and sort the rows by their bins.
  if (numbers.length === 0) return sql`${rows} ${FENCE}`
  const exponents = numbers.map((name) => {
    const number = sql.identifier(name)
    const floor = sql`floor(ln(abs(${number})) / ${double(STEP)})::int`
    return [exponentOf(name), sql`CASE WHEN ${number} = 0 THEN 0 ELSE ${floor} END`] as const
  })
  const mantissas = numbers.map((name) => {
    const root = sql`power(2::float8, ${integer(MANTISSA / 2)} - 4 * ${sql.identifier(exponentOf(name))})`
    return [`${name}_mantissa`, sql`(${sql.identifier(name)} * ${root} * ${root})::bigint`] as const
  })
  // The fences keep PostgreSQL from reading a number out of JSON for each use.
  return sql`SELECT *, ${named(Object.fromEntries(mantissas))}
    FROM (SELECT *, ${named(Object.fromEntries(exponents))} FROM (${rows} ${FENCE}) AS plain ${FENCE}) AS scaled`
}

/** The least double is 2 to this power. */
const LEAST = -1074

/** Returns the multiples of the least double in a sum of mantissas with an exponent. */
const unitsOf = (mantissas: string, exponent: number): bigint =>
  BigInt(mantissas) << BigInt(8 * exponent - MANTISSA - LEAST)
