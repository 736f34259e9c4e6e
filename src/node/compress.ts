import { pipeline, Readable } from 'node:stream'
import type { ReadableStream as NodeStream } from 'node:stream/web'
import { constants, createGzip } from 'node:zlib'
import { qualityIn } from '../http/offer.ts'

/** Cloudflare compresses these types by itself. The Worker marks the others. */
const TYPES = /^(application\/([\w.-]+\+)?json|text\/html)\b/

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
  TYPES.test(headers.get('Content-Type') ?? '') &&
  qualityIn(asked.get('Accept-Encoding') ?? '', ['gzip', '*']) > 0
