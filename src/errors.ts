import { inEnglish, type Sentence } from './messages.ts'

/** An error answer. Any code may throw it. `onError` in src/index.ts writes it as JSON, or as a page for a browser. */
export class ApiError extends Error {
  readonly status: number
  readonly body: Record<string, unknown>
  readonly headers: Record<string, string>
  /** The codes of the messages about each faulty parameter, for the page. */
  readonly codes: Codes | undefined

  constructor(status: number, body: Record<string, unknown>, headers: Record<string, string> = {}, codes?: Codes) {
    super(JSON.stringify(body))
    this.status = status
    this.body = body
    this.headers = headers
    this.codes = codes
  }
}

const NO_ANSWER = 'The database does not answer at the moment. Try again in a few seconds.'

/** The 503 of a failed read. */
export class DatabaseFault extends ApiError {
  constructor() {
    super(503, { detail: NO_ANSWER }, { 'Retry-After': '5' })
  }
}

const detail = (status: number, message: string, headers?: Record<string, string>) =>
  new ApiError(status, { detail: message }, headers)

/** The messages about each faulty parameter. A message says which value to enter. */
export type Faults = Record<string, string[]>

/** The sentences of each message about a faulty parameter. None: the message has no code. */
export type Codes = Record<string, (readonly Sentence[])[]>

export const invalidParameters = (faults: Faults, codes?: Codes) => new ApiError(400, faults, {}, codes)
export const badRequest = (message: string) => detail(400, message)
export const notAuthenticated = (message: string) =>
  detail(401, message, { 'WWW-Authenticate': 'Bearer realm="api", Basic realm="api", charset="UTF-8"' })
export const permissionDenied = (message: string) => detail(403, message)
export const notFound = (message = 'Not found.') => detail(404, message)
export const methodNotAllowed = (method: string, allow: string) =>
  detail(405, `Method "${method}" not allowed. Use one of ${allow}.`)
export const bodyTimeout = (speed: number) =>
  detail(
    408,
    `The body came too slowly: a large one needs ${speed} KB a second, and a small one has a minute. Send it again, or in parts.`,
  )
export const conflict = (message: string) => detail(409, message)
export const preconditionFailed = () =>
  detail(412, 'The data has changed since you read it. Read it again, and send the new ETag in If-Match.')
export const tooLarge = (message: string) => detail(413, message)
export const unsupportedMediaType = (message: string) => detail(415, message)
export const notDecoded = (encoding: string) =>
  detail(415, `This service does not accept Content-Encoding "${encoding}". Send the body without Content-Encoding.`, {
    'Accept-Encoding': 'identity',
  })
export const unprocessable = (message: string) => detail(422, message)
/** `isPosted`: the client can post the query of this address as a form. */
export const addressTooLong = (length: number, isPosted: boolean) =>
  detail(
    414,
    `The address, or the address of the next page, has more than ${length} characters. ${isPosted ? 'Send the query by POST, as application/x-www-form-urlencoded.' : 'Send a shorter query, such as an area with fewer positions. Lists under /api/ accept a long query by POST, as a form.'}`,
  )
export const tooManyRequests = (seconds: number) =>
  detail(429, `Too many requests. Try again in ${seconds} seconds.`, { 'Retry-After': String(seconds) })
export const tooMuchRead = (seconds: number) =>
  detail(
    429,
    `Your requests of the last minute read more of the database than one client may read. Try again in ${seconds} seconds. To read less, add a filter, or enter a smaller area or a lower page.`,
    { 'Retry-After': String(seconds) },
  )
export const tooDear = () =>
  badRequest(
    'This request reads more of the database than one client may read in a minute. Add a filter, or enter a smaller area or fewer geometries.',
  )
export const notAcceptable = (available: readonly string[]) =>
  detail(406, `Could not satisfy the request Accept header. Available: ${available.join(', ')}.`)
export const unavailable = (message = NO_ANSWER) => detail(503, message, { 'Retry-After': '5' })
export const notMigrated = () =>
  unavailable(
    'The database lacks tables or columns of this version. Its operator must apply the migrations: npm run wrangler -- d1 migrations apply DB --remote',
  )
export const beingLoaded = () => unavailable('The data is being loaded. Try again in a few minutes.')

/**
 * A value that a filter cannot read. The message says what to enter, and the reader of the query adds the parameter.
 */
export class ValueError extends Error {
  /** The codes of the message. None: the page shows it in English. */
  readonly sentences: readonly Sentence[]

  constructor(message: string, sentences: readonly Sentence[] = []) {
    super(message)
    this.sentences = sentences
  }
}

/** Returns the error whose message has these sentences. */
export const valueError = (...sentences: readonly Sentence[]): ValueError =>
  new ValueError(sentences.map(inEnglish).join(' '), sentences)

/** The mistakes in a query or a body. `faults` has messages about the first 100, and `count` counts all of them. */
export interface Mistakes {
  readonly faults: Faults
  readonly codes: Codes
  count: number
}

const MAX_MISTAKES = 100
const MAX_NAME = 100

export const noMistakes = (): Mistakes => ({
  faults: Object.create(null),
  codes: Object.create(null),
  count: 0,
})

/** Notes a mistake, by its message or by its error. */
export const mistake = (mistakes: Mistakes, name: string, fault: string | ValueError): void => {
  mistakes.count += 1
  if (mistakes.count > MAX_MISTAKES) return
  const shown = name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}...` : name
  const { message, sentences } = typeof fault === 'string' ? new ValueError(fault) : fault
  mistakes.faults[shown] = [...(mistakes.faults[shown] ?? []), message]
  mistakes.codes[shown] = [...(mistakes.codes[shown] ?? []), sentences]
}

/** Throws a 400 that names the mistakes, if there are any. */
export const refuseMistakes = ({ faults, codes, count }: Mistakes): void => {
  const more = count - MAX_MISTAKES
  if (more > 0) faults.detail = [`There ${more === 1 ? 'is 1 more mistake' : `are ${more} more mistakes`} like these.`]
  if (count > 0) throw invalidParameters(faults, codes)
}
