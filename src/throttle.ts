import { bodyBytes, readBody } from './body.ts'
import type { Share } from './budget.ts'
import { callerOf } from './caller.ts'
import { charge, clientOf, readInTurn, refuseExcess, takeLargeTurn, takeStream, takeTurn } from './limit.ts'
import type { RequestContext } from './list/context.ts'
import { bodyLimitOf, writes } from './list/writing.ts'
import { isOgc } from './ogc/addresses.ts'
import { methodsAt } from './routes.ts'

/**
 * Lets a client in: limits its requests, reads the body of one that may have a body, and waits for its turn. It counts by
 * address, because that also limits guesses of keys.
 */
export const throttle = async (c: RequestContext, next: () => Promise<void>): Promise<void> => {
  const client = clientOf(c.req.header('CF-Connecting-IP') ?? null)
  await refuseExcess(client, c.env, Date.now())
  // A write takes a key, and a load of many events must not stop.
  if (!isWrite(c)) c.set('onRead', (rows) => charge(client, c.env, rows, Date.now()))
  let stream: Share | undefined
  c.set('openStream', () => {
    stream = takeStream(client, Date.now())
    return (read) => readInTurn(read, Date.now)
  })
  const ends: (() => void)[] = []
  try {
    if (await takesBody(c)) ends.push(await takeBody(c, client))
    ends.push(await takeTurn(client, c.env, Date.now))
    ends.push(await takeLargeTurn(c.get('body')?.byteLength ?? 0, Date.now))
    await next()
  } finally {
    for (const end of ends) end()
    const sent = c.get('sent')
    if (sent === undefined) stream?.end()
    else c.executionCtx.waitUntil(sent.then(stream?.end))
  }
}

/** Features are written by every method, and a posted form is a query only at the lists. */
const isWrite = ({ req }: RequestContext): boolean =>
  writes(req.method, isOgc(req.path) ? null : (req.header('Content-Type') ?? null))

/** Whether the address takes the body, and the key of the caller may send it. Throws a 401 for a wrong key. */
const takesBody = async (c: RequestContext): Promise<boolean> => {
  const { method, path } = c.req
  const isTaken = ['POST', 'PUT', 'PATCH'].includes(method) && methodsAt(path)?.includes(method)
  if (!isTaken) return false
  const { key } = await callerOf(c.req.raw.headers, c.env)
  return !isWrite(c) || key?.write === true
}

/** Reads the body. Returns a function that gives its bytes back. */
const takeBody = async (c: RequestContext, client: string | null): Promise<() => void> => {
  const limit = bodyLimitOf(c.env, c.req.method, c.req.header('Content-Type') ?? null)
  const share = bodyBytes(client, Date.now(), limit.most)
  try {
    c.set('body', await readBody(c.req.raw, limit, share, Date.now))
  } catch (error) {
    share.end()
    throw error
  }
  return share.end
}
