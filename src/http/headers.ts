/** How the service describes a header of answers. */
interface AnswerHeader {
  /** Its description. It is absent if HTTP defines the header. */
  readonly says?: string
  /** Only some answers have it. */
  readonly atTimes?: true
  /** The OpenAPI documents leave it out. */
  readonly untold?: true
  /** Pages of other origins may always read it (Fetch, 2.2.2, CORS-safelisted response headers). */
  readonly safelisted?: true
}

/** The headers of answers that clients may rely on. */
export const ANSWER_HEADERS: Readonly<Record<string, AnswerHeader>> = {
  Allow: {},
  'Cache-Control': { safelisted: true },
  'Content-Crs': { untold: true },
  'Content-Disposition': { atTimes: true },
  ETag: {},
  'Last-Modified': { says: 'When the data was last written.', atTimes: true, safelisted: true },
  Link: { says: 'The pages after and before this one, or where the interface is described.', atTimes: true },
  Location: { atTimes: true },
  'OGC-NumberMatched': { untold: true },
  'Preference-Applied': { atTimes: true },
  'Retry-After': {},
  'Server-Timing': { untold: true },
  'WWW-Authenticate': {},
  'X-D1-Bookmark': { says: 'Which state of the data was read.', atTimes: true },
  'X-Request-Id': { says: 'The id of the answer in the log.' },
  'X-Total-Count': { says: 'How many items match, on all pages.' },
}

/** The request headers of the interface, and their descriptions. */
export const REQUEST_HEADERS = {
  'Idempotency-Key':
    'A new name, such as a uuid: for a day the same request with it is answered the same, and writes nothing.',
  'If-Match': 'ETags of answers: a 412 if anything was written since. To read, that of this answer.',
  'If-Modified-Since': 'The Last-Modified of an answer at hand, to the second: a 304 if it still holds.',
  'If-None-Match': 'The ETag of an answer at hand: a 304 if it still holds.',
  Prefer: 'With `handling=lenient` unknown parameters are passed over, and of repeated ones the last counts.',
  'X-D1-Bookmark': 'The X-D1-Bookmark of an earlier answer: this one is at least as new.',
} as const

/** The headers that pages of other origins may send, and the headers that they may read (CORS). */
export const allowedHeaders = ['Accept', 'Authorization', 'Content-Type', ...Object.keys(REQUEST_HEADERS)].sort()
export const exposedHeaders = Object.keys(ANSWER_HEADERS).filter((name) => !ANSWER_HEADERS[name]?.safelisted)
