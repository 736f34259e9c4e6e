import { statfsSync, statSync } from 'node:fs'
import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import { CONFIGURATION } from '../local/configuration.ts'
import { databaseFile, type Local, openDatabase, openServed } from '../local/database.ts'
import type { Service } from './listen.ts'
import type { Monitor } from './monitor.ts'
import type { Sender } from './received.ts'

/** A service on a local database, and the database for other work of this program. */
export interface LocalService extends Service {
  readonly local: Local
}

/** Serves the Worker on the local database in a folder, in the runtime that Cloudflare runs. It migrates the database. */
export const localService = async (
  script: string,
  folder: string,
  variables: Readonly<Record<string, string>>,
  monitor: Monitor,
): Promise<LocalService> => {
  const { close } = await openDatabase(folder)
  await close()
  const limits = CONFIGURATION.ratelimits
  const { miniflare, local } = await openServed(folder, {
    script,
    variables,
    limits,
    keepsAnswers: false,
    log: monitor.log,
  })
  await miniflare.ready
  const file = databaseFile(folder)
  monitor.add([
    {
      name: 'events_database_bytes',
      help: 'Size of the database.',
      measure: () => sizeOf(file) + sizeOf(`${file}-wal`),
    },
    {
      name: 'events_disk_free_bytes',
      help: 'Free space beside the database.',
      measure: () => {
        const { bavail, bsize } = statfsSync(file)
        return bavail * bsize
      },
    },
  ])
  return {
    answer: (incoming, outgoing, sender) => {
      // The runtime is started again after a crash, at another port.
      miniflare.ready.then((address) => forward(address, incoming, outgoing, sender), fail)
    },
    local,
    close: local.close,
  }
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** Ends the command, so that systemd starts it again. */
const fail = (error: unknown): never => {
  console.error(error)
  process.exit(1)
}

const AGENT = new Agent({ keepAlive: true })

/** Sends a request to the runtime, and its answer to the client, as they are. */
const forward = (
  { hostname, port }: URL,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  sender: Sender,
): void => {
  const { method = 'GET', url: path = '/', rawHeaders, headers } = incoming
  // The runtime takes the scheme of the client from this header, and otherwise invents a data centre.
  const secure = sender.isSecure ? ['MF-Original-URL', `https://${headers.host}${path}`] : []
  const place = ['MF-CF-Blob', JSON.stringify({ clientAcceptEncoding: headers['accept-encoding'] ?? '' })]
  const asked = request({ agent: AGENT, hostname, port, method, path, headers: [...rawHeaders, ...secure, ...place] })
  asked.on('response', (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.statusMessage, headersOf(response))
    pipeline(response, outgoing, () => {})
  })
  asked.on('error', (error) => {
    if (outgoing.headersSent || outgoing.destroyed) return outgoing.destroy()
    console.error(error)
    outgoing.writeHead(503, { 'Content-Type': 'application/json', 'Retry-After': '5' }).end(UNREACHABLE)
  })
  outgoing.once('close', () => asked.destroy())
  incoming.pipe(asked)
}

/** Returns the headers of an answer. The runtime compresses some types without a word about it. */
const headersOf = ({ headers, rawHeaders }: IncomingMessage): string[] => {
  if (headers['content-encoding'] === undefined || /accept-encoding/i.test(headers.vary ?? '')) return rawHeaders
  // The compressed bytes are others.
  const weak = rawHeaders.map((value) => (value === headers.etag ? value.replace(/^(?!W\/)/, 'W/') : value))
  return [...weak, 'Vary', 'Accept-Encoding']
}

const UNREACHABLE = JSON.stringify({ detail: 'The service is starting again. Try again in a few seconds.' })
