import type { Database } from '../engine/run/database.ts'
import { LIST_FORMATS } from '../formats/formats.ts'
import type { Resource } from '../resource.ts'
import { answerDocument, withDatabase } from './answer.ts'
import { bodyOf, callerAt, type RequestContext } from './context.ts'
import { LIST_OFFER } from './negotiate.ts'
import { listUnder } from './nested.ts'
import { describe } from './options.ts'
import { LIST_PARAMETERS } from './page.ts'
import { knownOf } from './parameters.ts'
import { type Asked, readAsked } from './read.ts'
import {
  admitWriting,
  parametersOfDelete,
  parametersOfDeleteMany,
  serveWriting,
  type WriteRequest,
  type Written,
} from './writing.ts'

/** Serves a write to a list or an item. */
export const serveWrite = (resource: Resource) => async (c: RequestContext) => {
  const { method } = c.req
  const caller = await callerAt(c)
  admitWriting(resource, caller, method, c.req.header('Content-Type') ?? null)
  const key = c.req.param('key') ?? null
  const title = key === null ? resource.name : resource.itemName
  const known =
    key === null && method === 'DELETE'
      ? parametersOfDeleteMany(resource)
      : knownOf([...LIST_PARAMETERS, ...parametersOfDelete(resource, method)])
  const about = () => describe(title, resource.description, LIST_FORMATS, resource.writable.types)
  const asked = readAsked(c, caller, { known, offer: LIST_OFFER, title, about })
  const address = `${asked.address}${new URL(c.req.url).search}`
  const write = async (db: Database) => {
    const list = await listUnder(c, resource, db, caller.level)
    return serveWriting(sentIn(c, asked, key), { resource: list, caller, db, links: asked.links, address })
  }
  return answerWrite(c, asked, write, ({ status, location }, body) => {
    if (location !== null) c.header('Location', location)
    return answerDocument(c, asked, body, title, status)
  })
}

/** Returns what a request sends to write. */
export const sentIn = (c: RequestContext, { values }: Asked, key: string | null): WriteRequest => ({
  method: c.req.method,
  header: (name: string) => c.req.header(name) ?? null,
  body: () => bodyOf(c),
  key,
  values,
})

/** Runs a write. `answer` writes what it stored. Without a body the answer is a 204. */
export const answerWrite = async <W extends Written>(
  c: RequestContext,
  { caller }: Asked,
  write: (db: Database) => Promise<W>,
  answer: (written: W, body: object, db: Database) => Response | Promise<Response>,
): Promise<Response> =>
  withDatabase(c, caller, { primary: true }, async (db) => {
    const written = await write(db)
    // The answer is for one caller and one write.
    c.header('Cache-Control', 'private, no-store')
    return written.body === null ? c.body(null, 204) : await answer(written, written.body, db)
  })
