import { bodyOf, queryOf, type RequestContext } from './context.ts'
import { FORM } from './options.ts'
import { type Parameter, parseQuery } from './query.ts'
import { refuseOtherTypes } from './writing.ts'

/**
 * Reads the parameters of the address, and of the body of a posted query. A page or a format in the address replaces
 * that in the body, so that a client can post one body for several pages and formats.
 */
export const readPosted = (c: RequestContext): { parameters: Parameter[]; pageInBody: boolean } => {
  const inUrl = queryOf(c)
  if (c.req.method !== 'POST') return { parameters: inUrl, pageInBody: false }
  refuseOtherTypes(c.req.header('Content-Type') ?? null, [FORM])
  const inBody = parseQuery(new Uint8Array(bodyOf(c)))
  const isInUrl = (name: string) => inUrl.some((each) => each.name === name)
  const replaced = [...(isInUrl('page') ? ['page', 'hint'] : []), ...(isInUrl('format') ? ['format'] : [])]
  const others = inBody.filter(({ name }) => !replaced.includes(name))
  return { parameters: [...inUrl, ...others], pageInBody: inBody.some(({ name }) => name === 'page') }
}
