import { randomUUID } from 'node:crypto'
import { globSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import type { Miniflare, RemoteProxyConnectionString } from 'miniflare'
import { isLocked, LoadError, noteFaultIn } from '../load/error.ts'
import { areSuspended, restoreIndexes } from '../load/indexes.ts'
import { patientDatabase, patiently, patientWrite } from '../load/retry.ts'
import type { Db, Write } from '../load/rows.ts'
import { CONFIGURATION } from './configuration.ts'
import { type Deployment, readDeployment } from './deployment.ts'
import { migrate, refuseOthers } from './migrate.ts'
import { ROOT } from './wrangler.ts'

/** A local or deployed database. `wrangler dev` opens the same local file. */
export interface Local {
  readonly db: Db
  /** Runs statements in one transaction. It needs less time and memory than `db.batch`. */
  readonly write: Write
  readonly close: () => Promise<void>
}

/** The default folder of the local database. */
export const STATE = join(ROOT, '.wrangler/state')

/**
 * Opens the local D1 in a folder, like `wrangler dev --persist-to`. It applies all migrations and builds the indexes
 * that an interrupted load suspended. `toLoad`: the indexes stay suspended, because a load continues. Throws LoadError for a
 * database of a version before 1.0.0, or of a later version.
 */
export async function openDatabase(persistTo = STATE, toLoad = false): Promise<Local> {
  const folder = resolve(persistTo)
  const opened = await openLocal(folder)
  // A service may write to the same file. Each of its writes locks it for a moment.
  const check = () => patiently(() => migrate(opened.db, `in ${folder}`), undefined, isLocked)
  const local = await patientLocal(opened, check, isLocked)
  if (!toLoad && (await areSuspended(local.db))) {
    console.error('A load was interrupted: building its indexes.')
    await restoreIndexes(local.db)
  }
  return local
}

/** Makes a database patient with the errors that `passes` tells. It closes a database that `check` refuses. */
async function patientLocal(opened: Local, check: (db: Db) => Promise<void>, passes?: typeof isLocked): Promise<Local> {
  const db = patientDatabase(opened.db, undefined, passes)
  const { write, end } = patientWrite(opened.write, db, undefined, passes)
  const close = () => end().then(opened.close)
  try {
    await check(db)
  } catch (error) {
    await close()
    throw error
  }
  return { db, write, close }
}

/** Opens the deployed database, or the local one in a folder, to read all of it. Throws LoadError if the folder has none. */
export async function openStored(persistTo: string | undefined, remote: boolean): Promise<Local> {
  if (remote) return openRemote()
  databaseFile(persistTo) // Opening a missing database would create it.
  return openDatabase(persistTo)
}

/** Returns the file of the local database in a folder. Throws LoadError if there is none. */
export function databaseFile(persistTo = STATE): string {
  const files = globSync(join(resolve(persistTo), 'v3/d1/**/*.sqlite')).filter(
    (file) => !file.endsWith('metadata.sqlite'),
  )
  const [file] = files
  if (file !== undefined) return file
  throw new LoadError(`there is no database in ${persistTo}: enter its folder after --persist-to`)
}

/** Runs the statements of a request in one batch. Through `db`, each statement would need several requests. */
const WRITER = `export default {
  async fetch(request, { DB, TOKEN }) {
    if (request.headers.get('Authorization') !== TOKEN) return new Response(null, { status: 401 })
    const statements = await request.json()
    try {
      await DB.batch(statements.map(({ sql, parameters }) => DB.prepare(sql).bind(...parameters)))
      return new Response()
    } catch (error) {
      return new Response(String(error), { status: 500 })
    }
  },
}`

/**
 * Opens the deployed D1. The account comes from wrangler.toml, deploy.toml or CLOUDFLARE_ACCOUNT_ID. Reads and batches
 * are retried if the connection breaks. Migrations are left to the deployment. Throws LoadError with the cause.
 */
export async function openRemote(deployment?: Deployment): Promise<Local> {
  const { databaseId, accountId } = deployment ?? (await readDeployment())
  if (databaseId === null) throw new LoadError('deploy.toml names no database: enter the id of your database there')
  const { startRemoteProxySession } = await import('wrangler')
  const binding = { type: 'd1' as const, database_id: databaseId, remote: true }
  // Wrangler reads the account from this variable. It finds the login itself, or reads CLOUDFLARE_API_TOKEN.
  if (accountId !== null) process.env.CLOUDFLARE_ACCOUNT_ID = accountId
  const session = await startRemoteProxySession({ DB: binding }).catch((cause: unknown) => {
    throw new LoadError(`the deployed database cannot be reached: ${reasonsOf(cause)}\n${REMOTE_ADVICE}`, { cause })
  })
  const remote = await openLocal(STATE, { remote: session.remoteProxyConnectionString })
  const close = () => remote.close().finally(() => session.dispose())
  return patientLocal({ ...remote, close }, refuseOthers)
}

const REMOTE_ADVICE = `Run npx wrangler login, or set CLOUDFLARE_API_TOKEN to a token with D1: Edit and Workers Scripts: Edit. If you have
several accounts, set account_id in deploy.toml, or CLOUDFLARE_ACCOUNT_ID.`

/** Joins the messages of an error, its notes and its causes. */
function reasonsOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : ''
  const notes = (error as { notes?: { text?: string }[] }).notes?.flatMap(({ text }) => text ?? []) ?? []
  const cause = [reasonsOf(error.cause)]
  return [...new Set([error.message, ...notes, ...cause])].filter((text) => text !== '').join(': ')
}

