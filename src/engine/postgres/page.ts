import { type SQL, sql } from 'drizzle-orm'
import type { LonLat } from '../../geometry/bbox.ts'
import type { FieldName, ListName } from '../../question/fields.ts'
import type { Question } from '../../question/question.ts'
import type { Page, Reads } from '../engine.ts'
import { parseCursor, type SentCursor } from '../shared/cursor.ts'
import { hintOf, type ListedRow, pageIn } from '../shared/page.ts'
import { refuseOrder, tooLong } from '../shared/refused.ts'
import { firstRows, type SharedRow, withTexts } from '../shared/shares.ts'
import { isSame, NO_STATE } from '../state.ts'
import { type OrderedPart, placesOf } from './distances.ts'
import { selectFrom } from './from.ts'
import { type Matches, matchesOf } from './matches.ts'
import { isUnsure, type Ordering, orderingOf, placeTerms, runsOf } from './order.ts'
import { rowsById, selectShared, wholeBy } from './rows.ts'
import type { Snapshot } from './snapshot.ts'
import { all, integer, named } from './sql.ts'

/** Reads a page of the rows that the caller sees. */
export const readPage = async (
  snapshot: Snapshot,
  list: ListName,
  question: Question,
  { fields, include = null, isWhole = false }: Reads,
): Promise<Page> => {
  const matches = await matchesOf(snapshot, list, question)
  const asked = askedOf(question)
  const { rows, count } = await listed(snapshot, matches, question, asked, fields)
  const page = pageIn(asked, rows, { state: snapshot.state() ?? NO_STATE, count, rowsPerMatch: 0 })
  if (page.isCut && isWhole) throw tooLong()
  // The rows of the other lists are few, so the number of a page finds it.
  const linkOf = (link: typeof page.next) => hintOf(list === 'events' ? link : link && {})
  return {
    count,
    rows: await withTexts(wholeBy(snapshot, list, fields), page.rows),
    next: linkOf(page.next),
    previous: linkOf(page.previous),
    included: include === null ? [] : await seriesOf(snapshot, page.rows, include),
  }
}

/** Reads each series of some events once, in the order of their ids. */
const seriesOf = async (snapshot: Snapshot, events: readonly SharedRow[], fields: readonly FieldName[]) => {
  const ids = [...new Set(events.map(({ series }) => Number(series)))].sort((a, b) => a - b)
  const rows = await rowsById(snapshot, 'series', fields, ids)
  if (firstRows(rows).length < rows.length) throw tooLong()
  return withTexts(wholeBy(snapshot, 'series', fields), rows)
}

/** A slice as a question asks for it. */
interface Asked {
  readonly limit: number
  readonly offset: number
  readonly isEnd: boolean
  readonly cursor: SentCursor | null
}

const askedOf = ({ slice: { from, limit } }: Question): Asked => {
  const asked = { limit, offset: 0, isEnd: from === 'end', cursor: null }
  if (from === 'end') return asked
  if ('after' in from)
    return { ...asked, cursor: { backward: false, from: from.after, state: null, count: 0, rowsPerMatch: 0 } }
  const { offset, hint = null } = from
  return { ...asked, offset, cursor: hint && parseCursor(hint) }
}

/** The rows of a part, and the number of all matches. */
interface Listed {
  readonly rows: readonly ListedRow[]
  readonly count: number
}

/** An index may have these orders of events. In some of them a page is found by its number. */
const INDEXED: readonly unknown[] = ['id', 'series', 'start', 'end', 'duration', 'last_modified', 'value_number']
const FOUND: readonly unknown[] = ['id', 'start', 'end']

