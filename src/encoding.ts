/** What Cloudflare sends plain unless it is told to compress it: of JSON and HTML it does so by itself. */
const PLAIN = ['text/csv', 'application/x-ndjson', 'application/vnd.mapbox-vector-tile']

/** Has an answer compressed for who takes it: the runtime does, where a header says that it is. */
export const compress = ({ status, headers }: Response, request: Request): void => {
  const [type] = (headers.get('Content-Type') ?? '').split(';')
  if (status !== 200 || !PLAIN.includes(type?.trim() ?? '')) return
  headers.append('Vary', 'Accept-Encoding')
  // Cloudflare says in the header what it takes itself.
  const taken = (request.cf?.clientAcceptEncoding as string | undefined) ?? request.headers.get('Accept-Encoding')
  if (takesGzip(taken)) headers.set('Content-Encoding', 'gzip')
}

/** Whether a client takes gzip, as it says in the header Accept-Encoding (RFC 9110, 12.5.3). */
export const takesGzip = (acceptEncoding: string | null): boolean => {
  const weights = new Map(
    (acceptEncoding ?? '').split(',').map((entry) => {
      const [coding = '', ...parameters] = entry.toLowerCase().split(';')
      const weight = parameters.map((text) => /^\s*q\s*=\s*([\d.]+)\s*$/.exec(text)?.[1]).find((found) => found)
      return [coding.trim(), Number(weight ?? 1)] as const
    }),
  )
  return (weights.get('gzip') ?? weights.get('*') ?? 0) > 0
}

/** Adds the length of the body, which GET sends and HEAD does not. A compressed body has none, as nobody knows it in advance. */
export const withLength = async (response: Response): Promise<Response> => {
  if ([204, 304].includes(response.status) || response.headers.has('Content-Encoding')) return response
  const body = await response.arrayBuffer()
  const measured = new Response(body, response)
  measured.headers.set('Content-Length', String(body.byteLength))
  return measured
}
