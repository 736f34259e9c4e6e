import type { SQL } from 'drizzle-orm'
import { all, asCount, numberOf, textOf } from '../../filters/sql.ts'
import { FREE } from '../../work.ts'
import type { Search } from '../conditions/search.ts'
import { type Statistics, UNKNOWN } from '../estimates.ts'
import { total } from '../sql/counts.ts'
import { choiceQuery } from '../sql/matches.ts'
import type { Plan } from '../sql/plan.ts'
import type { Read } from './database.ts'

/**
 * Throws a 400 if the database would test the rows of a search for too long. A refusal needs the number of rows of now,
 * and a plan with a choice has each condition several times. So the database is asked first if the conditions are long.
 */
export const settle = async (read: Read, search: Search, plan: Plan, statistics: Statistics): Promise<Plan> => {
  const { plain, groups, level } = search
  const { work } = read
  // A dictionary has at most an entry for each row.
  const lengths = groups.map(({ match }) => charactersOf(match)).filter((length) => length > FREE)
  const characters = plain.length === 0 ? 0 : charactersOf(all(plain))
  if (lengths.length === 0 && characters <= FREE) {
    work.admit(plan.rows, characters)
    return plan
  }
  const settled = plan.choice === null ? plan : await chosen(read, plan)
  const [counted] = await read(asCount(total(level)))
  // A new isolate refuses nothing, because it does not know the rows of a path.
  const rows = statistics === UNKNOWN ? 0 : numberOf(counted)
  for (const length of lengths) work.admit(rows, length)
  work.admit(Math.min(settled.rows, rows), characters)
  return settled
}

const chosen = async (read: Read, plan: Plan): Promise<Plan> => {
  const [[choice]] = await read(choiceQuery(plan))
  const { path = 0, rows = 0 } = choice ?? {}
  return { ...plan, sources: plan.sources.slice(path, path + 1), choice: null, rows }
}

const charactersOf = (condition: SQL): number => textOf(condition).sql.length
