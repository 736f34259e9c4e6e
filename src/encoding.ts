import { DOWNLOADS, mediaType } from './downloads.ts'
import { MVT } from './formats/mvt.ts'
import { qualityIn } from './request/offer.ts'

/** Cloudflare compresses GeoJSON by itself, as JSON and HTML. */
const BY_CLOUDFLARE = [mediaType(DOWNLOADS.geojson)]
/** The types that the Worker compresses. */
const PLAIN = [...Object.values(DOWNLOADS).map(mediaType), MVT].filter((type) => !BY_CLOUDFLARE.includes(type))

/** Marks an answer as compressed if the client accepts gzip. The runtime then compresses the body. */
export const compress = ({ status, headers }: Response, request: Request): void => {
  const [type] = (headers.get('Content-Type') ?? '').split(';')
  if (status !== 200 || !PLAIN.includes(type?.trim() ?? '')) return
  headers.append('Vary', 'Accept-Encoding')
  // Cloudflare replaces the header Accept-Encoding, and stores the value of the client here.
  const original = request.cf?.clientAcceptEncoding as string | undefined // a header is a text
  const accepted = original ?? request.headers.get('Accept-Encoding')
  if (takesGzip(accepted)) headers.set('Content-Encoding', 'gzip')
}

/** Returns true if the header Accept-Encoding allows gzip (RFC 9110, 12.5.3). Null: the client sent no such header. */
export const takesGzip = (acceptEncoding: string | null): boolean => qualityIn(acceptEncoding ?? '', ['gzip', '*']) > 0

/**
 * Adds Content-Length to an answer, because the runtime adds it for GET but not for HEAD. A compressed body has none:
 * its length is unknown in advance.
 */
export const withLength = async (response: Response): Promise<Response> => {
  if ([204, 304].includes(response.status) || response.headers.has('Content-Encoding')) return response
  const body = await response.arrayBuffer()
  const measured = new Response(body, response)
  measured.headers.set('Content-Length', String(body.byteLength))
  return measured
}
