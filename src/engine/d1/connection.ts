import { type SQL, sql } from 'drizzle-orm'
import { revisions } from '../../../schema/tables.ts'
import { at } from '../../base/collections.ts'
import { inTime } from '../../base/queue.ts'
import { UNITS_A_MILLISECOND } from '../../base/work.ts'
import type { Cost, ExplainedPlan, Explanation, Row, Session } from '../engine.ts'
import { isSame, REVISIONS, type State, stateIn } from '../state.ts'
import { type Estimates, estimatesIn, rememberedOf, renewalOf, UNKNOWN } from './estimates.ts'
import { namedColumns, preparedText } from './sql.ts'

/** The rows of each query. A template may declare the type of its rows. */
export type Answers<Queries extends readonly SQL[]> = { -readonly [I in keyof Queries]: RowsOf<Queries[I]> }

type RowsOf<Query> = (Query extends SQL<infer Declared> ? (unknown extends Declared ? Row : Declared) : Row)[]

/** The plan of a list that is read as a whole. */
const WHOLE_TABLE: ExplainedPlan = { path: 'whole table', rows: null, matches: null, paths: [] }

/** D1 writes a bookmark as hexadecimal numbers joined by hyphens. */
const BOOKMARK = /^[0-9a-f]{1,32}(-[0-9a-f]{1,64}){1,5}$/i

/** Thrown if the database does not answer in time. */
export class Late extends Error {}

/**
 * What the reads of a request found so far. `states` is the row of all levels in the last one, and `first` is the state of
 * the caller's level in the first one. Null: nothing was read.
 */
export interface ReadProgress {
  states: { readonly row: Row | undefined } | null
  first: State | null
  isOneState: boolean
  /** A read throws if the data has changed since the first one. */
  isStrict: boolean
  bookmark: string | null
}

/** Connects a request to D1. `primary`: it has to read the newest data. `attempt` sends a batch once. */
export const connect = (d1: D1Database, session: Session, primary: boolean) => {
  const { level, bookmark = null, onRead = () => {}, onSend = () => {}, explain = false } = session
  const isKnown = bookmark !== null && BOOKMARK.test(bookmark)
  let open = d1.withSession(primary ? 'first-primary' : isKnown ? bookmark : 'first-unconstrained')
  const seen: ReadProgress = { states: null, first: null, isOneState: true, isStrict: false, bookmark: null }
  const cost = noCost()
  const explanation: Explanation | null = explain ? { plan: WHOLE_TABLE, trips: [] } : null
  const remembered = rememberedOf(d1)
  let isPlanned = false
  const state = (of = level): State | null => seen.states && stateIn(seen.states.row, of)
  const send = (statements: readonly Sent[], before = ''): Promise<D1Result<Row>[]> =>
    open.batch<Row>(statements.map(({ sql, parameters }) => open.prepare(before + sql).bind(...parameters)))
  const attempt = async <Queries extends SQL[]>(
    queries: Queries,
    first: readonly Sent[],
    deadline: number,
  ): Promise<Answers<Queries>> => {
    const started = performance.now()
    onSend(deadline)
    try {
      const texts = [...first, ...[STATES, ...queries].map((query) => preparedText(query))]
      const renewing = isPlanned ? renewalOf(remembered.get(level) ?? UNKNOWN, level) : []
      const sent = send([...texts, ...renewing.map((query) => preparedText(query))])
      const all = await inTime(sent, deadline, () => new Late(`no answer in ${deadline} ms`))
      const results = all.slice(0, texts.length)
      const renewed = all.slice(texts.length)
      if (renewed.length > 0) remembered.set(level, estimatesIn(renewed))
      onRead(noteCost(cost, results, renewed))
      explanation?.trips.push(explained(texts, results, await send(texts, 'EXPLAIN QUERY PLAN ')))
      const answered = results.slice(first.length).map(({ results }) => results)
      const [[row], ...answers] = answered as Answers<[typeof STATES, ...Queries]> // in the order of `texts`
      seen.bookmark = open.getBookmark() ?? null
      seen.states = { row }
      seen.first ??= state()
      seen.isOneState &&= isSame(seen.first, state())
      return answers
    } finally {
      cost.roundTrips += 1
      cost.milliseconds += performance.now() - started
    }
  }
  const usePrimary = (): void => {
    open = d1.withSession('first-primary')
  }
  const estimates = (): Estimates => {
    isPlanned = true
    return remembered.get(level) ?? UNKNOWN
  }
  return { attempt, usePrimary, seen, cost, explanation, state, estimates }
}

const noCost = (): Cost => {
  const sums = { roundTrips: 0, rowsRead: 0, estimateRows: 0, milliseconds: 0 }
  return { ...sums, plan: null, region: null, size: 0 }
}

/** A statement with its parameters, as `preparedText` writes it. */
type Sent = ReturnType<typeof preparedText>

/** Returns the statements of a round trip, with their rows and the plans of SQLite. */
const explained = (texts: readonly Sent[], results: readonly D1Result[], plans: readonly D1Result<Row>[]) =>
  texts.map((text, i) => ({
    ...text,
    rowsRead: at(results, i).meta.rows_read ?? 0,
    plan: at(plans, i).results.map(({ detail }) => String(detail)),
  }))

/** Reads the states of all levels, which are one row. */
const STATES = sql<Row>`SELECT ${namedColumns(
  Object.fromEntries(
    REVISIONS.flatMap(({ level, revision, changed }) => [
      [`revision${level}`, revision],
      [`changed${level}`, changed],
    ]),
  ),
)} FROM ${revisions}`

/**
 * Notes the cost of a round trip. Returns its units of work: its rows, or its time if that is more. Few rows with long
 * texts may take long.
 */
const noteCost = (cost: Cost, results: readonly D1Result[], renewed: readonly D1Result[]): number => {
  const rowsOf = (answers: readonly D1Result[]) => answers.reduce((sum, { meta }) => sum + (meta.rows_read ?? 0), 0)
  const [rows, estimateRows] = [rowsOf(results), rowsOf(renewed)]
  const milliseconds = [...results, ...renewed].reduce((sum, { meta }) => sum + (meta.duration ?? 0), 0)
  cost.rowsRead += rows
  cost.estimateRows += estimateRows
  const last = results.at(-1)?.meta
  cost.region = regionOf(last)
  cost.size = last?.size_after ?? 0
  return Math.max(rows + estimateRows, UNITS_A_MILLISECOND * milliseconds)
}

/** Returns the region that answered, and says if it is the primary. Returns null for a local database. */
const regionOf = (meta: D1Meta | undefined): string | null => {
  if (meta?.served_by_region === undefined) return null
  return meta.served_by_primary ? `${meta.served_by_region} primary` : meta.served_by_region
}
