import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { Response } from 'miniflare'
import { ROOT } from '../../seed/local/wrangler.ts'
import { builtNode } from '../../seed/serve/build.ts'
import type { Deadlines } from '../../src/engine/postgres/connection.ts'
import type { Env } from '../../src/http/env.ts'
import { hasPooler, type Pooler, startPooler } from './pooler.ts'
import { type Passing, startProxy, type TcpProxy } from './proxy.ts'
import {
  isInstalled,
  type PostgresDatabase,
  type PostgresServer,
  runScript,
  type Settings,
  startPostgres,
} from './server.ts'

/** The server of this run. Tests that need none do not start it. */
let shared: Promise<PostgresServer | null> | null = null
/** The servers, the proxies and the poolers of single tests, by their ports. */
const servers = new Map<number, PostgresServer>()
const proxies = new Map<number, TcpProxy>()
const poolers = new Map<number, Pooler>()

interface Asked {
  readonly url: string
  readonly method: string
  readonly json: () => Promise<unknown>
}

/** The bodies of requests, as database.ts and faulty.ts send them. */
interface Bodies {
  '/databases': { readonly sql: readonly string[]; readonly port?: number }
  '/sql': { readonly connectionString: string; readonly sql: string }
  '/servers': { readonly settings: Settings; readonly primary?: number }
  '/signal': { readonly port: number; readonly name: 'INT' | 'TERM' }
  '/restart': { readonly port: number }
  '/stop': { readonly port: number }
  '/proxies': { readonly port: number }
  '/pass': { readonly port: number; readonly passing: Passing }
  '/clients': { readonly port: number }
  '/poolers': { readonly port: number; readonly database: string }
  '/pooler': { readonly port: number; readonly stops: boolean }
  '/node': { readonly database: string; readonly deadlines: Deadlines; readonly variables: Partial<Env> }
}

const serverAt = (port: number): PostgresServer => {
  const server = servers.get(port)
  if (server === undefined) throw new Error(`No test started a server at port ${port}.`)
  return server
}

const createDatabase = async ({ sql, port }: Bodies['/databases']): Promise<PostgresDatabase | undefined> => {
  shared ??= port === undefined ? startPostgres() : shared
  const server = port === undefined ? await shared : serverAt(port)
  return server?.createDatabase(sql)
}

const startServer = async ({ settings, primary }: Bodies['/servers']): Promise<number | null> => {
  const replica = primary === undefined ? startPostgres(settings) : serverAt(primary).startReplica(settings)
  const server = await replica
  if (server !== null) servers.set(server.port, server)
  return server?.port ?? null
}

const addProxy = async ({ port }: Bodies['/proxies']): Promise<number> => {
  const proxy = await startProxy(port)
  proxies.set(proxy.port, proxy)
  return proxy.port
}

const addPooler = async ({ port, database }: Bodies['/poolers']): Promise<number> => {
  const pooler = await startPooler(port, database)
  poolers.set(pooler.port, pooler)
  return pooler.port
}

/** The thread that serves databases under Node. */
let thread: Promise<Worker> | null = null
let services = 0

const startThread = async (): Promise<Worker> => {
  const started = new Worker(join(ROOT, 'test/postgres/underNode.ts'), { workerData: await builtNode() })
  return started.setMaxListeners(0)
}

/** Starts the service under Node. Returns its address. */
const serveUnderNode = async (options: Bodies['/node']): Promise<string> => {
  thread ??= startThread()
  services += 1
  const [running, number] = [await thread, services]
  const answered = new Promise<string>((resolve) => {
    running.on('message', (answer) => {
      if (answer.number === number) resolve(answer.address)
    })
  })
  running.unref()
  running.postMessage({ number, options })
  return answered
}

const CALLS: { readonly [Path in keyof Bodies]: (body: Bodies[Path]) => unknown } = {
  '/databases': createDatabase,
  '/sql': ({ connectionString, sql }) => runScript(connectionString, sql),
  '/servers': startServer,
  '/signal': ({ port, name }) => serverAt(port).signal(name),
  '/restart': ({ port }) => serverAt(port).restart(),
  '/stop': ({ port }) => serverAt(port).stop(),
  '/proxies': addProxy,
  '/pass': ({ port, passing }) => proxies.get(port)?.set(passing),
  '/clients': ({ port }) => proxies.get(port)?.clients(),
  '/poolers': addPooler,
  '/pooler': ({ port, stops }) => (stops ? poolers.get(port)?.stop() : poolers.get(port)?.connections()),
  '/node': serveUnderNode,
}

/**
 * Answers the requests of test/postgres/database.ts and faulty.ts. GET tells if PostgreSQL, or a pooler, is installed. A POST runs the
 * call of its path. A fault, also of SQL, is a 400 with its message.
 */
export const servePostgres = async (request: Asked): Promise<Response> => {
  try {
    if (request.method === 'GET')
      return Response.json(new URL(request.url).pathname === '/pooler' ? hasPooler() : isInstalled())
    const call = CALLS[new URL(request.url).pathname as keyof Bodies] // the tests send no other path
    return Response.json((await call((await request.json()) as never)) ?? null) // each path has its own body
  } catch (error) {
    return new Response(error instanceof Error ? error.message : String(error), { status: 400 })
  }
}
