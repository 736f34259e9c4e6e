import type { SQL } from 'drizzle-orm'
import { all, textOf } from '../../filters/sql.ts'
import { FREE } from '../../work.ts'
import type { Search } from '../conditions/search.ts'
import { type Statistics, UNKNOWN } from '../estimates.ts'
import { choiceQuery } from '../sql/matches.ts'
import type { Plan } from '../sql/plan.ts'
import type { Read } from './database.ts'

/**
 * Throws a 400 if the database would test the rows of a search for too long. A plan with a choice has each condition
 * several times. So the database is asked for the path first if the conditions are long.
 */
export const settle = async (read: Read, search: Search, plan: Plan, statistics: Statistics): Promise<Plan> => {
  // A new isolate refuses nothing, because it knows no number of rows.
  const total = statistics === UNKNOWN ? 0 : statistics.total
  const { plain, groups } = search
  const { work } = read
  // A dictionary has at most an entry for each row.
  const lengths = groups.map(({ match }) => charactersOf(match)).filter((length) => length > FREE)
  for (const length of lengths) work.admit(total, length)
  const characters = plain.length === 0 ? 0 : charactersOf(all(plain))
  const settled = plan.choice !== null && characters > FREE ? await chosen(read, plan) : plan
  work.admit(Math.min(settled.rows, total), characters)
  return settled
}

const chosen = async (read: Read, plan: Plan): Promise<Plan> => {
  const [[choice]] = await read(choiceQuery(plan))
  const { path = 0, rows = 0 } = choice ?? {}
  return { ...plan, sources: plan.sources.slice(path, path + 1), choice: null, rows }
}

const charactersOf = (condition: SQL): number => textOf(condition).sql.length
