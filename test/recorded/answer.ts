import type { IncomingHttpHeaders } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'

/** An answer as it arrived. */
export interface RawAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** An answer without the values that change from run to run. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** A text. Vector tiles are decoded to JSON, and other bytes are written in base64. */
  readonly body: string
}

/** Headers of the connection. */
const CONNECTION = ['connection', 'date', 'keep-alive', 'transfer-encoding']

/** Replaces the values that differ from run to run by `*`. Their presence remains. */
export const normalized = ({ status, headers, body }: RawAnswer, method: string): Answer => {
  const kept = Object.entries(headers).filter(([name]) => !CONNECTION.includes(name))
  const values = kept.map(([name, value]) => [name, headerOf(name, String(value), body.length, method)])
  return { status, headers: Object.fromEntries(values.sort()), body: withoutCode(textOf(headers, body)) }
}

const headerOf = (name: string, value: string, length: number, method: string): string => {
  if (name === 'x-d1-bookmark') return '*'
  if (name === 'server-timing') return value.replace(/dur=[\d.]+/g, 'dur=*')
  // A changed body is one difference, not two.
  if (name === 'content-length' && method !== 'HEAD' && value === String(length)) return 'length of the body'
  return withoutCode(value)
}

/** Replaces the digest in entity tags. It depends on the code or the body, and the state before it does not. */
const withoutCode = (text: string): string =>
  text.replace(/(W\/(?:\\?"|&quot;)(?:\d+(?:\.\d+)?-[0-9a-z]+-|e\d+-|s\d+\.\d+-)?)[0-9a-f]{16}(?=\\?"|&quot;)/g, '$1*')

const textOf = (headers: IncomingHttpHeaders, sent: Buffer): string => {
  const body = decompressed(headers['content-encoding'], sent)
  if (headers['content-type'] === 'application/vnd.mapbox-vector-tile') return JSON.stringify(layersOf(body))
  const text = body.toString()
  return Buffer.from(text).equals(body) ? text : body.toString('base64')
}

const decompressed = (encoding: string | undefined, body: Buffer): Buffer => {
  if (body.length === 0) return body
  if (encoding === 'gzip') return gunzipSync(body)
  return encoding === 'br' ? brotliDecompressSync(body) : body
}

/** Decodes a vector tile. */
const layersOf = (body: Buffer) =>
  Object.values(new VectorTile(new PbfReader(body)).layers).map((layer) => {
    const features = Array.from({ length: layer.length }, (_, i) => {
      const feature = layer.feature(i)
      const { id, type, properties } = feature
      const geometry = feature.loadGeometry().map((ring) => ring.map(({ x, y }) => `${x} ${y}`).join(', '))
      return { id, type, geometry, properties }
    })
    return { name: layer.name, version: layer.version, extent: layer.extent, features }
  })
