import { ACCESS_LEVELS } from '../../base/access.ts'
import { keptFor } from '../../base/collections.ts'
import { ValueError } from '../../base/errors.ts'
import { type Condition, leavesOf } from '../../question/condition.ts'
import type { ListName } from '../../question/fields.ts'
import type { Question } from '../../question/question.ts'
import type { Engine, Reader, Refusal } from '../engine.ts'
import { parseStart } from '../shared/cut.ts'
import { type KnownKey, readChanges } from './changes.ts'
import { partsOf } from './conditions.ts'
import { type Database, openDatabase } from './database.ts'
import { readExtent, readOverview, readReady, readUuids } from './overview.ts'
import { type Part, sqlOf } from './part.ts'
import { fetchAll, fetchPage } from './read.ts'
import { fetchItem } from './rows.ts'
import { searchOf } from './search.ts'
import { preparedText } from './sql.ts'
import { fetchSummary } from './summary/summary.ts'
import { tableOf } from './tables.ts'
import { fetchTile } from './tile.ts'

/** Returns the engine of a D1 database. */
export const d1Engine = keptFor((d1: D1Database): Engine => {
  const key: KnownKey = { key: null }
  return {
    takesWrites: true,
    refusals: refusalsOf,
    isHint: (text) => parseStart({ text, isOwn: false }, 1) !== null,
    weight,
    open: (session) => readerOf(openDatabase(d1, session, session.newest), key),
  }
})

/** Returns the reads of an open database. */
export const readerOf = (db: Database, key: KnownKey = { key: null }): Reader => ({
  ...db,
  refresh: async () => {
    await db.read()
  },
  page: (...asked) => fetchPage(db, ...asked),
  all: (...asked) => fetchAll(db, ...asked),
  item: (list, key, { fields }) => fetchItem(db, list, key, fields),
  summary: (...asked) => fetchSummary(db, ...asked),
  tile: (...asked) => fetchTile(db, ...asked),
  extent: (series) => readExtent(db, series),
  overview: (slice) => readOverview(db, slice),
  uuids: (most) => readUuids(db, most),
  changes: (followed) => readChanges(db, key, followed),
  ready: () => readReady(db),
})

/** A small read has at most so many rows. */
const FEW_ROWS = 500

/**
 * Returns how dear a page is. It is cheap if its first row is found without counting the rows before it. It may be dear if
 * stored counts have the number of its matches. Any other page is dear.
 */
const weight = (list: ListName, { where, latest, slice }: Question): ReturnType<Engine['weight']> => {
  const { from, limit } = slice
  const parts = partsOf(list, where)
  const isNear = from !== 'end' && ('after' in from || from.offset === 0 || from.hint != null)
  if (latest !== null || limit > FEW_ROWS) return 'high'
  if (isNear && parts.every(namesFew)) return 'low'
  const isCounted = parts.length <= 1 && parts.every((part) => part.kind === 'range' || namesFew(part))
  return isCounted ? 'any' : 'high'
}

const namesFew = (part: Part): boolean => part.kind === 'entry' && part.few

/** The most characters of the SQL of a condition. D1 limits a statement to 100,000 bytes, and it has the condition twice. */
const MAX_SQL = 40_000

/**
 * Returns the parts of a condition that D1 cannot decide. Without such parts, the whole is refused if it is too long for a
 * statement.
 */
export const refusalsOf = (list: ListName, where: Condition): readonly Refusal[] => {
  try {
    return lengthOf(list, where) > MAX_SQL ? [{ of: where, message: ['largeFilter'] }] : []
  } catch (error) {
    const [message] = error instanceof ValueError ? error.sentences : []
    if (message === undefined) throw error
    const parts = leavesOf(where)
    return parts.includes(where) ? [{ of: where, message }] : parts.flatMap((part) => refusalsOf(list, part))
  }
}

/** Returns the characters of the SQL of a condition. */
const lengthOf = (list: ListName, where: Condition): number => {
  const { plain, entries, lookUps } = searchOf(tableOf(list, []), { where, latest: null }, ACCESS_LEVELS.Hidden)
  const written = [...plain, ...lookUps.map((part) => sqlOf(part).sql), ...entries.map(({ match }) => match.sql)]
  return written.reduce((sum, text) => sum + preparedText(text).sql.length, 0)
}
