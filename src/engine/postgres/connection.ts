import type { SQL } from 'drizzle-orm'
import { Client, Query } from 'pg'
import { CloudflareSocket } from 'pg-cloudflare'
import { inTime } from '../../base/queue.ts'
import type { Row } from '../engine.ts'
import { statementOf } from './sql.ts'

/**
 * The milliseconds that a server has to accept a connection, and that it has for a statement. It ends a statement by
 * itself. If it does not answer at all, the Worker gives up `grace` later.
 */
export interface Deadlines {
  readonly connect: number
  readonly statement: number
  readonly grace: number
}

export const DEADLINES: Deadlines = { connect: 5_000, statement: 15_000, grace: 2_000 }

export interface Server {
  readonly connectionString: string
  readonly deadlines: Deadlines
}

const silent = () => new Error('The server is silent.')

/** A connection for one request. The client sends statements without waiting, and the server answers them in their order. */
export interface Connection {
  /** Returns the rows of a statement. With `use`, it gives each row to that function and returns none. */
  readonly query: (statement: SQL, use?: (row: Row) => void) => Promise<Row[]>
  /** Ends the connection, also if the server still works or is silent. A transaction that is open ends with it. */
  readonly end: () => void
}

/** The types whose values are numbers: integers, doubles and object identifiers. */
const NUMBERS: readonly number[] = [20, 21, 23, 26, 700, 701]
const [BOOLEAN, JSON_VALUE] = [16, 114]

const parserOf = (type: number): ((text: string) => unknown) => {
  if (NUMBERS.includes(type)) return Number
  if (type === JSON_VALUE) return JSON.parse
  return type === BOOLEAN ? (text) => text === 't' : (text) => text
}

/** Connects to a server. The statements wait until it has accepted the connection. */
export const connectTo = ({ connectionString, deadlines }: Server): Connection => {
  const socket = new CloudflareSocket(false)
  const options = {
    connectionString,
    pipeline: true,
    types: { getTypeParser: parserOf },
    stream: () => socket,
  }
  const client = new Client(options as ConstructorParameters<typeof Client>[0]) // the declared types lack the pipeline
  // An error of the connection also rejects its statements.
  client.on('error', () => {})
  const connected = inTime(client.connect(), deadlines.connect, silent)
  connected.catch(() => {})
  let unanswered = 0
  let before: Promise<unknown> = connected
  const query: Connection['query'] = async (statement, use) => {
    const { text, values } = statementOf(statement)
    unanswered += 1
    const sent = use ? usingRows(client, { text, values }, use) : client.query<Row>({ text, values })
    const answered = sent.finally(() => {
      unanswered -= 1
    })
    const turn = before
    before = answered.catch(() => {})
    // The fault of the connection says why its statements failed.
    await connected
    // The server begins a statement when it has answered the one before.
    await turn
    const { rows } = await inTime(answered, deadlines.statement + deadlines.grace, silent)
    return rows
  }
  const end = () => {
    client.end().catch(() => {})
    // The client would wait for the answers before it says goodbye.
    if (unanswered > 0) socket.destroy()
  }
  return { query, end }
}

/** Uses each row of a statement when it comes, so that the Worker holds one at a time. */
const usingRows = (
  client: Client,
  statement: { readonly text: string; readonly values: unknown[] },
  use: (row: Row) => void,
): Promise<{ readonly rows: Row[] }> =>
  new Promise((resolve, reject) => {
    const query = new Query<Row>(statement)
    query.on('row', (row) => {
      try {
        use(row)
      } catch (error) {
        reject(error)
      }
    })
    query.on('end', () => resolve({ rows: [] }))
    query.on('error', reject)
    client.query(query)
  })
