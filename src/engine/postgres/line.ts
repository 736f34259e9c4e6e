import { type SQL, sql } from 'drizzle-orm'
import { at } from '../../base/collections.ts'
import type { Cost, Explanation, Row, Session } from '../engine.ts'
import { type Connection, connectTo, type Server } from './connection.ts'
import { faultOf, isOfViews } from './faults.ts'
import { statementOf } from './sql.ts'

/** The revision of a level. `changed` is in milliseconds since 1970. */
export interface StateRow {
  readonly level: number
  readonly revision: number
  readonly changed: number
}

/** The notes of a request about its reads. */
export interface Noted {
  states: readonly StateRow[] | null
  readonly cost: Cost
  readonly explanation: Explanation | null
}

const BEGIN = sql`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`
/** Compiling a statement takes longer than it saves in a request. Times without a zone are in UTC. */
const settingsOf = (deadline: number) => sql`SELECT set_config('statement_timeout', ${String(deadline)}, true),
  set_config('jit', 'off', true), set_config('TimeZone', 'UTC', true), set_config('extra_float_digits', '1', true)`

/** The line of a request to a server. Its connection opens with the first flight, and closes when nobody holds it. */
export interface Line {
  /** Sends statements in one flight. Throws the error for the client. */
  readonly flight: (queries: readonly SQL[]) => Promise<Row[][]>
  /** Sends statements in one flight. Throws the error of the server. */
  readonly send: (queries: readonly SQL[]) => Promise<Row[][]>
  /** The statements that begin a transaction, which sees one moment of the data. */
  readonly opening: readonly SQL[]
  /**
   * Sends statements in the transaction of the request, which begins with the first of them. `use` receives each row of
   * the last one.
   */
  readonly inTransaction: (queries: readonly SQL[], use?: (row: Row) => void) => Promise<Row[][]>
  readonly isBegun: () => boolean
  /** Keeps the connection open until the returned function is called. */
  readonly hold: () => () => void
}

/** Makes a line. `onViews` is called if the views may have changed. */
export const lineTo = (server: Server, session: Session, noted: Noted, onViews: () => void): Line => {
  const opening = [BEGIN, settingsOf(server.deadlines.statement)]
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
  const send: Line['inTransaction'] = (queries, use) => {
    connection ??= connectTo(server)
    return fly(connection, queries, use, session, noted, server.deadlines.statement)
  }
  const flight: Line['inTransaction'] = (queries, use) =>
    send(queries, use).catch((error) => {
      if (isOfViews(error)) onViews()
      throw faultOf(error)
    })
  const inTransaction: Line['inTransaction'] = async (queries, use) => {
    const first = isBegun ? [] : opening
    isBegun = true
    return (await flight([...first, ...queries], use)).slice(first.length)
  }
  return { flight, send, opening, inTransaction, isBegun: () => isBegun, hold }
}

/** Sends statements in one flight, and notes their cost. */
const fly = async (
  connection: Connection,
  queries: readonly SQL[],
  use: ((row: Row) => void) | undefined,
  { onSend, onRead, explain = false }: Session,
  { cost, explanation }: Noted,
  deadline: number,
): Promise<Row[][]> => {
  const started = performance.now()
  onSend?.(deadline)
  const counted = (row: Row) => {
    cost.rowsRead += 1
    use?.(row)
  }
  try {
    const isUsed = (i: number) => use !== undefined && i === queries.length - 1
    const answers = await Promise.all(
      queries.map((query, i) => connection.query(query, isUsed(i) ? counted : undefined)),
    )
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
