import { type SQL, sql } from 'drizzle-orm'
import { at } from '../../base/collections.ts'
import { makeWork, type Work } from '../../base/work.ts'
import type { Cost, Explanation, Row, Session } from '../engine.ts'
import type { State } from '../state.ts'
import { type Connection, connectTo, type Server } from './connection.ts'
import { faultOf, isOfViews } from './faults.ts'
import { literal, statementOf } from './sql.ts'
import { probesOf, refuseFaults, unreadable, VIEWS_QUERY, type Views, viewsIn, withIndexes } from './views.ts'

/** The rows of each query. A template may declare the type of its rows. */
type Answers<Queries extends readonly SQL[]> = { -readonly [I in keyof Queries]: RowsOf<Queries[I]> }
type RowsOf<Query> = (Query extends SQL<infer Declared> ? (unknown extends Declared ? Row : Declared) : Row)[]

/** Reads the rows of each query in one flight. */
export type Read = <Queries extends SQL[]>(...queries: Queries) => Promise<Answers<Queries>>

/** One moment of the data. All its reads see the same rows. */
export interface Snapshot {
  readonly level: number
  readonly views: Views
  /** The state of the data for the caller's level. Null: before the first read, or if the database does not have it. */
  readonly state: () => State | null
  readonly read: Read
  readonly work: Work
  /** Reads the rows of a query in batches. `rows` returns the most rows of the next one. */
  readonly batches: <R>(query: SQL<R>, rows: () => number) => AsyncGenerator<readonly R[], void>
}

/** What an isolate knows about a database. */
export interface Memory {
  views: { readonly found: Views; readonly at: number } | null
}

/** The views are read again after so many milliseconds. */
const MAX_AGE = 60_000

const BEGIN = sql`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`
/** Compiling a statement takes longer than it saves in a request. Times without a zone are in UTC. */
const settingsOf = (deadline: number) => sql`SELECT set_config('statement_timeout', ${String(deadline)}, true),
  set_config('jit', 'off', true), set_config('TimeZone', 'UTC', true), set_config('extra_float_digits', '1', true)`

/** The revision of a level. `changed` is in milliseconds since 1970. */
export interface StateRow {
  readonly level: number
  readonly revision: number
  readonly changed: number
}

const STATES = sql<StateRow>`SELECT level, revision, floor(extract(epoch FROM changed) * 1000)::bigint AS changed FROM event_revision`
/** The state is unknown without the table of grade C. */
const NO_STATES = sql<StateRow>`SELECT NULL WHERE false`

/** What the reads of a request noted. */
export interface Noted {
  states: readonly StateRow[] | null
  readonly cost: Cost
  readonly explanation: Explanation | null
}

/** Returns the state of a level. */
export const stateIn = ({ states }: Noted, level: number): State | null =>
  states?.find((row) => row.level === level) ?? null

/** The snapshots of a request. */
export interface Snapshots {
  /** Runs reads in one snapshot. Inner calls use that of the outer one, and the outermost ends the connection. */
  readonly within: <T>(use: (snapshot: Snapshot) => Promise<T>) => Promise<T>
  /** Keeps the snapshot open for a stream, until the returned function is called. */
  readonly hold: () => () => void
  /** Reads the views anew. Returns them with their faults. */
  readonly check: () => Promise<Views>
}