const listed = async (
  snapshot: Snapshot,
  matches: Matches,
  question: Question,
  asked: Asked,
  fields: readonly FieldName[],
): Promise<Listed> => {
  const { list } = matches
  const { order } = question
  const { cursor, isEnd } = asked
  const reverse = cursor?.backward ?? isEnd
  // A slice that is not the last one has one row more, which shows that there are others.
  const part: OrderedPart = {
    from: cursor?.from ?? null,
    offset: cursor === null ? asked.offset : 0,
    limit: isEnd ? asked.limit : asked.limit + 1,
    isDown: order.descending !== reverse,
  }
  const isLarge = list === 'events'
  if (isLarge) refuseOrder(0, FOUND.includes(order.by) ? 0 : part.offset)
  if (order.by === 'distance') return listedByDistance(snapshot, matches, order.from ?? [0, 0], part, fields)
  const [[counted] = []] = isLarge && !INDEXED.includes(order.by) ? await snapshot.read(matches.count) : []
  refuseOrder(counted?.count ?? 0, 0)
  const read = async (exact: boolean, count: number | null): Promise<Listed> => {
    const ordering = orderingOf(snapshot, list, order, reverse, exact)
    const rows = partQuery(snapshot, matches, ordering, part, fields)
    if (count !== null) return { rows: (await snapshot.read(rows))[0], count }
    const [found, [all]] = await snapshot.read(rows, matches.count)
    return { rows: found, count: all?.count ?? 0 }
  }
  const sent = snapshot.views.hasRevision && cursor?.state ? cursor : null
  const found = await read(false, counted?.count ?? sent?.count ?? null)
  // An empty page cannot show that the index passed over rows.
  const isPassed = found.rows.length === 0 && part.from !== null
  const isUnsure = isPassed || found.rows.some((row) => row.isUnsure === true)
  const isCounted = sent === null || isSame(snapshot.state(), sent.state)
  return isUnsure || !isCounted ? read(isUnsure, isCounted ? found.count : null) : found
}

/** Reads a part of the matches in an order. The rows that are skipped come from the index alone. */
const partQuery = (
  { views }: Snapshot,
  matches: Matches,
  ordering: Ordering,
  { from, offset, limit }: OrderedPart,
  fields: readonly FieldName[],
): SQL<ListedRow> => {
  const { list, condition } = matches
  const source = matches.withFields(ordering.fields)
  // PostgreSQL reads selections with a LIMIT one after the other, and the second one only if the first one is short.
  const runs = runsOf(ordering, from).map(
    (run) => sql`(${selectFrom(source, named({ id: ordering.id, key: run.key }), all([condition, run.condition]))}
      ORDER BY ${run.terms} LIMIT ${integer(offset + limit)})`,
  )
  const hits = sql`SELECT * FROM (${sql.join(runs, sql` UNION ALL `)}) AS runs LIMIT ${integer(limit)} OFFSET ${integer(offset)}`
  const columns = { rowId: sql`hit.id`, rowAt: ordering.shown, isUnsure: isUnsure(ordering, from) }
  const rows = selectShared(views, list, fields, limit, { from: sql`hit`, columns, names: ordering.fields })
  return sql`WITH hit AS MATERIALIZED (SELECT *, row_number() OVER (ORDER BY ${placeTerms(ordering)}) AS place FROM (${hits}) AS hits) ${rows}` as SQL<ListedRow>
}

/** Reads a part of the matches in the order of the distance from a position. */
const listedByDistance = async (
  snapshot: Snapshot,
  matches: Matches,
  near: LonLat,
  part: OrderedPart,
  fields: readonly FieldName[],
): Promise<Listed> => {
  const [[[counted]], places] = await Promise.all([
    snapshot.read(matches.count),
    placesOf(snapshot, matches, near, part),
  ])
  const distances = new Map(places.map(({ id, distance }) => [id, distance]))
  const rows = await rowsById(snapshot, 'events', fields, [...distances.keys()], { rowId: sql`hit.id` })
  return {
    count: counted?.count ?? 0,
    rows: rows.map((row) => ({ ...row, rowId: Number(row.rowId), rowAt: distances.get(Number(row.rowId)) ?? null })),
  }
}
