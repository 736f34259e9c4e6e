import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer, type HttpBindings } from '@hono/node-server'
import { serve } from './app.ts'
import type { Deadlines } from './engine/postgres/connection.ts'
import { postgresEngine } from './engine/postgres/engine.ts'
import { poolTo } from './engine/postgres/pool.ts'
import type { Env } from './http/env.ts'
import { compressed } from './node/compress.ts'
import { filesIn } from './node/files.ts'
import { addPlatform } from './node/platform.ts'

export { DEADLINES } from './engine/postgres/connection.ts'

export interface Options {
  /** The address of a database of PostgreSQL, which the service only reads. */
  readonly database: string
  readonly deadlines: Deadlines
  /** The variables of wrangler.toml. */
  readonly variables: Partial<Env>
  /** The folder with the files of the page. */
  readonly files: string
  /** 0: any free port. */
  readonly port: number
}

export interface Running {
  /** It has no slash at its end. */
  readonly address: string
  readonly close: () => Promise<void>
}

/** The longest head of a request in bytes. The Worker itself refuses an address that is too long. */
const MAX_HEAD = 65_536

/** Serves the Worker in this process. Throws the error of Node if the port is in use. */
export const start = async ({ database, deadlines, variables, files, port }: Options): Promise<Running> => {
  addPlatform()
  const door = poolTo(database, deadlines)
  const engine = postgresEngine(door)
  const worker = serve(() => engine)
  const fileFor = filesIn(files)
  // All processes on one database know each other's hints.
  const secret = createHash('sha256').update(database).digest('hex')
  const env = { SECRET: secret, ...variables } as Env // there is no D1 database
  const server = createAdaptorServer({
    overrideGlobalObjects: false,
    serverOptions: { maxHeaderSize: MAX_HEAD },
    fetch: async (request, bindings) => {
      const { socket } = (bindings as HttpBindings).incoming // the server has no HTTP/2
      const own = withAddress(request, socket.remoteAddress)
      return fileFor(own) ?? compressed(own, await worker.fetch(own, env, CONTEXT))
    },
  })
  server.listen(port)
  await once(server, 'listening')
  const close = async () => {
    server.close()
    await once(server, 'close')
    await door.close()
  }
  return { address: `http://localhost:${(server.address() as AddressInfo).port}`, close }
}

/** The process lives on after an answer. */
const CONTEXT = {
  waitUntil: (work: Promise<unknown>) => {
    work.catch((error) => console.error(error))
  },
  passThroughOnException: () => {},
} as unknown as ExecutionContext

/** Replaces the headers that only Cloudflare may send. Cloudflare sends the address of the client. */
const withAddress = (request: Request, address = ''): Request => {
  const { headers } = request
  for (const name of [...headers.keys()]) if (name.startsWith('cf-')) headers.delete(name)
  headers.set('CF-Connecting-IP', address)
  return request
}
