import { type SQL, sql } from 'drizzle-orm'
import type { Database } from './database.ts'
import { orderBy } from './order.ts'
import { invalidPage, lastOf, type Page } from './page.ts'
import type { Plan } from './plan.ts'
import { groupCondition, matchingRows, sortConditions, spanCondition } from './resolve.ts'
import type { Resource } from './resource.ts'
import { all, among, columnsOf } from './sql.ts'

/** A page of a list that is short enough to be counted and sorted anew for every page. */
export const fetchShortPage = async (db: Database, resource: Resource, plan: Plan, level: number): Promise<Page> => {
  const { plain, spans, groups } = sortConditions(plan.conditions)
  const tested = groups.filter(({ tests }) => tests.length > 0)
  const answers = tested.length === 0 ? [] : await db.read(...tested.map((group) => matchingRows(group, level)))
  const found = tested.map(({ dictionary, tests }, i) => {
    const rows = (answers[i] ?? []).filter(({ text }) => tests.every((test) => test(text)))
    return among(
      dictionary.key,
      rows.map(({ id }) => id),
    )
  })
  const decided = groups.filter(({ tests }) => tests.length === 0).map(groupCondition)
  const where = all([resource.visible(level), ...plain, ...spans.map(spanCondition), ...decided, ...found])
  return readPage(db, resource, plan, where)
}

const readPage = async (db: Database, resource: Resource, plan: Plan, where: SQL): Promise<Page> => {
  const { table, id } = resource
  const counted = sql`SELECT count(*) AS count FROM ${table} WHERE ${where}`
  const size = plan.pageSize
  const page = (number: number) => sql`SELECT ${columnsOf(resource)} FROM ${table} ${resource.joins ?? sql``}
    WHERE ${where} ORDER BY ${orderBy(plan.order, id)} LIMIT ${size} OFFSET ${(number - 1) * size}`
  const [first] = plan.page === 'last' ? await db.read(counted) : []
  const number = plan.page === 'last' ? lastOf(first?.[0]?.count, size) : plan.page
  const [counts, rows = []] = await db.read(counted, page(number))
  const count = counts?.[0]?.count ?? 0
  const last = lastOf(count, size)
  if (number > last) throw invalidPage()
  return { count, number, rows, next: number < last ? {} : null, previous: number > 1 ? {} : null }
}
