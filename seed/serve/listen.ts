import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'
import { qualityIn } from '../../src/http/offer.ts'
import { LoadError, optionError } from '../load/error.ts'
import type { Monitor } from './monitor.ts'
import { receive, type Sender } from './received.ts'

/** The Worker, in another program or in this one. */
export interface Service {
  readonly answer: (incoming: IncomingMessage, outgoing: ServerResponse, sender: Sender) => void
  readonly close: () => Promise<void>
}

export interface Listening {
  /** A name or an address of this machine. */
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  readonly believesProxy: boolean
  /** The folder with the files of the page. */
  readonly files: string
}

export interface Running {
  /** It has no slash at its end. */
  readonly address: string
  readonly close: () => Promise<void>
}

/** The longest head of a request in bytes. The Worker itself refuses an address that is too long. */
const MAX_HEAD = 65_536
/** How long a connection without a request stays open, in milliseconds. nginx closes its own after 60 s, so it is first. */
const KEPT_OPEN = 75_000
/** How long running requests may go on after the end was asked, in milliseconds. */
export const MOST_WAIT = 30_000

/** Serves a service, the files of the page and `/metrics`. Throws LoadError if the address or the port cannot be used. */
export const listen = async (service: Service, monitor: Monitor, options: Listening): Promise<Running> => {
  const { host, port, believesProxy, files } = options
  const sendFile = filesIn(files)
  let isEnding = false
  const server = createServer({ maxHeaderSize: MAX_HEAD, keepAliveTimeout: KEPT_OPEN }, (incoming, outgoing) => {
    outgoing.once('close', () => {
      // The connection counts as idle after this event.
      if (isEnding) setImmediate(() => server.closeIdleConnections())
    })
    const sender = receive(incoming, believesProxy)
    outgoing.once('finish', () => monitor.answered(outgoing.statusCode))
    if (sender === null) return refuse(outgoing, 400, 'The request has no valid address.')
    // The local runtime has tools of its own there.
    if (incoming.url?.startsWith('/cdn-cgi/')) return refuse(outgoing, 404, 'Not found.')
    if (sender.isLocal && incoming.url === '/metrics') return void sendFigures(monitor, outgoing)
    if (!sendFile(incoming, outgoing)) service.answer(incoming, outgoing, sender)
  })
  monitor.add([{ name: 'events_connections', help: 'Open connections of clients.', measure: () => countOf(server) }])
  server.listen(port, host)
  await once(server, 'listening').catch((error) => {
    throw refusalOf(error, options)
  })
  const close = async () => {
    isEnding = true
    const ended = once(server, 'close')
    server.close()
    const late = setTimeout(() => server.closeAllConnections(), MOST_WAIT)
    await ended
    clearTimeout(late)
    await service.close()
  }
  return {
    address: `http://${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`,
    close,
  }
}

const refuse = (outgoing: ServerResponse, status: number, detail: string): void => {
  outgoing.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify({ detail }))
}

const sendFigures = async (monitor: Monitor, outgoing: ServerResponse): Promise<void> => {
  const { text, type } = await monitor.figures()
  outgoing.writeHead(200, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(text)
}

const countOf = (server: Server): Promise<number> =>
  new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
  )

const refusalOf = (error: NodeJS.ErrnoException, { host, port }: Listening): Error => {
  const { code } = error
  if (code === 'EADDRINUSE') return new LoadError(`port ${port} is in use: enter another one with --port`)
  if (code === 'EACCES') return new LoadError(`this user may not listen on port ${port}: enter a port above 1023`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return optionError(
      '--host',
      host,
      'enter an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all of them',
    )
  return error
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
  readonly bytes: Uint8Array
  readonly gzip: Uint8Array
}

/**
 * Returns a function that answers with a file in a folder, which has the form of `[assets]` in wrangler.toml. It returns false
 * if there is no such file.
 */
const filesIn = (folder: string): ((incoming: IncomingMessage, outgoing: ServerResponse) => boolean) => {
  const rules = rulesIn(join(folder, '_headers'))
  const files = new Map(pathsIn(folder).map((path) => [path, readFile(folder, path, rules)]))
  return ({ method, url = '', headers: asked }, outgoing) => {
    const file = files.get(url.replace(/\?.*/s, ''))
    if (file === undefined || (method !== 'GET' && method !== 'HEAD')) return false
    const { headers } = file
    if (hasTag(asked['if-none-match'], headers.ETag)) {
      outgoing.writeHead(304, headers).end()
      return true
    }
    const isSmall = qualityIn(String(asked['accept-encoding'] ?? ''), ['gzip', '*']) > 0
    const [bytes, coding] = isSmall ? [file.gzip, { 'Content-Encoding': 'gzip' }] : [file.bytes, {}]
    outgoing.writeHead(200, { ...headers, ...coding, 'Content-Length': bytes.length })
    outgoing.end(method === 'HEAD' ? undefined : bytes)
    return true
  }
}

/** Tests if a header If-None-Match has a tag. It compares weakly (RFC 9110, 13.1.2). */
const hasTag = (header = '', tag = ''): boolean =>
  header.split(',').some((each) => ['*', tag.replace('W/', '')].includes(each.trim().replace('W/', '')))

const pathsIn = (folder: string): readonly string[] => {
  const assets = join(folder, 'assets')
  if (!existsSync(assets)) return []
  const entries = readdirSync(assets, { recursive: true, withFileTypes: true })
  return entries.flatMap((entry) =>
    entry.isFile() ? [`/${relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/')}`] : [],
  )
}

const readFile = (folder: string, path: string, rules: readonly Rule[]): File => {
  const bytes = readFileSync(join(folder, path))
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 16)
  const own = { 'Content-Type': TYPES[extname(path)] ?? 'application/octet-stream', Vary: 'Accept-Encoding' }
  const headers = { ...own, ...headersOf(path, rules), ETag: `W/"${digest}"` }
  return { headers, bytes, gzip: gzipSync(bytes) }
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
