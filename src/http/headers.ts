/** A header of answers. */
interface AnswerHeader {
  /** In words, where HTTP does not define it. */
  readonly says?: string
  /** An answer has it only at times. */
  readonly atTimes?: true
  /** The description of the interface leaves it out. */
  readonly untold?: true
  /** Pages of other origins may read it without being told so (Fetch, 2.2.2). */
  readonly safelisted?: true
}

/** The headers of answers that clients may go by. */
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

/** The headers of requests that are parameters of the interface, in words. */
export const REQUEST_HEADERS = {
  'Idempotency-Key':
    'A new name, such as a uuid: for a day the same request with it is answered the same, and writes nothing.',
  'If-Match': 'ETags of answers: a 412 if anything was written since. To read, that of this answer.',
  'If-Modified-Since': 'The Last-Modified of an answer at hand, to the second: a 304 if it still holds.',
  'If-None-Match': 'The ETag of an answer at hand: a 304 if it still holds.',
  Prefer: 'With `handling=lenient` unknown parameters are passed over, and of repeated ones the last counts.',
  'X-D1-Bookmark': 'The X-D1-Bookmark of an earlier answer: this one is at least as new.',
} as const

/** What pages of other origins may send, and what they may read (CORS). */
export const allowedHeaders = ['Accept', 'Authorization', 'Content-Type', ...Object.keys(REQUEST_HEADERS)].sort()
export const exposedHeaders = Object.keys(ANSWER_HEADERS).filter((name) => !ANSWER_HEADERS[name]?.safelisted)