export const snapshotsOf = (server: Server, memory: Memory, session: Session, noted: Noted): Snapshots => {
  const work = makeWork()
  let connection: Connection | null = null
  let isBegun = false
  let holders = 0
  const hold = () => {
    holders += 1
    let isHeld = true
    return () => {
      if (isHeld) holders -= 1
      isHeld = false
      if (holders > 0) return
      connection?.end()
      connection = null
      isBegun = false
    }
  }
  const settings = settingsOf(server.deadlines.statement)
  const send = (queries: readonly SQL[]): Promise<Row[][]> => {
    connection ??= connectTo(server)
    return fly(connection, queries, session, noted, server.deadlines.statement)
  }
  const flight = (queries: readonly SQL[]): Promise<Row[][]> =>
    send(queries).catch((error) => {
      if (isOfViews(error)) memory.views = null
      throw faultOf(error)
    })
  const inspect = async (): Promise<Views> => {
    const [, , rows = []] = await flight([BEGIN, settings, VIEWS_QUERY])
    const columns = viewsIn(rows as never) // the rows of the query
    if (columns.faults.length > 0) return columns
    const plans = await send(probesOf(columns)).catch((error) => {
      if (isOfViews(error)) return unreadable(error)
      throw faultOf(error)
    })
    return Array.isArray(plans) ? withIndexes(columns, plans) : { ...columns, faults: [plans] }
  }
  const check = async (): Promise<Views> => {
    const release = hold()
    try {
      const found = await inspect()
      memory.views = found.faults.length === 0 ? { found, at: Date.now() } : null
      return found
    } finally {
      release()
    }
  }
  const viewsNow = async (): Promise<Views> => {
    const known = memory.views
    if (known !== null && Date.now() - known.at < MAX_AGE) return known.found
    const found = await check()
    refuseFaults(found)
    return found
  }
  const readIn = (views: Views) => async (queries: readonly SQL[]) => {
    if (isBegun) return flight(queries)
    isBegun = true
    const [, , states = [], ...rows] = await flight([
      BEGIN,
      settings,
      views.hasRevision ? STATES : NO_STATES,
      ...queries,
    ])
    noted.states = states as unknown as readonly StateRow[] // the rows of the query
    return rows
  }
  const within: Snapshots['within'] = async (use) => {
    const release = hold()
    try {
      const views = await viewsNow()
      const read = readIn(views)
      const inOrder = ((...queries) => read(queries)) as Read // the answers have the order of the queries
      return await use({
        level: session.level,
        views,
        work,
        state: () => stateIn(noted, session.level),
        read: inOrder,
        batches: (query, rows) => batchesOf(read, query, rows) as never, // the rows of the query
      })
    } finally {
      release()
    }
  }
  return { within, hold, check }
}

/** Sends statements in one flight, and notes their cost. */
const fly = async (
  connection: Connection,
  queries: readonly SQL[],
  { onSend, onRead, explain = false }: Session,
  { cost, explanation }: Noted,
  deadline: number,
): Promise<Row[][]> => {
  const started = performance.now()
  onSend?.(deadline)
  try {
    const answers = await Promise.all(queries.map(connection.query))
    cost.rowsRead += answers.reduce((sum, { length }) => sum + length, 0)
    if (explain) explanation?.trips.push(await explained(connection, queries, answers))
    return answers
  } finally {
    const milliseconds = performance.now() - started
    cost.roundTrips += 1
    cost.milliseconds += milliseconds
    // The time of a statement is limited, and not what a client reads in a minute.
    onRead?.(0)
  }
}

/** Returns the statements of a flight with the plans of the server. It explains only queries. */
const explained = (connection: Connection, queries: readonly SQL[], answers: readonly Row[][]) =>
  Promise.all(
    queries.map(async (query, i) => {
      const { text, values } = statementOf(query)
      const lines = /^\s*SELECT|^\s*WITH/.test(text) ? await connection.query(sql`EXPLAIN ${query}`) : []
      const plan = lines.map((line) => String(line['QUERY PLAN']))
      return { sql: text, parameters: values, rowsRead: at(answers, i).length, plan }
    }),
  )

let cursors = 0

async function* batchesOf(
  read: (queries: readonly SQL[]) => Promise<Row[][]>,
  query: SQL,
  rows: () => number,
): AsyncGenerator<readonly Row[], void> {
  cursors += 1
  const name = sql.identifier(`rows${cursors}`)
  const fetchOf = (most: number) => sql`FETCH ${literal(Math.max(1, Math.floor(most)))} FROM ${name}`
  let most = rows()
  let [, batch = []] = await read([sql`DECLARE ${name} NO SCROLL CURSOR FOR ${query}`, fetchOf(most)])
  while (batch.length > 0) {
    yield batch
    if (batch.length < most) return
    most = rows()
    ;[batch = []] = await read([fetchOf(most)])
  }
}
