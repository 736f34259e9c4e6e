import { Client } from 'pg'
import { LoadError, reasonOf } from '../load/error.ts'

/** Milliseconds that a server has to accept a connection. */
const DEADLINE = 10_000

/** Tests if a text is the address of a database with a host. It may have a password, so messages never show it. */
export const isAddress = (text: string): boolean => /^postgres(ql)?:\/\/[^/]/.test(text) && URL.canParse(text)

/** Connects to a database. Throws LoadError with the reason if this fails. */
export const connectTo = async (address: string): Promise<Client> => {
  const client = new Client({ connectionString: address, connectionTimeoutMillis: DEADLINE })
  client.on('error', () => {}) // The statement that waits for the server throws it.
  try {
    await client.connect()
  } catch (cause) {
    // Several addresses of a host were tried.
    const reason = cause instanceof AggregateError ? cause.errors.map(reasonOf).join(', ') : reasonOf(cause)
    const told = /password must be a string/.test(reason) ? NO_PASSWORD : reason
    throw new LoadError(`cannot connect to PostgreSQL: ${told}`, { cause })
  }
  return client
}

const NO_PASSWORD = 'the role has a password: enter it in the variable PGPASSWORD'

/** Returns the error of a statement, with the reason of PostgreSQL. */
export const refused = (cause: unknown): LoadError => {
  const detail = cause instanceof Error && 'detail' in cause && cause.detail ? `. ${cause.detail}` : ''
  return new LoadError(`PostgreSQL refuses: ${reasonOf(cause)}${detail}`, { cause })
}
