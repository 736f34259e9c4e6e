import type { SQL } from 'drizzle-orm'
import { Client } from 'pg'
import { CloudflareSocket } from 'pg-cloudflare'
import { inTime } from '../../base/queue.ts'
import type { Row } from '../engine.ts'
import { statementOf } from './sql.ts'

/** Milliseconds that a server has to accept a connection, and that it has for a statement. */
export const [CONNECT_DEADLINE, STATEMENT_DEADLINE] = [5_000, 15_000]
/** The server ends a statement by itself. One that does not answer at all is given up so much later. */
const SILENT = 2_000

/** The server does not answer, or not in time. */
export class Silent extends Error {}

/** A connection for one request. The server answers statements in their order, and they travel without waiting. */
export interface Connection {
  readonly query: (statement: SQL) => Promise<Row[]>
  /** Ends the connection. A transaction that is open ends with it. */
  readonly end: () => void
}

/** The types whose values are numbers: integers, doubles and object identifiers. */
const NUMBERS: readonly number[] = [20, 21, 23, 26, 700, 701]
const BOOLEAN = 16

const parserOf = (type: number): ((text: string) => unknown) =>
  NUMBERS.includes(type) ? Number : type === BOOLEAN ? (text) => text === 't' : (text) => text

/** Connects to a server. The statements wait until it has accepted the connection. */
export const connectTo = (connectionString: string): Connection => {
  const options = {
    connectionString,
    connectionTimeoutMillis: CONNECT_DEADLINE,
    pipeline: true,
    types: { getTypeParser: parserOf },
    stream: () => new CloudflareSocket(false),
  }
  const client = new Client(options as ConstructorParameters<typeof Client>[0]) // the declared types lack the pipeline
  // An error of the connection also rejects its statements.
  client.on('error', () => {})
  const connected = client.connect()
  connected.catch(() => {})
  const query = async (statement: SQL): Promise<Row[]> => {
    const { text, values } = statementOf(statement)
    const sent = client.query<Row>({ text, values })
    const [, { rows }] = await inTime(
      Promise.all([connected, sent]),
      CONNECT_DEADLINE + STATEMENT_DEADLINE + SILENT,
      () => new Silent('The server is silent.'),
    )
    return rows
  }
  const end = () => {
    client.end().catch(() => {})
  }
  return { query, end }
}
