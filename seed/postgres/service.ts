import type { Client } from 'pg'
import { inspect } from '../../src/engine/postgres/check.ts'
import { statementOf } from '../../src/engine/postgres/sql.ts'
import { adviceOf } from '../../src/engine/postgres/views.ts'
import { LoadError, optionError } from '../load/error.ts'
import { connectTo, isAddress, refused, withoutPassword } from './connection.ts'

/** wrangler reads the address of the binding HYPERDRIVE from this variable. */
const VARIABLE = 'CLOUDFLARE_HYPERDRIVE_LOCAL_CONNECTION_STRING_HYPERDRIVE'

/** Hyperdrive asks for a password. A server that trusts a role ignores it. */
const NO_PASSWORD = 'none'

/** The variables with which wrangler serves a database, and sentences about what its owner can improve. */
interface CheckedService {
  readonly variables: Readonly<Record<string, string>>
  readonly advice: readonly string[]
}

/** Checks the database at an address. Throws LoadError if the address is wrong, or if the database cannot be served. */
export const checkedService = async (address: string | undefined): Promise<CheckedService> => {
  const plain = plainAddress(address)
  const client = await connectTo(plain.href)
  try {
    const advice = await checkViews(client)
    // The password may also come from PGPASSWORD or from the file of passwords.
    plain.username = inAddress(client.user ?? '')
    plain.password = inAddress(client.password ?? NO_PASSWORD)
    plain.pathname = inAddress(client.database ?? '')
    plain.port = String(client.port)
    return { variables: { [VARIABLE]: plain.href }, advice }
  } finally {
    await client.end()
  }
}

/** Checks the views of a database as /readyz does. Returns advice about them. Throws LoadError if they have faults. */
export const checkViews = async (client: Client): Promise<readonly string[]> => {
  const send: Parameters<typeof inspect>[0] = async (queries) => {
    const answers = []
    for (const query of queries) {
      const { text, values } = statementOf(query)
      answers.push((await client.query(text, values)).rows)
    }
    return answers
  }
  await client.query('BEGIN READ ONLY')
  const views = await inspect(send, true).catch((cause: unknown) => {
    throw refused(cause)
  })
  if (views.faults.length > 0) throw new LoadError([FAULTS, ...views.faults.map((fault) => `  ${fault}`)].join('\n'))
  return adviceOf(views)
}

/** Encodes a part twice: the local Hyperdrive decodes it, and puts it into the address of the Worker as it is. */
const inAddress = (part: string): string => encodeURIComponent(encodeURIComponent(part))

const FAULTS = 'the database does not have the views of docs/postgres.md:'

/** Reads an address that wrangler can serve. It reaches a host, and knows one parameter. */
const plainAddress = (address: string | undefined): URL => {
  if (address === undefined) throw new LoadError(`--postgres needs an address: ${ENTER}`)
  if (!isAddress(address)) throw optionError('--postgres', withoutPassword(address), `${ENTER}. ${ENCODED}`)
  const url = new URL(address)
  const others = [...url.searchParams.keys()]
    .filter((name) => name !== 'sslmode')
    .map((name) => `the parameter ${name}`)
  const [unknown] = url.hostname === '' || url.hostname.includes('%') ? ['a socket'] : others
  if (unknown !== undefined)
    throw optionError('--postgres', withoutPassword(address), `wrangler does not serve ${unknown}. ${OTHERWISE}`)
  return url
}

const ENTER = 'enter one, such as postgres://events_reader@localhost/events'
const ENCODED =
  'A password may be in PGPASSWORD. In an address, write its @ as %40, : as %3A, / as %2F, # as %23, % as %25'
const OTHERWISE = 'Run npm run serve -- --postgres with this address'
