import { ApiError, DatabaseFault, unavailable } from '../../base/errors.ts'

/** Returns the code of an error of PostgreSQL (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const codeOf = (error: unknown): string => {
  const { code } = error as { readonly code?: unknown }
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : ''
}

/**
 * The server lacks a table, a column, a function or a right. Or the types do not fit, a materialized view is empty, or a
 * foreign server has a fault.
 */
const OF_VIEWS = /^(42P01|42703|42883|42804|42501|55000|HV)/

/** The server is at fault, and not what it reads. A statement that cannot connect reads from a foreign server. */
const OF_SERVER = /^(25|28|3D|53|57|40|55P03|58)/

/** Returns true if an error of a statement that reads the views tells a fault of them. */
export const isToldBy = (error: unknown): boolean => codeOf(error) !== '' && !OF_SERVER.test(codeOf(error))

/** Returns the error for the client after an error of the server or of the connection. */
export const faultOf = (error: unknown): unknown => {
  if (error instanceof ApiError) return error
  const code = codeOf(error)
  const [, told] = ANSWERS.find(([codes]) => codes.test(code)) ?? []
  if (told === undefined) return error
  console.error(JSON.stringify({ level: 'error', message: 'postgres: given up', code, error: String(error) }))
  return told()
}

/** The views have changed since the service read them. */
export class ViewsChanged extends ApiError {
  constructor() {
    super(503, { detail: CHANGED }, { 'Retry-After': '5' })
  }
}

const CHANGED = 'The views of the database have changed. Its operator can see at /readyz what is wrong.'

/** No connection was free in time. */
export const crowded = (): ApiError => unavailable('The database has too many connections. Try again in a few seconds.')

/** The time of a request is over. */
export const tooSlow = (): ApiError => unavailable(TOO_SLOW)

const TOO_SLOW =
  'The database takes too long for this request. Add a filter, such as a period or a series. Its operator can make it faster, as docs/postgres.md says.'

/** The first codes that fit decide the answer. Other errors are ours. */
const ANSWERS: readonly (readonly [codes: RegExp, told: () => Error])[] = [
  // A statement takes too much time, or too much room for its files.
  [/^(57014|53400)/, tooSlow],
  [/^53300/, crowded],
  [/^55P03/, () => unavailable('A change of the tables is running. Try again in a few seconds.')],
  [OF_VIEWS, () => new ViewsChanged()],
  // An expression in a view cannot compute the value of a row.
  [/^22/, () => unavailable(NO_VALUE)],
  // A database that spreads its tables over servers does not have all queries of one server.
  [/^0A000/, () => unavailable(NO_QUERY)],
  // A later attempt may succeed: the connection, the login, a resource, a shutdown or a replica is at fault.
  [/^($|08|28|3D|53|57|40|55|58)/, () => new DatabaseFault()],
]

const NO_VALUE =
  'The views of the database cannot compute a value. Its operator can see in the log, and perhaps at /readyz, what is wrong.'

const NO_QUERY =
  'The database does not support the query of this request. Leave out a filter, an order or a facet. Its operator can see in the log what it does not support.'
