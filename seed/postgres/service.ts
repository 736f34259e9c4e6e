import type { Client } from 'pg'
import { adviceOf, inspect } from '../../src/engine/postgres/check.ts'
import { queryOn } from '../../src/engine/postgres/connection.ts'
import { LoadError, optionError } from '../load/error.ts'
import { connectTo, isAddress, refused, withoutPassword } from './connection.ts'

/** wrangler reads the address of the binding HYPERDRIVE from this variable. */
const VARIABLE = 'CLOUDFLARE_HYPERDRIVE_LOCAL_CONNECTION_STRING_HYPERDRIVE'

/** Hyperdrive asks for a password. A server that trusts a role ignores it. */
const NO_PASSWORD = 'none'

/**
 * Checks the database at an address for wrangler. Returns the variables of wrangler, and advice about the views. Throws
 * LoadError if it cannot be served.
 */
export const checkedService = async (address: string | undefined) => {
  const plain = plainAddress(checkedAddress(address))
  const [{ user, password, database, port }, advice] = await checkDatabase(plain.href)
  // The password may also come from PGPASSWORD or from the file of passwords.
  plain.username = inAddress(user ?? '')
  plain.password = inAddress(password ?? NO_PASSWORD)
  plain.pathname = inAddress(database ?? '')
  plain.port = String(port)
  return { variables: { [VARIABLE]: plain.href }, advice }
}

/**
 * Checks the views of the database at an address as /readyz does. Returns the client that did, and advice about the views.
 * Throws LoadError if it cannot be served.
 */
export const checkDatabase = async (address: string | undefined): Promise<[Client, readonly string[]]> => {
  const client = await connectTo(checkedAddress(address))
  const send: Parameters<typeof inspect>[0] = async (queries) => {
    const answers = []
    for (const query of queries) answers.push(await queryOn(client, query))
    return answers
  }
  try {
    await client.query('BEGIN READ ONLY')
    const views = await inspect(send, true)
    if (views.faults.length === 0) return [client, adviceOf(views)]
    throw new LoadError([FAULTS, ...views.faults.map((fault) => `  ${fault}`)].join('\n'))
  } catch (cause) {
    throw cause instanceof LoadError ? cause : refused(cause)
  } finally {
    await client.end()
  }
}

/** Encodes a part twice: the local Hyperdrive decodes it, and puts it into the address of the Worker as it is. */
const inAddress = (part: string): string => encodeURIComponent(encodeURIComponent(part))

const FAULTS = 'the database does not have the views of docs/postgres.md:'

const checkedAddress = (address: string | undefined): string => {
  if (address === undefined) throw new LoadError(`--postgres needs an address: ${ENTER}`)
  if (isAddress(address)) return address
  throw optionError('--postgres', withoutPassword(address), `${ENTER}. ${ENCODED}`)
}

/** Reads an address for wrangler, which reaches a host, and knows one parameter. */
const plainAddress = (address: string): URL => {
  const url = new URL(address)
  const others = [...url.searchParams.keys()]
    .filter((name) => name !== 'sslmode')
    .map((name) => `the parameter ${name}`)
  const [unknown] = url.hostname === '' || url.hostname.includes('%') ? ['a socket'] : others
  if (unknown === undefined) return url
  throw optionError('--postgres', withoutPassword(address), `wrangler does not serve ${unknown}. ${OTHERWISE}`)
}

const ENTER = 'enter one, such as postgres://events_reader@localhost/events'
const ENCODED =
  'A password may be in PGPASSWORD. In an address, write its @ as %40, : as %3A, / as %2F, # as %23, % as %25'
const OTHERWISE = 'Run npm run serve -- --postgres with this address'
