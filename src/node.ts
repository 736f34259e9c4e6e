import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { extname, join, relative } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import type { ReadableStream as NodeStream } from 'node:stream/web'
import { scheduler } from 'node:timers/promises'
import { constants, createGzip, gzipSync } from 'node:zlib'
import { createAdaptorServer, type HttpBindings } from '@hono/node-server'
import { serve } from './app.ts'
import { boundedMap } from './base/collections.ts'
import type { Deadlines } from './engine/postgres/connection.ts'
import { postgresEngine } from './engine/postgres/engine.ts'
import { poolTo } from './engine/postgres/pool.ts'
import type { Env } from './http/env.ts'
import { qualityIn } from './http/offer.ts'

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

/** The most bytes that the cache keeps. */
const CACHE_BYTES = 64_000_000

/** The cache of a data centre, for one process. */
const makeCache = () => {
  const kept = boundedMap<{ readonly bytes: ArrayBuffer; readonly headers: Headers }>(CACHE_BYTES)
  return {
    match: async (address: string) => {
      const found = kept.get(address)
      return found && new Response(found.bytes, { headers: found.headers })
    },
    put: async (address: string, response: Response) => {
      const bytes = await response.arrayBuffer()
      kept.set(address, { bytes, headers: response.headers }, address.length + bytes.byteLength)
    },
  }
}

/** A stream of a known length. Node sends the bytes in chunks. */
function FixedLengthStream(): TransformStream {
  return new TransformStream()
}

/** Adds what the Workers of Cloudflare have, and Node lacks. */
export const addPlatform = (): void => {
  const cache = makeCache()
  Object.assign(globalThis, { caches: { open: async () => cache }, FixedLengthStream, scheduler })
  Object.assign(crypto.subtle, { timingSafeEqual })
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
}

/** A file of the page. It is compressed once. */
interface File {
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly gzip: Uint8Array<ArrayBuffer>
}

/** Returns a function that answers with a file in a folder, which has the form of `[assets]` in wrangler.toml. Null: there is none. */
export const filesIn = (folder: string): ((request: Request) => Response | null) => {
  const rules = rulesIn(join(folder, '_headers'))
  const files = new Map(pathsIn(folder).map((path) => [path, readFile(folder, path, rules)]))
  return ({ method, url, headers: asked }) => {
    const file = files.get(new URL(url).pathname)
    if (file === undefined || (method !== 'GET' && method !== 'HEAD')) return null
    const { ETag: tag = '' } = file.headers
    if (asked.get('If-None-Match')?.includes(tag)) return new Response(null, { status: 304, headers: file.headers })
    const isSmall = qualityIn(asked.get('Accept-Encoding') ?? '', ['gzip', '*']) > 0
    const headers = { ...file.headers, ...(isSmall && { 'Content-Encoding': 'gzip' }) }
    return new Response(isSmall ? file.gzip : file.bytes, { headers })
  }
}

const pathsIn = (folder: string): readonly string[] => {
  const assets = join(folder, 'assets')
  if (!existsSync(assets)) return []
  const entries = readdirSync(assets, { recursive: true, withFileTypes: true })
  return entries.flatMap((entry) =>
    entry.isFile() ? [`/${relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/')}`] : [],
  )
}

const readFile = (folder: string, path: string, rules: readonly Rule[]): File => {
  const bytes = new Uint8Array(readFileSync(join(folder, path)))
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 16)
  const own = { 'Content-Type': TYPES[extname(path)] ?? 'application/octet-stream', Vary: 'Accept-Encoding' }
  const headers = { ...own, ...headersOf(path, rules), ETag: `W/"${digest}"` }
  return { headers, bytes, gzip: new Uint8Array(gzipSync(bytes)) }
}

/** The headers of the paths that begin with a text. A value of null takes an earlier one away. */
interface Rule {
  readonly start: string
  readonly headers: readonly (readonly [name: string, value: string | null])[]
}

/** Reads the rules in a file of headers, as Cloudflare does. */
const rulesIn = (file: string): readonly Rule[] => {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  return text.split(/^(?=\/)/m).map((rule) => {
    const [pattern = '', ...lines] = rule.trimEnd().split('\n')
    const headers = lines.map((line) => {
      const [, removed, name = '', value = ''] = /^\s*(!)?\s*([\w-]+)(?::\s*(.*))?$/.exec(line) ?? []
      return [name, removed === undefined ? value : null] as const
    })
    return { start: pattern.replace('*', ''), headers }
  })
}

const headersOf = (path: string, rules: readonly Rule[]): Record<string, string> => {
  const given = new Map<string, string>()
  for (const { headers } of rules.filter(({ start }) => path.startsWith(start)))
    for (const [name, value] of headers) value === null ? given.delete(name) : given.set(name, value)
  return Object.fromEntries(given)
}

/** Cloudflare compresses these types by itself. The Worker marks the others. */
const COMPRESSED = /^(application\/([\w.-]+\+)?json|text\/html)\b/

/**
 * Compresses a body that the Worker has marked, or that Cloudflare would compress. It sends each part at once, because a
 * stream may pause before the next one.
 */
export const compressed = (request: Request, response: Response): Response => {
  const { body, headers } = response
  const isMarked = headers.has('Content-Encoding')
  if (body === null || !(isMarked || isOfType(request, response))) return response
  const own = new Headers(headers)
  own.delete('Content-Length')
  own.set('Content-Encoding', 'gzip')
  if (!isMarked) {
    own.append('Vary', 'Accept-Encoding')
    const tag = headers.get('ETag')
    // The compressed bytes are others.
    if (tag?.startsWith('"')) own.set('ETag', `W/${tag}`)
  }
  const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH })
  // An error of the body breaks the answer off.
  pipeline(Readable.fromWeb(body as unknown as NodeStream), gzip, () => {})
  return new Response(Readable.toWeb(gzip) as unknown as BodyInit, { status: response.status, headers: own })
}

const isOfType = ({ method, headers: asked }: Request, { status, headers }: Response): boolean =>
  status === 200 &&
  method !== 'HEAD' &&
  COMPRESSED.test(headers.get('Content-Type') ?? '') &&
  qualityIn(asked.get('Accept-Encoding') ?? '', ['gzip', '*']) > 0
