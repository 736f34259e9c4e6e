import { bodyBytes, readBody } from './body.ts'
import type { Share } from './budget.ts'
import { callerOf } from './caller.ts'
import { batchRows, charge, clientOf, readInTurn, refuseExcess, takeLargeTurn, takeStream, takeTurn } from './limit.ts'
import { bodyLimitOf, writes } from './request/read.ts'
import { type RequestContext, surfaceOf } from './request/route.ts'

/**
 * Admits a request. It applies the client's limits, reads the body and waits for a free slot. Limits count by address,
 * so they also slow down a client that guesses keys.
 */
export const throttle = async (c: RequestContext, next: () => Promise<void>): Promise<void> => {
  const client = clientOf(c.req.header('CF-Connecting-IP') ?? null)
  await refuseExcess(client, c.env, Date.now())
  // Writes cost nothing here: they need a key, and a load of many events must not stop.
  if (!isWrite(c)) c.set('onRead', (rows) => charge(client, c.env, rows, Date.now()))
  let stream: Share | undefined
  c.set('openStream', () => {
    const share = takeStream(client, Date.now())
    stream = share
    return { inTurn: (read) => readInTurn(read, Date.now), batchRows: () => batchRows(share) }
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

/** Returns true for a write. */
const isWrite = (c: RequestContext): boolean =>
  writes(c.req.method, surfaceOf(c).takesForms ? (c.req.header('Content-Type') ?? null) : null)

/** Returns true if the address takes a body and the caller's key may send it. Throws a 401 for a wrong key. */
const takesBody = async (c: RequestContext): Promise<boolean> => {
  const { method } = c.req
  const isTaken = ['POST', 'PUT', 'PATCH'].includes(method) && c.get('route')?.methods.includes(method)
  if (!isTaken) return false
  const { key } = await callerOf(c.req.raw.headers, c.env)
  return !isWrite(c) || key?.write === true
}

/** Reads the body. Returns a function that releases its bytes. */
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
