import { ApiError, DatabaseFault, unavailable } from '../../base/errors.ts'

/** Codes of PostgreSQL (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const [TOO_MANY, LOCKED] = ['53300', '55P03']
/** A statement takes too much time, or too much room for its files. */
const LIMITS = ['57014', '53400']

/**
 * The server lacks a table, a column, a function or a right, the types do not fit, a materialized view is empty, or a
 * foreign server has a fault.
 */
const OF_VIEWS = /^(42P01|42703|42883|42804|42501|55000|HV)/

/** An expression in a view cannot compute the value of a row. */
const OF_DATA = /^22/

/** A later attempt may succeed: the connection, the login, a resource, a shutdown or a replica is at fault. */
const PASSING = /^(08|28|3D|53|57|40|55|58)/

/** The server is at fault, and not what it reads. A failed connection within a statement is that of a foreign server. */
const OF_SERVER = /^(25|28|3D|53|57|40|55P03|58)/

const codeOf = (error: unknown): string => {
  const { code } = error as { readonly code?: unknown }
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : ''
}

/** Returns true if the views may have changed, so they are read again. */
export const isOfViews = (error: unknown): boolean => OF_VIEWS.test(codeOf(error))

/** Returns true if an error of a statement that reads the views tells a fault of them. */
export const isToldBy = (error: unknown): boolean => codeOf(error) !== '' && !OF_SERVER.test(codeOf(error))

/** Returns the error for the client after an error of the server or of the connection. */
export const faultOf = (error: unknown): unknown => {
  if (error instanceof ApiError) return error
  const code = codeOf(error)
  const isOurs = code !== '' && ![PASSING, OF_VIEWS, OF_DATA].some((codes) => codes.test(code))
  if (isOurs) return error
  console.error(JSON.stringify({ level: 'error', message: 'postgres: given up', code, error: String(error) }))
  if (LIMITS.includes(code)) return tooSlow()
  if (code === TOO_MANY) return unavailable('The database has too many connections. Try again in a few seconds.')
  if (code === LOCKED) return unavailable('A change of the tables is running. Try again in a few seconds.')
  if (OF_VIEWS.test(code))
    return unavailable('The views of the database have changed. Its operator can see at /readyz what is wrong.')
  if (OF_DATA.test(code))
    return unavailable(
      'The views of the database cannot compute a value. Its operator can see in the log, and perhaps at /readyz, what is wrong.',
    )
  return new DatabaseFault()
}

/** The time of a request is over. */
export const tooSlow = (): ApiError => unavailable(TOO_SLOW)

const TOO_SLOW =
  'The database takes too long for this request. Add a filter, such as a period or a series. Its operator can make it faster, as docs/postgres.md says.'
