import type { SQL } from 'drizzle-orm'
import { at } from '../../collections.ts'
import { all, asCount, numberOf, textOf } from '../../filters/sql.ts'
import { FREE } from '../../work.ts'
import type { Search } from '../conditions/search.ts'
import { UNKNOWN } from '../estimates.ts'
import { total } from '../events.ts'
import { type Cover, choiceQuery, type Plan, planOf } from '../sql/plan.ts'
import { coverOf } from './cover.ts'
import type { SnapshotReader } from './snapshot.ts'

/** Plans a search, and covers its area. Throws a 400 if the database would test its rows for too long. */
export const prepare = async (
  read: SnapshotReader,
  search: Search,
): Promise<{ readonly plan: Plan; readonly cover: Cover | null }> => {
  const cover = await coverOf(read, search)
  return { plan: await admit(read, search, planOf(search, read.estimates(), cover)), cover }
}

/**
 * Throws a 400 if the database would test the rows of a search for too long. A refusal needs the number of rows of now,
 * and a plan with a choice has each condition several times. So the database is asked first if the conditions are long.
 */
export const admit = async (read: SnapshotReader, search: Search, plan: Plan): Promise<Plan> => {
  const { plain, groups, level } = search
  const { work } = read
  // A dictionary has at most an entry for each row.
  const lengths = groups.map(({ match }) => charactersOf(match)).filter((length) => length > FREE)
  const characters = plain.length === 0 ? 0 : charactersOf(all(plain))
  if (lengths.length === 0 && characters <= FREE) {
    work.admit(plan.rows, characters)
    return plan
  }
  // A new isolate refuses nothing, because it does not know the rows of a path.
  const isUnknown = read.estimates() === UNKNOWN
  const planned = plan.choice === null ? plan : await chosen(read, plan)
  const [counted] = await read(asCount(total(level)))
  const rows = isUnknown ? 0 : numberOf(counted)
  for (const length of lengths) work.admit(rows, length)
  work.admit(Math.min(planned.rows, rows), characters)
  return planned
}

const chosen = async (read: SnapshotReader, plan: Plan): Promise<Plan> => {
  const [[choice]] = await read(choiceQuery(plan))
  const { path = 0, rows = 0 } = choice ?? {}
  const best = at(plan.paths, path)
  return { ...plan, paths: [best], best, choice: null, rows }
}

const charactersOf = (condition: SQL): number => textOf(condition).sql.length
