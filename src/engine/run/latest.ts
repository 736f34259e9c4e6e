import { sql } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import { numberAt } from '../../collections.ts'
import type { CountedDictionary } from '../../filters/filter.ts'
import type { PageRequest } from '../conditions/page.ts'
import { amongIds, type Search } from '../conditions/search.ts'
import { canSeek, latestQuery } from '../sql/latest.ts'
import { withoutArea } from './area.ts'
import type { Database } from './database.ts'
import { eachMatch } from './matches.ts'
import type { SnapshotReader } from './snapshot.ts'
import { decideTexts } from './texts.ts'

/** Replaces conditions that depend on more than one row or on texts by the ids of the rows that meet them. */
export const decideRows = async (
  read: SnapshotReader,
  db: Database,
  asked: Search,
  page: Pick<PageRequest, 'order' | 'cursor' | 'pageSize'> | null = null,
): Promise<Search> => {
  const { latest } = asked
  // The latest rows follow from all matches, and not from one page.
  const search = await decideTexts(read, db, asked, latest === null ? page : null)
  if (latest === null) return search
  const matching = { ...search, latest: null }
  const ids = canSeek(matching, latest)
    ? (await read(latestQuery(matching, latest)))[0].map(({ id }) => id)
    : await latestMatches(read, db, matching, latest)
  const all = { ...matching, plain: [], ranges: new Map(), groups: [], area: null, decided: null }
  return amongIds(all, ids)
}

/** Reads all matches, and returns the ids of the latest ones. */
const latestMatches = async (
  read: SnapshotReader,
  db: Database,
  asked: Search,
  { key }: CountedDictionary,
): Promise<readonly number[]> => {
  const statistics = db.statistics()
  const search = await withoutArea(read, asked, statistics)
  const latest = new Map<number, readonly [start: number, id: number]>()
  const columns = [sql`${key}`, sql`${events.start}`, sql`${events.id}`]
  await eachMatch(read, search, statistics, columns, (_, numbers, offset) => {
    const entry = numberAt(numbers, offset)
    const [start, id] = [numberAt(numbers, offset + 1), numberAt(numbers, offset + 2)]
    const [last, lastId] = latest.get(entry) ?? [Number.NEGATIVE_INFINITY, 0]
    if (start > last || (start === last && id > lastId)) latest.set(entry, [start, id])
  })
  return Array.from(latest.values(), ([, id]) => id)
}
