import { Client } from 'pg'
import { LoadError, reasonOf } from '../load/error.ts'

/** Milliseconds that a server has to accept a connection. */
const DEADLINE = 10_000

/**
 * Tests if a text is the address of a database. A password that is not encoded may end its host too early: then an @
 * follows, or a % without two digits.
 */
export const isAddress = (text: string): boolean =>
  /^postgres(ql)?:\/\/([^/?#@]*@)?[^@]*$/.test(text) && !/%(?![0-9a-f]{2})/i.test(text) && URL.canParse(text)

/** Hides the password in a text that should be an address. The last @ ends it. */
export const withoutPassword = (text: string): string =>
  text.replace(/(?!(?<=^postgres(?:ql)?):\/\/):.*@/s, ':...@').replace(/(password=)[^&]*/gi, '$1...')

/** Connects to a database. Throws LoadError with the reason if this fails. */
export const connectTo = async (address: string): Promise<Client> => {
  try {
    const client = new Client({ connectionString: address, connectionTimeoutMillis: DEADLINE })
    client.on('error', () => {}) // The statement that waits for the server throws it.
    await client.connect()
    return client
  } catch (cause) {
    // Several addresses of a host were tried.
    const reason = cause instanceof AggregateError ? cause.errors.map(reasonOf).join(', ') : reasonOf(cause)
    const told = /password must be a string/.test(reason) ? NO_PASSWORD : reason
    throw new LoadError(`cannot connect to PostgreSQL: ${told}`, { cause })
  }
}

const NO_PASSWORD = 'the role has a password: enter it in the variable PGPASSWORD'

/** Returns the error of a statement, with the reason of PostgreSQL. */
export const refused = (cause: unknown): LoadError => {
  const detail = cause instanceof Error && 'detail' in cause && cause.detail ? `. ${cause.detail}` : ''
  return new LoadError(`PostgreSQL refuses: ${reasonOf(cause)}${detail}`, { cause })
}
