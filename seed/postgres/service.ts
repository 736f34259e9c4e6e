import { statementOf } from '../../src/engine/postgres/sql.ts'
import { VIEWS_QUERY, viewsIn } from '../../src/engine/postgres/views.ts'
import { LoadError, optionError } from '../load/error.ts'
import { connectTo, isAddress, refused } from './connection.ts'

/** wrangler reads the address of the binding HYPERDRIVE from this variable. */
const VARIABLE = 'CLOUDFLARE_HYPERDRIVE_LOCAL_CONNECTION_STRING_HYPERDRIVE'

/** Hyperdrive asks for a password. A server that trusts a role ignores it. */
const NO_PASSWORD = 'none'

/**
 * Checks the database at an address. Returns the variables with which wrangler serves it. Throws LoadError if the
 * address is wrong, if the server does not answer, or if the views have faults.
 */
export const checkedService = async (address: string | undefined): Promise<Readonly<Record<string, string>>> => {
  const plain = plainAddress(address)
  const client = await connectTo(plain.href)
  try {
    const { text, values } = statementOf(VIEWS_QUERY)
    const { rows } = await client.query(text, values).catch((cause: unknown) => {
      throw refused(cause)
    })
    const { faults } = viewsIn(rows)
    if (faults.length > 0) throw new LoadError([FAULTS, ...faults.map((fault) => `  ${fault}`)].join('\n'))
    // The password may also come from PGPASSWORD or from the file of passwords.
    plain.username = inAddress(client.user ?? '')
    plain.password = inAddress(client.password ?? NO_PASSWORD)
    plain.pathname = inAddress(client.database ?? '')
    plain.port = String(client.port)
    return { [VARIABLE]: plain.href }
  } finally {
    await client.end()
  }
}

/** Encodes a part twice: the local Hyperdrive decodes it, and puts it into the address of the Worker as it is. */
const inAddress = (part: string): string => encodeURIComponent(encodeURIComponent(part))

const FAULTS = 'the database does not have the views of docs/postgres.md:'

/** Reads an address without its parameters, because Hyperdrive drops them. Only `sslmode` stays. */
const plainAddress = (address: string | undefined): URL => {
  if (address === undefined) throw new LoadError(`--postgres needs an address: ${ENTER}`)
  if (!isAddress(address)) {
    // A password follows a colon, and an @ ends it.
    throw optionError('--postgres', address.replace(/:[^:@]*@/, ':...@'), ENTER)
  }
  const url = new URL(address)
  const sslmode = url.searchParams.get('sslmode')
  url.search = sslmode === null ? '' : `sslmode=${sslmode}`
  return url
}

const ENTER = 'enter one, such as postgres://events_reader@localhost/events'
