/** How the service describes a header of answers. */
interface AnswerHeader {
  /** Its description. It is absent if HTTP defines the header. */
  readonly says?: string
  /** Only some answers have it. */
  readonly atTimes?: true
  /** The OpenAPI documents leave it out. */
  readonly undeclared?: true
  /** Pages of other origins may always read it (Fetch, 2.2.2, CORS-safelisted response headers). */
  readonly safelisted?: true
}

/** The headers of answers that clients may rely on. */
export const ANSWER_HEADERS: Readonly<Record<string, AnswerHeader>> = {
  Allow: {},
  'Cache-Control': { safelisted: true },
  'Content-Crs': { undeclared: true },
  'Content-Disposition': { atTimes: true },
  ETag: { atTimes: true },
  'Last-Modified': { says: 'The time of the last write.', atTimes: true, safelisted: true },
  Link: { says: 'The next and the previous page, or the description of the interface.', atTimes: true },
  Location: { atTimes: true },
  'OGC-NumberMatched': { undeclared: true },
  'Retry-After': {},
  'Server-Timing': { undeclared: true },
  'WWW-Authenticate': {},
  'X-D1-Bookmark': { says: 'The state of the data that the answer shows.', atTimes: true },
  'X-Request-Id': { says: 'The id of the answer in the log.' },
  'X-Total-Count': { says: 'The number of items that match, on all pages.' },
}

/** The request headers of the interface, and their descriptions. */
export const REQUEST_HEADERS = {
  'Idempotency-Key':
    'A new name for the request, such as a uuid. For a day, a repeated request with this name gets the first answer, and writes nothing.',
  'If-Match':
    'ETags of earlier answers. The answer is a 412 if the item has changed since, or the data for the tag of a list. To read, enter the ETag of the same address.',
  'If-Modified-Since':
    'The Last-Modified of a cached answer, to the second. The answer is a 304 if the cached one is still valid.',
  'If-None-Match': 'The ETag of a cached answer. The answer is a 304 if the cached one is still valid.',
  'X-D1-Bookmark': 'The X-D1-Bookmark of an earlier answer. The new answer is at least as recent.',
} as const

interface ErrorStatus {
  /** Its phrase (RFC 9110, 15, RFC 6585, 4, and RFC 4918, 11). */
  readonly title: string
  /** When the service answers with it. Null: the OpenAPI documents leave it out. */
  readonly says: string | null
  /** The headers that each answer with it has. */
  readonly headers?: readonly string[]
}

/** The statuses of errors. */
export const ERRORS: Readonly<Record<number, ErrorStatus>> = {
  400: { title: 'Bad Request', says: 'The parameters or the body have faults. The answer names all of them.' },
  401: { title: 'Unauthorized', says: 'The key is wrong, or the request needs a key.', headers: ['WWW-Authenticate'] },
  403: { title: 'Forbidden', says: 'The key may not do this, or the client sent it over plain http.' },
  404: { title: 'Not Found', says: 'The item or page does not exist, or the caller may not see it.' },
  405: { title: 'Method Not Allowed', says: null },
  406: { title: 'Not Acceptable', says: 'The service has no format that Accept names.' },
  408: { title: 'Request Timeout', says: 'The body came too slowly.' },
  409: { title: 'Conflict', says: 'The item exists already, or other items belong to it.' },
  410: { title: 'Gone', says: 'The mark can no longer tell what changed. Take a new one, and read the lists again.' },
  412: { title: 'Precondition Failed', says: 'The data has changed since the client read it.' },
  413: { title: 'Content Too Large', says: 'The body is too long.' },
  414: { title: 'URI Too Long', says: 'The address, or the address of the next page, is too long.' },
  415: { title: 'Unsupported Media Type', says: 'The service does not accept the media type of the body.' },
  422: { title: 'Unprocessable Content', says: 'This Idempotency-Key was used for another request.' },
  429: { title: 'Too Many Requests', says: 'Too many requests.', headers: ['Retry-After'] },
  500: { title: 'Internal Server Error', says: 'The service failed.' },
  503: {
    title: 'Service Unavailable',
    says: 'The service is busy. Send the same request again later.',
    headers: ['Retry-After'],
  },
  507: { title: 'Insufficient Storage', says: 'The database is full. A retry does not help.' },
}
