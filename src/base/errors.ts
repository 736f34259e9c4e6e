import { inEnglish, type Sentence } from './messages.ts'

/** An error answer. Any code may throw it. `onError` in src/app.ts writes it as JSON, or as a page for a browser. */
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

export class DatabaseFault extends ApiError {
  constructor() {
    super(503, { detail: NO_ANSWER }, { 'Retry-After': '5' })
  }
}

export const detail = (status: number, message: string, headers?: Record<string, string>) =>
  new ApiError(status, { detail: message }, headers)

/** The messages about each faulty parameter. A message says which value to enter. */
type Faults = Record<string, string[]>

/** The sentences of each message about a faulty parameter. None: the message has no code. */
export type Codes = Record<string, (readonly Sentence[])[]>

export const invalidParameters = (faults: Faults, codes?: Codes) => new ApiError(400, faults, {}, codes)
export const badRequest = (message: string) => detail(400, message)
export const notAuthenticated = (message: string) =>
  detail(401, message, { 'WWW-Authenticate': 'Bearer realm="api", Basic realm="api", charset="UTF-8"' })
export const permissionDenied = (message: string) => detail(403, message)
export const notFound = (message = 'Not found.') => detail(404, message)
export const conflict = (message: string) => detail(409, message)
export const gone = (message: string) => detail(410, message)
export const preconditionFailed = () =>
  detail(412, 'The data has changed since you read it. Read it again, and send the new ETag in If-Match.')
export const tooLarge = (message: string) => detail(413, message)
export const unavailable = (message = NO_ANSWER) => detail(503, message, { 'Retry-After': '5' })
/** The database lacks what the service reads. Only callers who may see how it is built get the faults. */
export const faultyViews = (faults: readonly string[] = []) =>
  new ApiError(503, { detail: FAULTY_VIEWS, ...(faults.length > 0 && { faults }) }, { 'Retry-After': '5' })
const FAULTY_VIEWS =
  'The database does not have the views that this service reads. Its operator can see at /readyz what is wrong.'
export const databaseFull = () =>
  detail(
    507,
    'The database is full, so it stores nothing more. Reading works. Its operator must make room first, as docs/operating.md says under “A full database”.',
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

export const valueError = (...sentences: readonly Sentence[]): ValueError =>
  new ValueError(sentences.map(inEnglish).join(' '), sentences)

/** Runs a reader. Returns what `otherwise` makes of its ValueError. */
export const orElse = <T, F>(read: () => T, otherwise: (fault: ValueError) => F): T | F => {
  try {
    return read()
  } catch (error) {
    if (error instanceof ValueError) return otherwise(error)
    throw error
  }
}

/** Runs a reader. Returns undefined if it throws. */
export const orUndefined = <T>(read: () => T): T | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

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
