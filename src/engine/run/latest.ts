import { sql } from 'drizzle-orm'
import { numberAt } from '../../collections.ts'
import type { Dictionary } from '../../filters/filter.ts'
import { isTested } from '../conditions/criteria.ts'
import type { Search } from '../conditions/search.ts'
import { latestQuery } from '../sql/latest.ts'
import type { Cache } from './cache.ts'
import { readPlan } from './facts.ts'
import { matchReading } from './matches.ts'
import { readPortions } from './portions.ts'
import type { SnapshotReader } from './snapshot.ts'
import { decideTexts } from './texts.ts'
import { testsOf } from './words.ts'

/** Replaces conditions that depend on more than one row or on texts by the ids of the rows that meet all conditions. */
export const decideRows = async (read: SnapshotReader, cache: Cache, asked: Search): Promise<Search> => {
  const { latest } = asked.criteria
  // The latest rows follow from all matches. With a cursor, texts would be tested for one page only.
  const whole = latest === null ? asked : { ...asked, cursor: null }
  const search =
    asked.criteria.tested.length === 0 ? asked : await decideTexts(read, cache, whole, await testsOf(read, asked))
  if (latest === null) return search
  const matching = { ...search, criteria: { ...search.criteria, latest: null } }
  const ids = canSeek(matching, latest)
    ? (await read(latestQuery(matching, latest)))[0].map(({ id }) => id)
    : await latestMatches(read, cache, matching, latest)
  const listed = { kind: 'listed', column: search.table.id, values: ids.map(BigInt) } as const
  const criteria = { plain: [], spans: [], lists: [listed], groups: [], tested: [], latest: null, area: null }
  return { ...asked, criteria, known: { count: ids.length, rowsPerMatch: 0 }, knownAt: read.state() }
}

/** Returns true if the index of the dictionary finds the latest rows. */
const canSeek = ({ criteria, access: { time }, bounds }: Search, of: Dictionary): boolean => {
  const { plain, spans, lists, groups, area } = criteria
  return (
    plain.length + lists.length === 0 &&
    area === null &&
    bounds.possible &&
    spans.every(({ column }) => column === time.start || column === time.end) &&
    groups.every((group) => group.dictionary === of && !isTested(group))
  )
}

/** Reads all matches, and returns the ids of the latest ones. */
const latestMatches = async (
  read: SnapshotReader,
  cache: Cache,
  asked: Search,
  { key }: Dictionary,
): Promise<readonly number[]> => {
  const { search, plan, statistics } = await readPlan(read, cache, asked)
  const extras = [sql`${key}`, sql`${search.access.time.start}`, sql`${search.table.id}`]
  const latest = new Map<number, readonly [start: number, id: number]>()
  const matching = { search, plan, statistics, extras }
  const reading = matchReading(matching, (_, __, numbers, offset) => {
    const entry = numberAt(numbers, offset)
    const [start, id] = [numberAt(numbers, offset + 1), numberAt(numbers, offset + 2)]
    const [last, lastId] = latest.get(entry) ?? [Number.NEGATIVE_INFINITY, 0]
    if (start > last || (start === last && id > lastId)) latest.set(entry, [start, id])
  })
  await readPortions(read, reading)
  return Array.from(latest.values(), ([, id]) => id)
}
