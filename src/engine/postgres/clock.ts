import { type SQL, sql } from 'drizzle-orm'
import { bisect, keptFor } from '../../base/collections.ts'
import type { TimePart, Zone } from '../../base/zone.ts'
import type { Shape } from '../summaries.ts'
import { double, integer } from './sql.ts'

/** The first and the last start of the matches, in milliseconds since 1970. */
export type Ends = readonly [least: number, greatest: number]

/** The ends for the clock of UTC, which needs none. */
export const NO_ENDS: Ends = [0, 0]

/** In so many milliseconds, no zone changes its offset twice (src/base/zone.ts). */
const WINDOW = 2 ** 29

/**
 * No clock changed before the first instant. After the second one, each clock repeats its changes in each cycle of 400
 * years, as the calendar does. So a start in the year 9999 takes 0.1 seconds, and not 3.
 */
const [FIRST, REPEATED, CYCLE] = [Date.UTC(1800), Date.UTC(2100), Date.UTC(2400) - Date.UTC(2000)]

/**
 * Returns the instants at which the clock of a zone changes, and its offsets in milliseconds, the first before them all. The
 * last ones are in the first cycle.
 */
const changesOf = keptFor(({ toLocal }: Zone) =>
  keptFor((ends: Ends) => {
    const least = Math.min(Math.max(ends[0], FIRST), REPEATED)
    const greatest = Math.min(ends[1], REPEATED + CYCLE)
    const offsetAt = (instant: number) => toLocal(instant) - instant
    const changes: number[] = []
    const offsets = [offsetAt(least)]
    for (let from = least; from < greatest; from += WINDOW) {
      const [before, after] = [offsetAt(from), offsetAt(from + WINDOW)]
      if (before === after) continue
      changes.push(bisect(from, from + WINDOW, (instant) => offsetAt(instant) === before))
      offsets.push(after)
    }
    return { changes, offsets }
  }),
)

/** A start in UTC, without a zone. */
const inUtc = (start: SQL): SQL => sql`(${start} AT TIME ZONE 'UTC')`

/** Returns the start on the clock of a zone, and the offset there. Null: UTC. */
const localOf = (start: SQL, zone: Zone | null, ends: Ends): { readonly local: SQL; readonly offset: SQL } => {
  const utc = inUtc(start)
  if (zone === null) return { local: utc, offset: sql`interval '0'` }
  const { changes, offsets } = changesOf(zone)(ends)
  const at = sql`width_bucket(${inFirstCycle(milliseconds(start))}, ${sql.param(changes.map(String))}::float8[])`
  const offset =
    changes.length === 0
      ? sql`(${integer(offsets[0] ?? 0)} * interval '1 millisecond')`
      : sql`((${sql.param(offsets.map(String))}::bigint[])[${at} + 1] * interval '1 millisecond')`
  return { local: sql`(${utc} + ${offset})`, offset }
}

/** Writes the milliseconds at which a clock has the same offset, before the second cycle begins. */
const inFirstCycle = (at: SQL): SQL =>
  sql`(${at} - greatest(floor((${at} - ${double(REPEATED)}) / ${double(CYCLE)}), 0) * ${double(CYCLE)})`

/** Writes an instant in whole milliseconds since 1970, as a double. Without smaller parts, it is exact for all known starts. */
const milliseconds = (start: SQL): SQL => sql`round(date_part('epoch', date_trunc('milliseconds', ${start})) * 1000)`

/** Writes a value that all starts of one bin have, and no others. All known starts are in one bin. */
export const binOf = (start: SQL, { bins, zone, from }: Shape, ends: Ends): SQL => {
  if (bins === 1) return sql`(${start} IS NULL)`
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
