import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

/** The sender of a request. */
export interface Sender {
  readonly address: string
  /** True if it sent the request to a proxy by TLS. */
  readonly isSecure: boolean
  /** True for a program on this machine that is no proxy. */
  readonly isLocal: boolean
}

/** Headers that only Cloudflare may send, headers of the local runtime, and those of one connection (RFC 9110, 7.6.1). */
const REMOVED = /^(cf-.*|mf-.*|connection|expect|keep-alive|proxy-connection|te|trailer|upgrade)$/i

const LOOPBACK = /^(::ffff:)?127\.|^::1$/

/**
 * Gives a request the headers that Cloudflare would send, and returns its sender. `believesProxy`: a proxy on this machine says
 * the address and the scheme of its client.
 */
export const receive = (incoming: IncomingMessage, believesProxy: boolean): Sender => {
  const { headersDistinct, socket } = incoming
  const [connected, forwarded] = [socket.remoteAddress ?? '', lastOf(headersDistinct['x-forwarded-for'])]
  const isFromHere = LOOPBACK.test(connected)
  const isForwarded = believesProxy && isFromHere && isIP(forwarded) !== 0
  const address = isForwarded ? forwarded : connected
  const scheme = lastOf(headersDistinct['x-forwarded-proto'])
  // A key that came over plain http is refused.
  const added = { 'cf-connecting-ip': address, ...(isForwarded && { 'cf-visitor': JSON.stringify({ scheme }) }) }
  const kept = pairsOf(incoming.rawHeaders).filter(([name]) => !REMOVED.test(name))
  incoming.rawHeaders = [...kept, ...Object.entries(added)].flat()
  for (const name of Object.keys(incoming.headers)) if (REMOVED.test(name)) delete incoming.headers[name]
  Object.assign(incoming.headers, added)
  const isLocal = isFromHere && headersDistinct['x-forwarded-for'] === undefined
  return { address, isSecure: isForwarded && scheme === 'https', isLocal }
}

/** Returns the last value, which the nearest proxy has added. */
const lastOf = (values: readonly string[] = []): string => values.join().split(',').at(-1)?.trim() ?? ''

const pairsOf = (raw: readonly string[]): [name: string, value: string][] =>
  raw.flatMap((name, i): [string, string][] => (i % 2 === 0 ? [[name, raw[i + 1] ?? '']] : []))
