import { execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Client } from 'pg'
import { countsScript } from '../../seed/postgres/counts.ts'
import { schemaOfViews } from '../../seed/postgres/definition.ts'
import { indexesScript } from '../../seed/postgres/indexes.ts'
import { GRADE_B, GRADE_C } from './grades.ts'

/** A PostgreSQL server with PostGIS. It ends with the process that started it. */
export interface PostgresServer {
  /** Makes an empty database with PostGIS, and runs texts of SQL in it as its owner, each in one transaction. */
  readonly createDatabase: (sql?: readonly string[]) => Promise<PostgresDatabase>
  readonly port: number
  /** Starts a streaming replica of it. It takes no writes, and has the databases of this server at its own port. */
  readonly startReplica: (settings?: Settings) => Promise<PostgresServer>
  /** Sends a signal to the server: INT ends it at once, and TERM when its last client has gone. */
  readonly signal: (name: 'INT' | 'TERM') => void
  /** Waits until the server has ended, and starts it again with the same data. */
  readonly restart: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** The addresses of a database, for two roles. */
export interface PostgresDatabase {
  /** The role `events_reader`. It reads the tables in the schema `public`, and writes nothing. */
  readonly connectionString: string
  /** The role that owns all tables. */
  readonly owner: string
}

/** Settings of a server by their names, such as { max_connections: '20' }. */
export type Settings = Readonly<Record<string, string>>

const ADVICE = 'PostgreSQL with PostGIS is not installed: run apt install postgresql-postgis'

/** Returns the folder of the newest server that has PostGIS. Null: there is none. */
const findPrograms = (): string | null => {
  const versions = globSync('/usr/share/postgresql/*/extension/postgis.control').map((path) =>
    Number(path.split('/')[4]),
  )
  const folders = versions.sort((a, b) => b - a).map((version) => `/usr/lib/postgresql/${version}/bin`)
  return folders.find((folder) => existsSync(join(folder, 'initdb'))) ?? null
}

/** Tests if this machine has PostgreSQL and PostGIS. In the CI, it throws an Error if they are missing. */
export const isInstalled = (): boolean => {
  if (findPrograms() !== null) return true
  if (process.env.CI === 'true') throw new Error(ADVICE)
  console.warn(`${ADVICE}. Its tests are skipped.`)
  return false
}

/**
 * Runs the server until the pipe of its input closes. This also happens if the starting process is killed. A line of the
 * input is a signal for the server, or `start`. The first argument is the folder of the programs. The second one is the
 * port of the server to copy, or empty. Others are settings. The working folder is removed at the end.
 */
const SCRIPT = `
programs=$1 primary=$2
shift 2
if [ -z "$primary" ]; then
  "$programs/initdb" -D data -U postgres --auth=trust -E UTF8 --locale=C.UTF-8 --no-sync >log 2>&1 || exit 1
else
  "$programs/pg_basebackup" -D data -h 127.0.0.1 -p "$primary" -U postgres -R -c fast --no-sync >log 2>&1 || exit 1
fi
start() { "$programs/postgres" -D data "$@" >>log 2>&1 & }
start "$@"
while read -r line; do
  if [ "$line" = start ]; then wait $!; start "$@"; else kill -s "$line" $!; fi
done
kill -INT $!
wait $!
folder=$PWD
cd / && rm -rf "$folder"`

/** The data of tests need not survive. The time zone is none that code may take for UTC. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  shared_preload_libraries: 'postgis-3', // each connection would load it, in 7 ms
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  max_connections: '60',
  timezone: 'Europe/Amsterdam',
}

/** PostgreSQL refuses to run as root. Then it runs as the user that its package made. */
export const userOf = (): { uid?: number; gid?: number } => {
  if (process.getuid?.() !== 0) return {}
  const [uid, gid] = ['-u', '-g'].map((option) => Number(execFileSync('id', [option, 'postgres'])))
  return { uid: uid as number, gid: gid as number } // two options, so two numbers
}

export const findPort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })

/** Starts a server of its own, in a temporary folder and on a free port. Null: PostgreSQL is not installed. */
export const startPostgres = async (settings: Settings = {}): Promise<PostgresServer | null> => {
  const programs = findPrograms()
  if (!isInstalled() || programs === null) return null
  const server = await run(programs, '', settings)
  await makeTemplate((name) => addressOf(server.port, name))
  return server
}

