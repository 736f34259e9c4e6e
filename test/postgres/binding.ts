import { Response } from 'miniflare'
import { type Passing, startProxy, type TcpProxy } from './proxy.ts'
import {
  isInstalled,
  type PostgresDatabase,
  type PostgresServer,
  runSql,
  type Settings,
  startPostgres,
} from './server.ts'

/** The server of this run. Tests that need none do not start it. */
let shared: Promise<PostgresServer | null> | null = null
/** The servers and the proxies of single tests, by their ports. */
const servers = new Map<number, PostgresServer>()
const proxies = new Map<number, TcpProxy>()

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

const CALLS: { readonly [Path in keyof Bodies]: (body: Bodies[Path]) => unknown } = {
  '/databases': createDatabase,
  '/sql': ({ connectionString, sql }) => runSql(connectionString, sql),
  '/servers': startServer,
  '/signal': ({ port, name }) => serverAt(port).signal(name),
  '/restart': ({ port }) => serverAt(port).restart(),
  '/stop': ({ port }) => serverAt(port).stop(),
  '/proxies': addProxy,
  '/pass': ({ port, passing }) => proxies.get(port)?.set(passing),
  '/clients': ({ port }) => proxies.get(port)?.clients(),
}

/**
 * Answers the requests of test/postgres/database.ts and faulty.ts. GET tells if PostgreSQL is installed. A POST runs the
 * call of its path. A fault, also of SQL, is a 400 with its message.
 */
export const servePostgres = async (request: Asked): Promise<Response> => {
  try {
    if (request.method === 'GET') return Response.json(isInstalled())
    const call = CALLS[new URL(request.url).pathname as keyof Bodies] // the tests send no other path
    return Response.json((await call((await request.json()) as never)) ?? null) // each path has its own body
  } catch (error) {
    return new Response(error instanceof Error ? error.message : String(error), { status: 400 })
  }
}
