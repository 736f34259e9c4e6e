import type { Condition } from '../../filters/filter.ts'
import { numberOf } from '../../filters/sql.ts'
import { type Search, searchOf } from '../conditions/search.ts'
import type { Plan } from '../plan/plan.ts'
import { countQuery } from '../sql/count.ts'
import type { Cache } from './cache.ts'
import { readPlan } from './facts.ts'
import type { SnapshotReader } from './snapshot.ts'

/** A path with fewer rows is counted at once. */
const FEW = 1000

/** Returns true if a difference may read fewer rows than the path of a plan. */
const isWorthwhile = ({ known, criteria }: Search, { narrow, count }: Plan): boolean =>
  known === null &&
  criteria.area === null &&
  criteria.tested.length === 0 &&
  count.by !== 'stored counts' &&
  narrow.rows > FEW

/**
 * Counts the matches of a complement. It subtracts the rows that the complement leaves out, because these are usually
 * few. Returns null if another way is better.
 */
export const countByDifference = async (
  read: SnapshotReader,
  cache: Cache,
  search: Search,
  plan: Plan,
): Promise<number | null> => (isWorthwhile(search, plan) ? subtract(read, cache, search) : null)

/** Returns null unless stored counts give the number of rows without the complement. */
const subtract = async (read: SnapshotReader, cache: Cache, asked: Search): Promise<number | null> => {
  const { table, access, level, difference } = asked
  if (difference === null) return null
  const countOf = async (conditions: readonly Condition[], isWhole: boolean): Promise<number | null> => {
    const { search, plan } = await readPlan(read, cache, searchOf(table, access, level, { conditions }))
    if (isWhole && plan.count.by !== 'stored counts') return subtract(read, cache, search)
    return numberOf(...(await read.recalled(countQuery(search, plan))))
  }
  const whole = await countOf(difference.whole, true)
  const part = whole === null ? null : await countOf(difference.part, false)
  return whole === null || part === null ? null : whole - part
}
