import { callerAt, type RequestContext } from '../request/context.ts'
import { baseOf } from '../request/links.ts'
import { describe } from '../request/options.ts'
import { digest } from '../request/query.ts'
import { cacheControl, isKnownOrRefused, preconditionsOf, secondsOf } from '../request/validators.ts'
import { NO_STATE } from '../state.ts'

/** A text that depends only on the base of its addresses. */
export interface StaticText {
  readonly name: string
  readonly description: string
  readonly contentType: string
  readonly of: (base: string) => string
}

/** Serves a text to anyone. It ignores Accept, because the text has only one form. */
export const serveText = (text: StaticText) => async (c: RequestContext) => {
  const { key } = await callerAt(c)
  const { name, description, contentType } = text
  if (c.req.method === 'OPTIONS')
    return c.json({ ...describe(name, description, []), renders: [contentType.split(';')[0]] })
  const body = text.of(baseOf(new URL(c.req.url), c.env.BASE_URL))
  const tag = `W/"${await digest([body])}"`
  c.header('ETag', tag)
  c.header('Cache-Control', cacheControl(key !== null, secondsOf(c.env), Boolean(c.env.BASE_URL)))
  if (isKnownOrRefused(NO_STATE, tag, preconditionsOf(c.req.raw.headers))) return c.body(null, 304)
  c.header('Content-Type', contentType)
  return c.body(body)
}
