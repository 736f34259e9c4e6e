import type { Caller } from '../caller.ts'
import { fetchItem } from '../engine/read.ts'
import type { Database } from '../engine/run/database.ts'
import { notFound, ValueError } from '../errors.ts'
import { isItems } from '../formats/formats.ts'
import { answer, answerDocument } from '../request/answer.ts'
import { isCheap, worthCaching } from '../request/cache.ts'
import { itemsHeaders } from '../request/content.ts'
import { knownOf, NO_PARAMETERS, read, refuseFaults } from '../request/parameters.ts'
import { digest, partsOf, sealOf } from '../request/query.ts'
import type { RequestContext } from '../request/route.ts'
import { readDecided } from './areas.ts'
import type { Collection } from './collection.ts'
import { COLLECTIONS, type CollectionTarget } from './collections.ts'
import { sridOf, uriOf } from './crs.ts'
import { collectionDocument, collectionList } from './documents.ts'
import { readExtents } from './extent.ts'
import { itemDocument, itemsContent } from './features.ts'
import { readItems } from './items.ts'
import { readItemsRequest } from './itemsRequest.ts'
import { ITEMS } from './parameters.ts'
import { ask, documents, FEATURES, JSON_TYPE, type OgcAsked, ROOT, SCHEMA } from './request.ts'

/** Reads the reference system of an answer. The formats of lists have no other than longitude and latitude. */
const systemOf = ({ values, format }: OgcAsked): number => {
  const systemIn = (uri: string) => {
    const srid = sridOf(uri)
    if (srid === 0 || !isItems(format)) return srid
    throw new ValueError('Only f=json, f=geojson and f=html accept other reference systems. Leave crs out.')
  }
  return read(values, 'crs', systemIn, 0)
}

type Serve = (c: RequestContext, caller: Caller) => Promise<Response>
type ServeCollection = (c: RequestContext, caller: Caller, target: CollectionTarget) => Promise<Response>

/** Answers with a document that depends on the address alone. */
export const serveText =
  (title: string, make: (asked: OgcAsked) => object, offer = documents(JSON_TYPE)): Serve =>
  async (c, caller) => {
    const asked = ask(c, caller, NO_PARAMETERS, offer)
    refuseFaults(asked.values)
    return answerDocument(c, asked, make(asked), title)
  }

export const serveCollections: Serve = async (c, caller) => {
  const asked = ask(c, caller, NO_PARAMETERS, documents(JSON_TYPE))
  const fetch = async (db: Database) => {
    const extents = await readExtents(db, COLLECTIONS, caller.level)
    const all = COLLECTIONS.flatMap((collection, i) =>
      extents[i] === undefined ? [] : [[collection, extents[i]] as const],
    )
    return { headers: {}, body: collectionList(asked, all), title: 'Collections' }
  }
  return answer(c, asked, { fetch, cheap: true })
}

export const serveCollection: ServeCollection = async (c, caller, { find }) => {
  const asked = ask(c, caller, NO_PARAMETERS, documents(JSON_TYPE))
  const fetch = async (db: Database) => {
    const collection = await find(db, caller.level)
    const [extent] = await readExtents(db, [collection], caller.level)
    if (extent === undefined) throw notFound()
    return { headers: {}, body: collectionDocument(asked, collection, extent), title: collection.title }
  }
  return answer(c, asked, { fetch, cheap: true })
}

/** Answers with a schema of a collection. */
export const serveSchema =
  (make: (asked: OgcAsked, collection: Collection) => object): ServeCollection =>
  async (c, caller, { find }) => {
    const asked = ask(c, caller, NO_PARAMETERS, documents(SCHEMA, JSON_TYPE))
    const fetch = async (db: Database) => {
      const collection = await find(db, caller.level)
      return { headers: {}, body: make(asked, collection), title: collection.title }
    }
    return answer(c, asked, { fetch, cheap: true })
  }

/**
 * The parameters that choose a slice of the features, or its form. A cursor fits every slice of the same query, so its
 * key leaves them out.
 */
const SHOWN = new Set(['limit', 'offset', 'hint', 'f', 'resultType', 'crs'])

export const serveItems: ServeCollection = async (c, caller, { id, own, find }) => {
  const { level } = caller
  const asked = ask(c, caller, knownOf(Object.keys(ITEMS), own.filters, ['bbox']), FEATURES)
  const { parameters, values } = asked
  // Report faulty parameters first, and an unknown collection after them.
  const first = readItemsRequest(own, values)
  systemOf(asked)
  const { conditions, areas, bounds, limit } = first
  const key = await digest([ROOT, id, String(level), ...partsOf(parameters.filter(({ name }) => !SHOWN.has(name)))])
  const hint = read(values, 'hint', (text) => text, '')
  const inArea = bounds !== null || areas.length > 0
  const fetch = async (db: Database) => {
    const collection = await find(db, level)
    const request = collection === own ? first : readItemsRequest(collection, values)
    const slice = await readDecided(db, collection, request, level, [], (decided) =>
      readItems(db, collection, decided, { hint, key, level, seal: sealOf(c.env) }),
    )
    return itemsContent(asked, id, collection, request, slice)
  }
  const cheap = !inArea && first.offset === 0 && isCheap(conditions, limit)
  const cache = cheap ? null : { expensive: inArea || worthCaching(conditions, limit) }
  return answer(c, asked, { fetch, cheap, cache })
}

export const serveItem: ServeCollection = async (c, caller, { id, find }) => {
  const asked = ask(c, caller, knownOf(['crs']), FEATURES)
  const srid = systemOf(asked)
  const fetch = async (db: Database) => {
    const collection = await find(db, caller.level)
    const row = await fetchItem(db, collection.resource, collection.find(c.req.param('key') ?? ''), caller.level)
    if (row === null) throw notFound()
    const { format, links } = asked
    if (isItems(format)) {
      const headers = itemsHeaders(format, collection.resource, [[String(row.id), '']])
      return { headers, body: format.item(collection.resource, links, row) }
    }
    const feature = collection.featureOf(row)
    return {
      headers: { 'Content-Crs': `<${uriOf(srid)}>` },
      body: itemDocument(asked, id, collection, feature, srid),
      title: `${collection.title} ${feature.id}`,
    }
  }
  return answer(c, asked, { fetch, cheap: true })
}