const addressOf = (port: number, name: string, role = 'postgres') => `postgres://${role}@127.0.0.1:${port}/${name}`

/** Runs a server. `primary` is the port of the server that it copies. Empty: it is new. */
const run = async (programs: string, primary: string, wanted: Settings): Promise<PostgresServer> => {
  const [folder, user, port] = [mkdtempSync(join(tmpdir(), 'postgres-')), userOf(), await findPort()]
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid)
  const settings = Object.entries({ ...SETTINGS, ...wanted, port }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  const args = ['-c', SCRIPT, 'sh', programs, primary, ...settings]
  // It has no terminal, so Ctrl-C reaches only the process that started it.
  const child = spawn('sh', args, { ...user, cwd: folder, detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.unref()
  const stop = (): Promise<void> => {
    child.ref()
    child.stdin.end()
    return ended
  }
  const answers = () => waitFor(addressOf(port, 'postgres'), () => child.exitCode === null)
  await answers().catch(async (cause) => {
    const log = readFileSync(join(folder, 'log'), 'utf8')
    await stop()
    rmSync(folder, { recursive: true, force: true })
    throw new Error(`PostgreSQL does not start:\n${log}`, { cause })
  })
  const signal = (name: string) => {
    child.stdin.write(`${name}\n`)
  }
  const restart = () => {
    signal('start')
    return answers()
  }
  const startReplica = (settings: Settings = {}) => run(programs, String(port), { ...wanted, ...settings })
  return { createDatabase: creatorOf(port), port, startReplica, signal, restart, stop }
}

const creatorOf = (port: number): PostgresServer['createDatabase'] => {
  let made = 0
  return async (sql: readonly string[] = []): Promise<PostgresDatabase> => {
    made += 1
    const name = `test_${made}`
    await runSql(addressOf(port, 'postgres'), `CREATE DATABASE ${name} TEMPLATE template_postgis STRATEGY file_copy`)
    for (const text of sql) await runScript(addressOf(port, name), text)
    return { connectionString: addressOf(port, name, 'events_reader'), owner: addressOf(port, name) }
  }
}

/** Waits until a server answers, for at most 30 seconds. */
export const waitFor = async (connectionString: string, isAlive: () => boolean): Promise<void> => {
  const end = performance.now() + 30_000
  for (;;) {
    try {
      await runSql(connectionString, 'SELECT 1')
      return
    } catch (error) {
      if (performance.now() > end || !isAlive()) throw error
      await setTimeout(20)
    }
  }
}

const makeTemplate = async (addressOf: (name: string) => string): Promise<void> => {
  await runSql(addressOf('postgres'), 'CREATE DATABASE template_postgis STRATEGY file_copy')
  await runSql(
    addressOf('template_postgis'),
    // With a limit of its own, reader.sql leaves the role unchanged. All databases of a server share it.
    `CREATE ROLE events_reader LOGIN CONNECTION LIMIT 100;
    ALTER ROLE events_reader SET default_transaction_read_only = on;
    CREATE EXTENSION postgis;
    ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO events_reader`,
  )
}

const INT8 = 20

/** Reads bigint as a number, and json as its value. Other types but numbers and booleans are the text of PostgreSQL. */
const types = {
  getTypeParser: (oid: number) => (text: string) => {
    if (oid === 16) return text === 't'
    if ([INT8, 21, 23, 700, 701].includes(oid)) return Number(text)
    return oid === 114 || oid === 3802 ? JSON.parse(text) : text
  },
}

/** Runs a script of a test: SQL, or a grade. Returns the rows of its last statement. */
export const runScript = async (connectionString: string, text: string): Promise<SqlRow[]> => {
  const write = { [GRADE_B]: indexesScript, [GRADE_C]: countsScript }[text]
  if (write === undefined) return runSql(connectionString, text)
  const client = new Client(connectionString)
  await client.connect()
  try {
    return await runSql(connectionString, await write(client, await schemaOfViews(client)))
  } finally {
    await client.end()
  }
}

export type SqlRow = Readonly<Record<string, unknown>>

/** Runs a text of SQL with one connection. Returns the rows of the last statement. */
export const runSql = async (connectionString: string, sql: string): Promise<SqlRow[]> => {
  const client = new Client({ connectionString, types: types as never }) // it has all that the client calls
  await client.connect()
  try {
    const results = [await client.query(sql)].flat()
    return results.at(-1)?.rows ?? []
  } finally {
    await client.end()
  }
}
