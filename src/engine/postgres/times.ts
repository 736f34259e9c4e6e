import { type SQL, sql } from 'drizzle-orm'
import { floor } from '../../question/range.ts'

/** The first and the last microsecond that an instant of JavaScript has. PostgreSQL begins later. */
const [EARLIEST, LATEST] = [-210_866_803_200_000_000n, 8_640_000_000_000_000_000n]

/** Writes an instant in microseconds since 1970 as a text of PostgreSQL. An instant beyond its range becomes infinite. */
export const instantOf = (micros: bigint): SQL => {
  if (micros < EARLIEST) return sql`'-infinity'::timestamptz`
  if (micros > LATEST) return sql`'infinity'::timestamptz`
  const milliseconds = floor(micros, 1000n)
  const date = new Date(Number(milliseconds))
  const year = date.getUTCFullYear()
  const [, rest = ''] = /^[+-]?\d+(-.*)Z$/.exec(date.toISOString()) ?? []
  const digits = String(micros - milliseconds * 1000n).padStart(3, '0')
  const written = String(year > 0 ? year : 1 - year).padStart(4, '0')
  return sql`${`${written}${rest}${digits}+00${year > 0 ? '' : ' BC'}`}::timestamptz`
}
