import type { Context } from 'hono'
import type { Env } from '../env.ts'
import { preconditionFailed } from '../errors.ts'
import { baseOf } from '../http/links.ts'
import { digest } from '../http/query.ts'
import { cacheControl, isKnown, passesIfMatch, preconditionsOf, secondsOf } from '../http/validators.ts'
import { admit } from '../list/context.ts'
import { describe, READ_METHODS } from '../list/options.ts'
import type { Variables } from '../list/timing.ts'

/** A text that depends only on the base of its addresses. */
export interface Text {
  readonly name: string
  readonly description: string
  readonly contentType: string
  readonly of: (base: string) => string
}

/** Serves a text to anyone. It ignores Accept, because the text has only one form. */
export const serveText = (text: Text) => async (c: Context<{ Bindings: Env; Variables: Variables }>) => {
  const { key } = await admit(c, READ_METHODS)
  const { name, description, contentType } = text
  if (c.req.method === 'OPTIONS')
    return c.json({ ...describe(name, description, []), renders: [contentType.split(';')[0]] })
  const body = text.of(baseOf(new URL(c.req.url), c.env.BASE_URL))
  const tag = `W/"${await digest([body])}"`
  c.header('ETag', tag)
  c.header('Cache-Control', cacheControl(key !== null, secondsOf(c.env), Boolean(c.env.BASE_URL)))
  const sent = preconditionsOf(c.req.raw.headers)
  if (!passesIfMatch(tag, sent)) throw preconditionFailed()
  if (isKnown({ revision: 0, changed: 0 }, tag, sent)) return c.body(null, 304)
  c.header('Content-Type', contentType)
  return c.body(body)
}
