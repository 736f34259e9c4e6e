import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

/** The sender of a request. */
export interface Sender {
  /** True if it sent the request to a proxy by TLS. */
  readonly isSecure: boolean
  /** True for a program on this machine that is no proxy. */
  readonly isLocal: boolean
}

/** Headers that only Cloudflare or the local runtime may send, and those that a server answers itself. */
const REMOVED = /^(cf-.*|mf-.*|x-forwarded-.*|connection|expect|keep-alive|proxy-connection|te|trailer|upgrade)$/i

/** Headers of one connection (RFC 9110, 7.6.1). Node writes its own. */
export const OF_CONNECTION = /^(connection|keep-alive|transfer-encoding)$/i

/** A name or an address, perhaps with a port. */
const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d+)?$/i

const LOOPBACK = /^(::ffff:)?127\.|^::1$/

/**
 * Gives a request the headers that Cloudflare would send, and returns its sender. `believesProxy`: a proxy on this machine says
 * the address and the scheme of its client. Null: the request has no valid address.
 */
export const receive = (incoming: IncomingMessage, believesProxy: boolean): Sender | null => {
  const { headersDistinct, socket, url = '' } = incoming
  const [host = 'localhost', another] = headersDistinct.host ?? []
  const path = URL.canParse(url) ? pathOf(new URL(url)) : url
  if (!path.startsWith('/') || !HOST.test(host) || another !== undefined) return null
  const [connected, forwarded] = [socket.remoteAddress ?? '', lastOf(headersDistinct['x-forwarded-for'])]
  const isFromHere = LOOPBACK.test(connected)
  const isForwarded = believesProxy && isFromHere && isIP(forwarded) !== 0
  const scheme = lastOf(headersDistinct['x-forwarded-proto'])
  const added = {
    host,
    'cf-connecting-ip': isForwarded ? forwarded : connected,
    // A key that came over plain http is refused.
    ...(isForwarded && { 'cf-visitor': JSON.stringify({ scheme }) }),
  }
  const kept = pairsOf(incoming.rawHeaders).filter(([name]) => !REMOVED.test(name) && !/^host$/i.test(name))
  incoming.rawHeaders = [...kept, ...Object.entries(added)].flat()
  for (const name of Object.keys(incoming.headers)) if (REMOVED.test(name)) delete incoming.headers[name]
  Object.assign(incoming.headers, added)
  incoming.url = path
  const isLocal = isFromHere && headersDistinct['x-forwarded-for'] === undefined
  return { isSecure: isForwarded && scheme === 'https', isLocal }
}

const pathOf = ({ pathname, search }: URL): string => pathname + search

/** Returns the last value, which the nearest proxy has added. */
const lastOf = (values: readonly string[] = []): string => values.join().split(',').at(-1)?.trim() ?? ''

export const pairsOf = (raw: readonly string[]): [name: string, value: string][] =>
  raw.flatMap((name, i): [string, string][] => (i % 2 === 0 ? [[name, raw[i + 1] ?? '']] : []))
