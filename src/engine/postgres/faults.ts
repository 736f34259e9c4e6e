import { ApiError, DatabaseFault, unavailable } from '../../base/errors.ts'

/** Codes of PostgreSQL (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const [CANCELED, TOO_MANY] = ['57014', '53300']

/** The server lacks a table, a column, a function or a right, or the types do not fit. */
const OF_VIEWS = ['42P01', '42703', '42883', '42804', '42501']

/** A later attempt may succeed: the connection, the login, a resource, a shutdown or a replica is at fault. */
const PASSING = /^(08|28|3D|53|57|40|55|58)/

const codeOf = (error: unknown): string => {
  const { code = '' } = error as { readonly code?: unknown }
  return typeof code === 'string' ? code : ''
}

/** Returns true if the views may have changed, so they are read again. */
export const isOfViews = (error: unknown): boolean => OF_VIEWS.includes(codeOf(error))

/** Returns the error for the client after an error of the server or of the connection. */
export const faultOf = (error: unknown): unknown => {
  if (error instanceof ApiError) return error
  const code = codeOf(error)
  const isOurs = /^[0-9A-Z]{5}$/.test(code) && !PASSING.test(code) && !isOfViews(error)
  if (isOurs) return error
  console.error(JSON.stringify({ level: 'error', message: 'postgres: given up', code, error: String(error) }))
  if (code === CANCELED) return tooSlow()
  if (code === TOO_MANY) return unavailable('The database has too many connections. Try again in a few seconds.')
  if (isOfViews(error))
    return unavailable('The views of the database have changed. Its operator can see at /readyz what is wrong.')
  return new DatabaseFault()
}

/** The time of a request is over. */
export const tooSlow = (): ApiError => unavailable(TOO_SLOW)

const TOO_SLOW =
  'The database takes too long for this request. Add a filter, such as a period or a series. Its operator can make it faster, as docs/postgres.md says.'
