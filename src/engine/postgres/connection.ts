import type { SQL } from 'drizzle-orm'
import type { Client } from 'pg'
import Query from 'pg/lib/query.js'
import type { Row } from '../engine.ts'
import { statementOf } from './sql.ts'

/**
 * Milliseconds. A server has `connect` to accept a connection. A request and a consistent stream have the others in all.
 * The server ends a statement by itself. If it does not answer at all, the service gives up `grace` later.
 */
export interface Deadlines {
  readonly connect: number
  readonly request: number
  readonly stream: number
  readonly grace: number
}

/** The snapshot of a consistent stream keeps the server from removing old rows, so it ends soon. */
export const DEADLINES: Deadlines = { connect: 5_000, request: 15_000, stream: 60_000, grace: 2_000 }

/** The most connections of a process. Other requests wait in a queue. */
export const MOST_CONNECTIONS = 16

/** Gives all requests of a process their connections to a database. */
export interface Door {
  readonly deadlines: Deadlines
  /** Waits for a turn and a connection, for at most so many milliseconds. */
  readonly enter: (most: number) => Promise<Visit>
}

/** A client of a server, for one transaction. */
export interface Visit {
  readonly client: Client
  /** `isClean`: the server has answered everything, so another request may use the connection. */
  readonly leave: (isClean: boolean) => void
}

/** The server did not answer in time. */
export const silent = (): Error => new Error('The server is silent.')

/** The types whose values are numbers: small integers, doubles and object identifiers. */
const NUMBERS: readonly number[] = [21, 23, 26, 700, 701]
const [BIGINT, BOOLEAN, JSON_VALUE] = [20, 16, 114]

const parserOf = (type: number): ((text: string) => unknown) => {
  if (NUMBERS.includes(type)) return Number
  // JSON has all digits of an integer that is no double.
  if (type === BIGINT) return (text) => (Number.isSafeInteger(Number(text)) ? Number(text) : JSON.rawJSON(text))
  if (type === JSON_VALUE) return JSON.parse
  return type === BOOLEAN ? (text) => text === 't' : (text) => text
}

/** The options of a client. It sends statements without waiting, and the server answers them in their order. */
export const CLIENT_OPTIONS = { pipeline: true, types: { getTypeParser: parserOf } }

/** Sends a statement. With `use`, it gives each row to that function and returns none. */
export const queryOn = async (client: Client, statement: SQL, use?: (row: Row) => void): Promise<Row[]> => {
  const { text, values } = statementOf(statement)
  if (use === undefined) return (await client.query<Row>({ text, values })).rows
  return new Promise((resolve, reject) => {
    const query = new Query<Row>({ text, values })
    query.on('row', (row) => {
      try {
        use(row)
      } catch (error) {
        reject(error)
      }
    })
    query.on('end', () => resolve([]))
    query.on('error', reject)
    client.query(query)
  })
}
