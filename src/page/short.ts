import { type SQL, sql } from 'drizzle-orm'
import { groupCondition, matchingRows, othersOf, sortConditions } from './conditions.ts'
import type { Database } from './database.ts'
import { orderBy } from './order.ts'
import { invalidPage, lastOf, type Page, type PageRequest } from './page.ts'
import { atOneRevision, type Read } from './revision.ts'
import { all, among, columnsOf } from './sql.ts'
import type { Table } from './table.ts'

/** A page of a list that is short enough to be counted and sorted anew for every page. */
export const fetchShortPage = (db: Database, resource: Table, request: PageRequest, level: number): Promise<Page> =>
  atOneRevision(db, (read) => readShort(read, resource, request, level))

const readShort = async (read: Read, resource: Table, request: PageRequest, level: number): Promise<Page> => {
  const sorted = sortConditions(request.conditions)
  const { groups } = sorted
  const tested = groups.filter(({ tests }) => tests.length > 0)
  const answers = tested.length === 0 ? [] : await read(...tested.map((group) => matchingRows(group, level)))
  const found = tested.map(({ dictionary, tests }, i) => {
    const rows = (answers[i] ?? []).filter(({ text }) => tests.every((test) => test(text)))
    return among(
      dictionary.key,
      rows.map(({ id }) => id),
    )
  })
  const decided = groups.filter(({ tests }) => tests.length === 0).map(groupCondition)
  const where = all([resource.visible(level), ...othersOf(sorted), ...decided, ...found])
  return readPage(read, resource, request, where)
}

const readPage = async (read: Read, resource: Table, request: PageRequest, where: SQL): Promise<Page> => {
  const { table, id } = resource
  const counted = sql`SELECT count(*) AS count FROM ${table} WHERE ${where}`
  const size = request.pageSize
  const page = (number: number) => sql`SELECT ${columnsOf(resource)} FROM ${table} ${resource.joins ?? sql``}
    WHERE ${where} ORDER BY ${orderBy(request.order, id)} LIMIT ${size} OFFSET ${(number - 1) * size}`
  const [first] = request.page === 'last' ? await read(counted) : []
  const number = request.page === 'last' ? lastOf(first?.[0]?.count, size) : request.page
  const [counts, rows = []] = await read(counted, page(number))
  const count = counts?.[0]?.count ?? 0
  const last = lastOf(count, size)
  if (number > last) throw invalidPage()
  return { count, number, rows, next: number < last ? {} : null, previous: number > 1 ? {} : null }
}