async function openLocal(folder: string, runs?: Runs): Promise<Local> {
  const TOKEN = randomUUID() // Every program on this machine can reach the port.
  const log = (line: string) => {
    if (!noteFaultIn(line)) console.error(line) // The command names a fault that it knows.
  }
  const miniflare = await run(folder, { script: WRITER, variables: { TOKEN }, log, ...runs })
  return localOf(miniflare, TOKEN, (request) => miniflare.dispatchFetch('http://local/', request))
}

/**
 * Serves the local database in a folder, and opens it beside the service, in the same program. Two programs would wait for
 * each other's locks.
 */
export async function openServed(folder: string, runs: Runs): Promise<{ miniflare: Miniflare; local: Local }> {
  const TOKEN = randomUUID()
  const miniflare = await run(folder, { ...runs, writerToken: TOKEN })
  const writer = await miniflare.getWorker('writer')
  const local = await localOf(miniflare, TOKEN, (request) => writer.fetch('http://local/', request))
  return { miniflare, local }
}

interface Sent {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body: string
}

/** Returns the database of a running Worker. `send` sends a request to the script of the writer. */
async function localOf(
  miniflare: Miniflare,
  token: string,
  send: (request: Sent) => Promise<{ ok: boolean; text: () => Promise<string> }>,
): Promise<Local> {
  const write: Write = async (statements) => {
    const response = await send({
      method: 'POST',
      headers: { Authorization: token },
      body: JSON.stringify(statements),
    })
    if (!response.ok) throw new Error(await response.text())
  }
  return { db: await miniflare.getD1Database('DB'), write, close: () => miniflare.dispose() }
}

/** The Worker that runs on a database. By default, it does nothing and listens on any free port. */
export interface Runs {
  readonly script?: string
  /** More modules that the script imports, by their names, such as `worker.js`. */
  readonly modules?: Readonly<Record<string, string>>
  readonly variables?: Readonly<Record<string, string>>
  /** The limits of the requests of one client. Absent: there are none. */
  readonly limits?: typeof CONFIGURATION.ratelimits
  /** The folder of the static assets. */
  readonly assets?: string
  /** False: the runtime has no cache of answers. It would grow without end. */
  readonly keepsAnswers?: boolean
  /** A second Worker runs statements for requests with this token. */
  readonly writerToken?: string
  /** Receives the lines that workerd logs. Absent: they are printed. */
  readonly log?: (line: string) => void
  /** The connection to a deployed database. Absent: the database is local. */
  readonly remote?: RemoteProxyConnectionString
}

/** Makes the runtime end with this program, also after a kill. Otherwise it keeps the database open. */
const bindRuntime = (): void => {
  if (process.platform === 'win32' || process.env.EVENTS_WORKERD !== undefined) return
  const ofMiniflare = createRequire(createRequire(import.meta.url).resolve('miniflare'))
  process.env.EVENTS_WORKERD = process.env.MINIFLARE_WORKERD_PATH ?? ofMiniflare('workerd').default
  process.env.MINIFLARE_WORKERD_PATH = join(import.meta.dirname, 'runtime.sh')
}

/**
 * Runs a Worker on the local D1 in a folder with miniflare, the base of `wrangler dev`. It starts in half the time and
 * memory, and requests pass no proxies. The import is dynamic, because few commands need it.
 */
export async function run(persistTo: string, runs: Runs = {}): Promise<Miniflare> {
  const {
    script = 'export default {}',
    modules = {},
    variables = {},
    limits = [],
    keepsAnswers = true,
    assets,
    writerToken,
    log,
    remote,
  } = runs
  const limiters = limits.map(({ name, namespace_id: namespace, simple }): [string, object] => [
    name,
    { type: 'rate-limit', namespace, simple },
  ])
  const id = CONFIGURATION.d1_databases[0].database_id
  const database = { type: 'd1' as const, id, ...(remote && { dev: { remote: true } }) }
  const writer = { name: 'writer', modules: { 'index.js': WRITER }, variables: { TOKEN: writerToken ?? '' } }
  const workerOf = ({ name, modules, variables, more = [] }: WorkerParts) => {
    const sources = Object.entries(modules).map(([path, contents]) => [path, { type: 'esm' as const, contents }])
    const texts = Object.entries(variables).map(([key, value]) => [key, { type: 'text' as const, value }])
    return {
      config: {
        name,
        compatibilityDate: CONFIGURATION.compatibility_date,
        ...(assets === undefined ? {} : { assets: { directory: assets, hasUserWorker: true } }),
        manifest: { mainModule: 'index.js', modulesRoot: '/', modules: Object.fromEntries(sources) },
        env: { ...Object.fromEntries([...texts, ...more]), DB: database },
      },
      dev: { rootPath: ROOT, cacheAPI: keepsAnswers, ...(remote && { remoteProxyConnectionString: remote }) },
    }
  }
  const main = { name: 'local', modules: { ...modules, 'index.js': script }, variables, more: limiters }
  const { Miniflare } = await import('miniflare')
  bindRuntime()
  return new Miniflare({
    port: 0,
    cf: false,
    enableDevRegistry: false,
    ...(log && { handleStructuredLogs: ({ message }) => log(message) }),
    resourcePersistencePath: join(resolve(persistTo), 'v3'),
    workers: [workerOf(main), ...(writerToken === undefined ? [] : [workerOf(writer)])],
  })
}

/** A Worker of a program. `more` has its bindings besides the database and the variables. */
interface WorkerParts {
  readonly name: string
  /** The texts of the modules by their paths. `index.js` is the first. */
  readonly modules: Readonly<Record<string, string>>
  readonly variables: Readonly<Record<string, string>>
  readonly more?: readonly (readonly [string, object])[]
}
