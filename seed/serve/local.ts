import { statfsSync, statSync } from 'node:fs'
import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import { CONFIGURATION } from '../local/configuration.ts'
import { databaseFile, type Local, openDatabase, openServed } from '../local/database.ts'
import type { Service } from './listen.ts'
import type { Monitor } from './monitor.ts'
import { OF_CONNECTION, pairsOf, type Sender } from './received.ts'

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

/** Sends a request to the runtime, and its answer to the client, without changes. */
const forward = (
  { hostname, port }: URL,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  sender: Sender,
): void => {
  const { method, url: path, rawHeaders, headers } = incoming
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  const own = {
    // The runtime takes the address of the request from this header, and otherwise believes the client.
    'MF-Original-URL': `${sender.isSecure ? 'https' : 'http'}://${headers.host}${path}`,
    // Without it, the runtime invents a data centre.
    'MF-CF-Blob': JSON.stringify({ clientAcceptEncoding: headers['accept-encoding'] ?? '' }),
    // The Worker may refuse a body before it reads it. The runtime then ends the connection.
    ...(hasBody && { Expect: '100-continue' }),
  }
  const all = [...rawHeaders, ...Object.entries(own).flat()]
  const asked = request({ agent: AGENT, hostname, port, method, path, headers: all })
  asked.on('response', (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.statusMessage, headersOf(response))
    pipeline(response, outgoing, () => {
      incoming.unpipe(asked)
      incoming.resume()
      if (!asked.writableEnded) asked.destroy()
    })
  })
  asked.on('error', (error) => {
    if (outgoing.headersSent || outgoing.destroyed) return outgoing.destroy()
    console.error(error)
    outgoing.writeHead(503, { 'Content-Type': 'application/json', 'Retry-After': '5' }).end(UNREACHABLE)
  })
  outgoing.once('close', () => asked.destroy())
  if (hasBody) asked.once('continue', () => incoming.pipe(asked)).flushHeaders()
  else asked.end()
}

/** Returns the headers of an answer. The runtime compresses some types without a word about it. */
const headersOf = ({ headers, rawHeaders }: IncomingMessage): string[] => {
  const kept = pairsOf(rawHeaders).filter(([name]) => !OF_CONNECTION.test(name))
  if (headers['content-encoding'] === undefined || /accept-encoding/i.test(headers.vary ?? '')) return kept.flat()
  // The compressed bytes are others.
  const weak = kept.map(([name, value]) => [name, /^etag$/i.test(name) ? value.replace(/^(?!W\/)/, 'W/') : value])
  return [...weak, ['Vary', 'Accept-Encoding']].flat()
}

const UNREACHABLE = JSON.stringify({ detail: 'The service is starting again. Try again in a few seconds.' })
