import { invalidParameters } from '../errors.ts'
import type { Condition } from '../filters/filter.ts'
import type { Database } from './database.ts'
import { MAX_QUERIES } from './effort.ts'
import { everyWithin } from './every.ts'
import { fetchPage } from './fetch.ts'
import type { Page, PageRequest } from './page.ts'
import { readAtOneRevision, untilAtRest } from './revision.ts'
import { searchOf } from './search.ts'
import type { Row, Table } from './table.ts'

/** All rows that match, in batches to be read one after the other, all of one revision. */
export interface All {
  readonly count: number
  readonly batches: AsyncGenerator<readonly Row[], void>
}

/** How many rows are held at a time. */
const BATCH = 10_000

/** The data changed after reading began. */
class Changed extends Error {
  constructor() {
    super('The data changed while it was sent.')
  }
}

/**
 * Opens everything that a request asks for, whatever its page. The first batch is read already: until then it starts again when
 * the data changes, afterwards the batches break off with an error. Throws a 400 where there is too much for one request.
 */
export const fetchAll = (db: Database, resource: Table, request: PageRequest, level: number): Promise<All> =>
  untilAtRest(Changed, async () => {
    const { conditions } = request
    const area = conditions.find((condition) => 'area' in condition)?.area
    const asked = { ...request, key: null, page: 1, hint: null, pageSize: area === undefined ? BATCH : 1 }
    const first = await fetchPage(db, resource, asked, level)
    checkCount(first.count, conditions)
    const still = heldAt(db)
    const batches =
      area === undefined || resource.ways === undefined
        ? pagesFrom(first, (page) => fetchPage(still, resource, { ...asked, ...page }, level))
        : everyWithin(searchOf(readAtOneRevision(still), resource, resource.ways, asked, level), area, first)
    return { count: first.count, batches: resumed(await batches.next(), batches) }
  })

/** How many rows a request for everything would give. Throws a 400 where there is too much for one request. */
export const countAll = async (db: Database, resource: Table, request: PageRequest, level: number): Promise<number> => {
  const { count } = await fetchPage(db, resource, { ...request, page: 1, hint: null, pageSize: 1 }, level)
  checkCount(count, request.conditions)
  return count
}

/** A batch is found out about by a query for each condition, and read by two; with both goes one for the revision. */
const checkCount = (count: number, conditions: readonly Condition[]): void => {
  const most = BATCH * Math.floor(MAX_QUERIES / (4 + conditions.length))
  if (count <= most) return
  const [matched, taken] = [count, most].map((number) => number.toLocaleString('en'))
  throw invalidParameters({
    page_size: [`${matched} items match, and all takes ${taken} of these. Add a filter, or enter a number.`],
  })
}

/** A database that answers at the revision it was read at last, and no other. */
const heldAt = (db: Database): Database => {
  const revision = db.state()?.revision
  const read: Database['read'] = async (...queries) => {
    const answers = await db.read(...queries)
    if (db.state()?.revision !== revision) throw new Changed()
    return answers
  }
  return { ...db, read }
}

type Turned = Pick<PageRequest, 'page' | 'hint'>

/** The rows of a page and of all after it. */
async function* pagesFrom(first: Page, fetch: (page: Turned) => Promise<Page>): AsyncGenerator<readonly Row[], void> {
  for (let page = first; ; ) {
    yield page.rows
    if (page.next === null) return
    page = await fetch({ page: page.number + 1, hint: page.next.hint ?? null })
  }
}

/** What a generator gave already, and then the rest. */
async function* resumed<T>(given: IteratorResult<T, void>, rest: AsyncGenerator<T, void>): AsyncGenerator<T, void> {
  try {
    if (given.done) return
    yield given.value
    yield* rest
  } finally {
    await rest.return()
  }
}
