import { type SQL, sql } from 'drizzle-orm'
import { at, bisect, keptFor } from '../../base/collections.ts'
import type { Zone } from '../../base/zone.ts'
import type { Shape, TimePart } from '../summaries.ts'
import { integer } from './sql.ts'

/** The first and the last start of the matches, in milliseconds since 1970. */
export type Ends = readonly [least: number, greatest: number]

/** In so many milliseconds, no zone changes its offset twice (src/base/zone.ts). */
const WINDOW = 2 ** 29

/** No clock changed before. After the second instant, all times have its offset. */
const [FIRST, LAST] = [Date.UTC(1800), Date.UTC(10_000)]

/** From here on, the rules of each zone are those of the calendar, which repeats after 400 years. */
const RULES = Date.UTC(2100)
const CYCLE = 146_097 * 86_400_000

/** The changes of a clock between two instants. */
interface Changes {
  /** Milliseconds since 1970. */
  readonly changes: readonly number[]
  /** Milliseconds. The first one is before all changes. */
  readonly offsets: readonly number[]
}

/** Returns the changes of the clock of a zone. It finds those of one cycle: 10,000 years would take 3 seconds. */
const changesOf = keptFor(({ toLocal }: Zone) =>
  keptFor((ends: Ends): Changes => {
    const [least, greatest] = ends.map((end) => Math.min(Math.max(end, FIRST), LAST)) as [number, number] // as many
    const first = Math.min(least, RULES)
    const offsetAt = (instant: number) => toLocal(instant) - instant
    const [changes, offsets]: [number[], number[]] = [[], [offsetAt(first)]]
    for (let from = first; from < Math.min(greatest, RULES + CYCLE); from += WINDOW) {
      const [before, after] = [offsetAt(from), offsetAt(from + WINDOW)]
      if (before === after) continue
      changes.push(bisect(from, from + WINDOW, (instant) => offsetAt(instant) === before))
      offsets.push(after)
    }
    const start = bisect(0, changes.length, (i) => at(changes, i) < RULES)
    for (let i = start; start < changes.length; i++) {
      const next = at(changes, i) + CYCLE
      if (next > greatest) break
      if (next <= at(changes, -1)) continue
      changes.push(next)
      offsets.push(at(offsets, i + 1))
    }
    return { changes, offsets }
  }),
)

/** A start in UTC, without a zone and without the parts of a millisecond that answers do not show. */
const inUtc = (start: SQL): SQL => sql`date_trunc('milliseconds', ${start} AT TIME ZONE 'UTC')`

/** Returns the start on the clock of a zone, and the offset there. Null: UTC. */
const localOf = (start: SQL, zone: Zone | null, ends: Ends): { readonly local: SQL; readonly offset: SQL } => {
  const utc = inUtc(start)
  if (zone === null) return { local: utc, offset: sql`interval '0'` }
  const { changes, offsets } = changesOf(zone)(ends)
  const bucket = sql`width_bucket(${milliseconds(start)}, ${sql.param(changes.map(String))}::float8[])`
  const offset =
    changes.length === 0
      ? sql`(${integer(offsets[0] ?? 0)} * interval '1 millisecond')`
      : sql`((${sql.param(offsets.map(String))}::bigint[])[${bucket} + 1] * interval '1 millisecond')`
  return { local: sql`(${utc} + ${offset})`, offset }
}

/** Writes an instant in whole milliseconds since 1970, as a double. It is exact to the microsecond until the year 2255. */
const milliseconds = (start: SQL): SQL => sql`floor(round(date_part('epoch', ${start}) * 1000000) / 1000)`

/** Writes a value that all starts of one bin have, and no others. `ends` may be null without rows. */
export const binOf = (start: SQL, { bins, zone, from }: Shape, ends: Ends): SQL => {
  const first = sql`to_timestamp(${String((from ?? 0) / 1000)}::float8)`
  const since = from === null ? start : sql`CASE WHEN ${start} < ${first} THEN ${first} ELSE ${start} END`
  if (typeof bins === 'number') return sql`floor(${milliseconds(since)} / ${String(stepOf(bins, from, ends))}::float8)`
  const { local, offset } = localOf(since, zone, ends)
  // The first year of PostgreSQL is not whole, so it has no start.
  const unit = sql`date_trunc(${bins}, greatest(${local}, '4713-01-01 BC'))`
  // An hour that the clock repeats is two bins.
  return bins === 'hour' && zone !== null ? sql`(${unit} - ${offset})` : unit
}

/** Returns the milliseconds of bins: the least power of two with at most so many bins, but at least two. */
const stepOf = (most: number, from: number | null, [least, greatest]: Ends): number => {
  const [first, last] = [least, greatest].map((start) => Math.max(start, from ?? start)) as [number, number]
  let step = 1
  while (Math.floor(last / step) - Math.floor(first / step) >= Math.max(most, 2)) step *= 2
  return step
}

/** Writes a part of a start, on the clock of a zone. There is a year 0, as in JavaScript. */
export const partOf = (start: SQL, part: TimePart, zone: Zone | null, ends: Ends): SQL => {
  const { local } = localOf(start, zone, ends)
  const value = sql`date_part(${part === 'weekday' ? 'isodow' : part}, ${local})::int`
  return part === 'year' ? sql`(${value} + CASE WHEN ${value} < 0 THEN 1 ELSE 0 END)` : value
}
