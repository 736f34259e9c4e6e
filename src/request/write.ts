import { LIST_FORMATS } from '../formats/formats.ts'
import { openDatabase } from '../query/db/d1.ts'
import type { Resource } from '../resource.ts'
import { admit, bodyOf, listAt, queryOf, type RequestContext, readRequest } from './context.ts'
import { reportCost } from './endpoint.ts'
import { describe } from './options.ts'
import { LIST_PARAMETERS } from './page.ts'
import { knownOf } from './parameters.ts'
import { admitWriting, parametersOfDelete, parametersOfDeleteMany, serveWriting, writes } from './writing.ts'

/**
 * Serves the writes to a list or an item. Passes other requests to the next handler. `methods` are all methods that the
 * address allows.
 */
export const serveWrites =
  (resource: Resource, methods: readonly string[]) => async (c: RequestContext, next: () => Promise<void>) => {
    const { method } = c.req
    const header = (name: string) => c.req.header(name) ?? null
    if (!writes(method, header('Content-Type'))) return next()
    const caller = await admit(c, methods)
    admitWriting(resource, caller, method, header('Content-Type'))
    const key = c.req.param('key') ?? null
    const name = key === null ? resource.name : resource.itemName
    const known =
      key === null && method === 'DELETE'
        ? parametersOfDeleteMany(resource)
        : knownOf([...LIST_PARAMETERS, ...parametersOfDelete(resource, method)])
    const about = () => describe(name, resource.description, LIST_FORMATS, resource.writable.types)
    const request = readRequest(c, caller, name, queryOf(c), known, about)
    const { links, values } = request
    const planned = performance.now()
    const db = openDatabase(c.env.DB, { primary: true })
    const address = `${request.address}${new URL(c.req.url).search}`
    const sent = { method, header, body: async () => bodyOf(c), key, values }
    try {
      const list = resource.under ? await listAt(c, resource, db, caller.level) : resource
      const { status, location, body } = await serveWriting(sent, { resource: list, caller, db, links, address })
      // The answer is for one caller and one write.
      c.header('Cache-Control', 'private, no-store')
      if (location !== null) c.header('Location', location)
      return body === null ? c.body(null, 204) : request.answer(body, status)
    } finally {
      reportCost(c, db, caller, planned)
    }
  }
