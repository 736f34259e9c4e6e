import { type SQL, sql } from 'drizzle-orm'
import { at } from '../collections.ts'
import { numberOf } from '../filters/sql.ts'
import { invalidPage, lastOf, type Page, type PageRequest } from './conditions/page.ts'
import { searchOf } from './conditions/search.ts'
import type { Table } from './conditions/table.ts'
import type { Database } from './run/database.ts'
import { decideGroups } from './run/entries.ts'
import { atOneState, type SnapshotReader } from './run/snapshot.ts'
import { orderBy, select, sharedColumns, tableOf } from './sql/columns.ts'
import { whereOf } from './sql/where.ts'

/** Reads a page of a small table. It counts and sorts the table for every page. */
export const fetchSmallPage = (db: Database, resource: Table, request: PageRequest, level: number): Promise<Page> =>
  atOneState(db, (read) => readSmall(read, resource, request, level))

const readSmall = async (read: SnapshotReader, resource: Table, request: PageRequest, level: number): Promise<Page> => {
  const search = searchOf(resource, request.conditions, level)
  const groups = await decideGroups(read, search)
  return readPage(read, resource, request, whereOf({ ...search, groups }))
}

const readPage = async (read: SnapshotReader, resource: Table, request: PageRequest, where: SQL): Promise<Page> => {
  const { table } = resource
  const counted = select({ count: sql<number>`count(*)` }).from(sql`${table}`).where(where)
  const size = request.pageSize
  const page = (number: number) =>
    select(sharedColumns(resource, size))
      .from(tableOf(resource))
      .where(where)
      .orderBy(orderBy(request.order, false, resource.id))
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
