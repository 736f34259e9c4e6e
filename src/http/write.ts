import { mistake, notAuthenticated, permissionDenied, ValueError } from '../base/errors.ts'
import type { Engine, Row } from '../engine/engine.ts'
import type { FilterSet } from '../filters/filter.ts'
import { itemWriter, shownIn } from '../formats/shown.ts'
import type { Resource, WritableResource } from '../lists/resource.ts'
import type { Selection } from '../question/question.ts'
import { type Answered, postOf } from '../store/idempotency.ts'
import { readSeriesBeginning } from '../store/reads.ts'
import type { Caller } from './caller.ts'
import { change, deleteMany, remove } from './change.ts'
import { create, notOfKey, type OwnSeries, type Storing, type WriteTarget } from './create.ts'
import { formatsOf, LIST_OFFER } from './offer.ts'
import { describe } from './options.ts'
import { LIST_PARAMETERS } from './page.ts'
import { type QueryValues, read, refuseFaults } from './parameters.ts'
import { type Query, readQuery, refuseOtherTypes } from './read.ts'
import { answerDocument } from './respond.ts'
import { callerAt, FORM, isOfType, MERGE_PATCH, type RequestContext, sentBody } from './route.ts'
import { conditionsIn, narrowed, selectionOf } from './selection.ts'
import { linksUnder, ownerIn, pathUnder, withDatabase } from './session.ts'

const ALL = 'all'

export const serveWrite =
  (resource: WritableResource, offer = LIST_OFFER) =>
  async (c: RequestContext) => {
    const { method } = c.req
    const caller = await callerAt(c)
    const { name, itemName, description, filters, writable } = resource
    admitWriter(caller, method === 'POST' ? 'To query, post a form.' : '')
    const contentType = c.req.header('Content-Type') ?? null
    const more = { POST: [FORM], PATCH: [MERGE_PATCH] }[method] ?? []
    if (method !== 'DELETE') refuseOtherTypes(contentType, [...writable.types, ...more])
    const isList = c.req.param('key') === undefined
    const title = isList ? name : itemName
    // Parameters for pages are unknown where a list is emptied.
    const known =
      isList && method === 'DELETE'
        ? { names: ['format', 'timezone', ALL], filters }
        : { names: [...LIST_PARAMETERS, ...(method === 'DELETE' ? Object.keys(writable.removing ?? {}) : [])] }
    const about = () => describe(title, description, formatsOf(offer), writable.types)
    const asked = readQuery(c, caller, known, offer, { title, about })
    const address = `${asked.address}${new URL(c.req.url).search}`
    return withDatabase(c, caller, async (db, reader) => {
      const { list, find, path, place, under, view } = resource
      const owner = await ownerIn(c, resource, reader)
      const links = linksUnder(asked.links, owner)
      const write = itemWriter(shownIn(view, place))
      const target = {
        ...{ list, find, owner, reads: view.reads, path: pathUnder(path, owner) },
        writable: (owner && under?.writableIn(owner)) ?? writable,
        show: (row: Row) => write(row, links),
      }
      const written = await store(c, asked, {
        ...{ target, filters, db, links, address },
        merges: isOfType(contentType, [MERGE_PATCH]),
      })
      if (written === null) return c.body(null, 204)
      if (written.location !== null) c.header('Location', written.location)
      return answerDocument(c, asked, written.body, title, written.status)
    })
  }

/** Throws a 401 or 403 if the caller may not write. `advice` is for a client that means something else. */
export const admitWriter = ({ key }: Caller, advice: string): void => {
  if (key === null)
    throw notAuthenticated(`Writing needs a key. Send the header Authorization: Bearer <key>. ${advice}`.trim())
  if (!key.write) throw permissionDenied('This key may only read. Use a key that may write.')
}

/** Stores what a request sends, and returns the answer. Null: it has no body. `check` may refuse that of the request. */
export const store = async (
  c: RequestContext,
  { values, caller, engine }: Query,
  sent: Pick<Storing, 'target' | 'db' | 'links' | 'merges'> & { address: string; filters: FilterSet },
  check = (body: ArrayBuffer) => body,
): Promise<Answered | null> => {
  const { address, filters, ...context } = sent
  const { method } = c.req
  // The answer is for one caller and one write.
  c.header('Cache-Control', 'private, no-store')
  const { table, removing = {} } = context.target.writable
  const asked = Object.entries(removing).filter(([name, value]) => read(values, name, onlyValue(value), false))
  refuseFaults(values)
  const note: Storing['note'] = (written) => {
    c.var.trace.wrote = { kind: table, [typeof written === 'string' ? 'item' : 'items']: written }
  }
  const ifMatch = c.req.header('If-Match') ?? null
  const own = await ownSeries(context, caller)
  const writing = { ...context, writer: { level: caller.level, now: Date.now() * 1000 }, own, ifMatch, note }
  if (method === 'POST') {
    const body = check(sentBody(c))
    const key = c.req.header('Idempotency-Key')
    return create(writing, key === undefined ? null : await postOf(caller.key?.id ?? '', key, address, body), body)
  }
  const key = c.req.param('key')
  const done = (body: object): Answered => ({ status: 200, location: null, body })
  if (key === undefined)
    return done({
      deleted: await deleteMany(writing, selectionToDelete(engine, { ...context.target, filters }, values)),
    })
  if (method !== 'DELETE') return done(await change(writing, key, check(sentBody(c)), method === 'PUT'))
  await remove(writing, key, new Set(asked.map(([name]) => name)))
  return null
}

/** Reads the only series that a key writes. Null: it writes all. Throws a 403 if it writes no items of this list. */
const ownSeries = async (
  { target, db }: Pick<Storing, 'target' | 'db'>,
  { key }: Caller,
): Promise<OwnSeries | null> => {
  const beginnings = key?.series ?? null
  if (beginnings === null) return null
  if (target.writable.seriesOf === undefined) throw notOfKey(beginnings)
  return { ids: await readSeriesBeginning(db, beginnings), beginnings }
}

/** Returns the items to delete. Without a filter the client must send `all=true`. */
const selectionToDelete = (
  engine: Engine,
  target: Pick<WriteTarget, 'list' | 'owner'> & Pick<Resource, 'filters'>,
  values: QueryValues,
): Selection => {
  const selection = selectionOf(engine, target, values)
  const all = read(values, ALL, onlyValue('true'), false)
  const isFiltered = conditionsIn(selection).length > 0 || selection.latest !== null
  if (!isFiltered && !all && !values.mistakes.count)
    mistake(values.mistakes, ALL, 'Add a filter for the items to delete, or enter true to delete all items.')
  refuseFaults(values)
  return narrowed(target.owner, selection)
}

const onlyValue = (value: string) => (text: string) => {
  if (text !== value) throw new ValueError(`Enter ${value}, or leave it out.`)
  return true
}
