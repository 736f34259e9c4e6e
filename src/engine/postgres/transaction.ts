import { type SQL, sql } from 'drizzle-orm'
import { at } from '../../base/collections.ts'
import { inTime } from '../../base/queue.ts'
import type { Cost, Explanation, Row, Session } from '../engine.ts'
import { type Door, queryOn, silent, type Visit } from './connection.ts'
import { tooSlow } from './faults.ts'
import { literal, type PreparedStatement, statementOf } from './sql.ts'

/** The revision of a level. `changed` is a digest of the writes and of the views. */
export interface StateRow {
  readonly level: number
  readonly revision: number
  readonly changed: number
  /** The views in the memory are up to date. */
  readonly isSame: boolean
}

/** The notes of a request about its reads. */
export interface Noted {
  states: readonly StateRow[] | null
  readonly cost: Cost
  readonly explanation: Explanation | null
}

const BEGIN = sql`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`

/** Compiling a statement takes longer than it saves in a request. Times without a zone are in UTC. */
const settingsOf = (milliseconds: number) => sql`SELECT set_config('statement_timeout', ${String(milliseconds)}, true),
  set_config('jit', 'off', true), set_config('TimeZone', 'UTC', true), set_config('extra_float_digits', '1', true)`

/**
 * Limits a statement to the rest of so many milliseconds, and to `most`. They count from the start of the transaction, by the
 * clock of the server.
 */
const restOf = (milliseconds: number, most: number): SQL => {
  const rest = sql`${literal(milliseconds)} - floor(extract(epoch FROM clock_timestamp() - now()) * 1000)`
  return sql`SELECT set_config('statement_timeout', least(${literal(most)}, greatest(1, ${rest}))::text, true)`
}

/** A transaction, which sees one moment of the data. It begins with its first statements. */
export interface Transaction {
  /** Sends statements in one flight. `use` receives each row of the last one. Throws the error of the server. */
  readonly send: (queries: readonly SQL[], use?: (row: Row) => void) => Promise<Row[][]>
  /** Ends it, also if the server still works or is silent. Nobody waits for that. */
  readonly end: () => void
}

/**
 * Enters a database. The visit ends by itself when the client of the request leaves, and `grace` after the deadline: the client
 * may read too slowly.
 */
const enter = async (door: Door, left: () => number, signal?: AbortSignal): Promise<Visit> => {
  if (left() === 0) throw tooSlow()
  const visit = await door.enter(left())
  let hasLeft = false
  const leave = (isClean: boolean) => {
    clearTimeout(late)
    if (!hasLeft) visit.leave(isClean)
    hasLeft = true
  }
  const late = setTimeout(() => leave(false), left() + door.deadlines.grace)
  signal?.addEventListener('abort', () => leave(false))
  // The client may have left during the wait.
  if (signal?.aborted) leave(true)
  return { client: visit.client, leave }
}

/** Makes a transaction, which ends at a time of `performance.now()` at the latest. */
export const transactionOn = (door: Door, until: number, session: Session, noted: Noted): Transaction => {
  const { grace, request } = door.deadlines
  let visiting: Promise<Visit> | null = null
  let unanswered = 0
  /** The milliseconds that were left at the beginning. */
  let allowed: number | null = null
  const left = () => Math.max(0, Math.floor(until - performance.now()))
  const ask = async (client: Visit['client'], query: SQL, use?: (row: Row) => void): Promise<Row[]> => {
    unanswered += 1
    return queryOn(client, query, use).finally(() => {
      unanswered -= 1
    })
  }
  /** Returns the statements that come before one: they limit its time. */
  const before = (): readonly SQL[] => {
    if (allowed !== null) return [restOf(allowed, request)]
    allowed = Math.max(1, left())
    return [BEGIN, settingsOf(Math.min(allowed, request))]
  }
  const send: Transaction['send'] = async (queries, use) => {
    session.signal?.throwIfAborted()
    session.onSend?.(left())
    visiting ??= enter(door, left, session.signal)
    const { client } = await visiting
    session.signal?.throwIfAborted()
    const asked = queries.map(async (query, i) => {
      const first = before().map((each) => ask(client, each))
      const rows = ask(client, query, i === queries.length - 1 ? use : undefined)
      // The first error is the one that the others follow from.
      await Promise.all([...first, rows])
      return rows
    })
    return inTime(Promise.all(asked), left() + grace, silent)
  }
  const leaveWhole = async ({ client, leave }: Visit): Promise<void> => {
    if (unanswered > 0) return leave(false)
    if (allowed === null) return leave(true)
    // A pooler keeps the connection only if its transaction has ended.
    const committed = inTime(queryOn(client, sql`COMMIT`), grace, silent)
    await committed.then(
      () => leave(true),
      () => leave(false),
    )
  }
  const end = () => {
    const ended = visiting?.then(leaveWhole, () => {})
    if (ended) session.waitUntil?.(ended)
  }
  return { send: noting(send, session, noted), end }
}

/** Sends statements in one flight, and notes their cost. */
const noting =
  (
    send: Transaction['send'],
    { onRead, explain = false }: Session,
    { cost, explanation }: Noted,
  ): Transaction['send'] =>
  async (queries, use) => {
    const started = performance.now()
    const counted = (row: Row) => {
      cost.rowsRead += 1
      use?.(row)
    }
    try {
      const answers = await send(queries, use && counted)
      cost.rowsRead += answers.reduce((sum, { length }) => sum + length, 0)
      if (explain) explanation?.trips.push(await explained(send, queries, answers))
      return answers
    } finally {
      cost.roundTrips += 1
      cost.milliseconds += performance.now() - started
      // The time of a request is limited, and not what a client reads in a minute.
      onRead?.(0)
    }
  }

/** Returns the statements of a flight with the plans of the server. It explains only queries. */
const explained = async (send: Transaction['send'], queries: readonly SQL[], answers: readonly Row[][]) => {
  const statements = queries.map(statementOf)
  const isQuery = ({ text }: PreparedStatement) => /^\s*(SELECT|WITH)/.test(text)
  const plans = await send(
    queries.map((query, i) => (isQuery(at(statements, i)) ? sql`EXPLAIN ${query}` : sql`SELECT NULL WHERE false`)),
  )
  return statements.map(({ text, values }, i) => ({
    sql: text,
    parameters: values,
    rowsRead: at(answers, i).length,
    plan: at(plans, i).map((line) => String(line['QUERY PLAN'])),
  }))
}
