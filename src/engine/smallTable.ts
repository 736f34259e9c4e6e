import { type SQL, sql } from 'drizzle-orm'
import { at } from '../collections.ts'
import { all, among, numberOf } from '../filters/sql.ts'
import { criteriaOf, isTested } from './conditions/criteria.ts'
import { invalidPage, lastOf, type Page, type PageRequest } from './conditions/page.ts'
import type { Table } from './conditions/table.ts'
import type { Database } from './run/database.ts'
import { matchingEntries } from './run/facts.ts'
import { atOneState, type SnapshotReader } from './run/snapshot.ts'
import { orderBy, select, sharedColumns, tableOf } from './sql/columns.ts'
import { entriesQueries } from './sql/facts.ts'
import { groupCondition, otherConditions } from './sql/where.ts'

/** Reads a page of a small table. It counts and sorts the table for every page. */
export const fetchSmallPage = (db: Database, resource: Table, request: PageRequest, level: number): Promise<Page> =>
  atOneState(db, (read) => readSmall(read, resource, request, level))

const readSmall = async (read: SnapshotReader, resource: Table, request: PageRequest, level: number): Promise<Page> => {
  const criteria = criteriaOf(request.conditions)
  const tested = criteria.groups.filter(isTested)
  const answers = tested.length === 0 ? [] : await read(...entriesQueries(tested, level))
  const entries = await matchingEntries(read, tested, answers, 0, level)
  const where = all([
    resource.visible(level),
    ...otherConditions(criteria),
    ...criteria.groups.filter((group) => !isTested(group)).map(groupCondition),
    ...entries.map(({ group, ids }) => among(group.dictionary.key, ids ?? [])),
  ])
  return readPage(read, resource, request, where)
}

const readPage = async (read: SnapshotReader, resource: Table, request: PageRequest, where: SQL): Promise<Page> => {
  const { table } = resource
  const counted = select({ count: sql<number>`count(*)` }).from(sql`${table}`).where(where)
  const size = request.pageSize
  const page = (number: number) =>
    select(sharedColumns(resource, size))
      .from(tableOf(resource))
      .where(where)
      .orderBy(orderBy({ order: request.order, table: resource }))
      .limit(size)
      .offset((number - 1) * size)
  const knownCount = request.page === 'last' ? numberOf(...(await read(counted))) : null
  const number = request.page === 'last' ? lastOf(knownCount ?? 0, size) : request.page
  const [rows, ...counts] = await read(page(number), ...(knownCount === null ? [counted] : []))
  const count = knownCount ?? numberOf(at(counts, 0))
  const last = lastOf(count, size)
  if (number > last) throw invalidPage()
  return { count, number, rows, next: number < last ? {} : null, previous: number > 1 ? {} : null }
}
