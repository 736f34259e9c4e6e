import { invalidParameters } from '../base/errors.ts'
import { PRODUCT } from '../base/product.ts'
import { DATASET_FIELDS, dcatOf } from '../formats/dataset.ts'
import { CATALOGS, HOME, titleOf } from '../http/lists.ts'
import { callerAt, type RequestContext } from '../http/route.ts'
import { withReader } from '../http/session.ts'
import { MCP_PATH } from '../mcp/protocol.ts'
import { TYPE } from '../ogc/links.ts'
import { ALWAYS } from '../question/condition.ts'
import { BY_ID } from '../question/question.ts'

const typed = (type: string, names: string) => names.split(' ').map((name) => [name, { '@type': type }])

/** The prefixes of the catalogue and the types of its values. Programs need no other document to read it. */
const CONTEXT = {
  dcat: 'http://www.w3.org/ns/dcat#',
  dct: 'http://purl.org/dc/terms/',
  foaf: 'http://xmlns.com/foaf/0.1/',
  hydra: 'http://www.w3.org/ns/hydra/core#',
  ...Object.fromEntries([
    ...typed('@id', 'dcat:landingPage dcat:accessURL dcat:downloadURL dcat:mediaType dcat:endpointURL'),
    ...typed('@id', 'dcat:endpointDescription dct:license foaf:homepage hydra:next'),
    ...typed('http://www.w3.org/2001/XMLSchema#dateTime', 'dcat:startDate dcat:endDate'),
    ...typed('http://www.opengis.net/ont/geosparql#wktLiteral', 'dcat:bbox'),
  ]),
}

/** A page of the catalogue has at most so many series. */
const LIMIT = 100

/** Writes a page of the series that the caller sees as a catalogue in DCAT 3. Harvesters follow `hydra:next`. */
export const catalogOf = async (base: string, c: RequestContext): Promise<string> => {
  const given = c.req.query('offset') || '0'
  if (!/^\d{1,9}$/.test(given)) throw invalidParameters({ offset: [`Enter a whole number, such as ${LIMIT}.`] })
  const offset = Number(given)
  const question = { where: ALWAYS, latest: null, order: BY_ID, slice: { from: { offset }, limit: LIMIT } }
  const { rows, count } = await withReader(c, await callerAt(c), { cheap: true }, (reader) =>
    reader.page('series', question, { fields: DATASET_FIELDS }),
  )
  const after = offset + rows.length
  const [address, api] = [base + CATALOGS.series, `${base}/api/v4/`]
  const next = rows.length > 0 && after < count ? `${address}?offset=${after}` : null
  if (next !== null) c.header('Link', `<${next}>; rel="next"`)
  return JSON.stringify({
    '@context': CONTEXT,
    '@id': address,
    '@type': 'dcat:Catalog',
    'dct:title': titleOf(c),
    'dct:description': c.env.DESCRIPTION || HOME.description,
    'dcat:service': {
      '@id': api,
      '@type': 'dcat:DataService',
      'dct:title': PRODUCT,
      'dcat:endpointURL': api,
      'dcat:endpointDescription': `${base}/openapi.json`,
    },
    // The views of an owner may have series without a uuid, which have no address.
    'dcat:dataset': rows.flatMap((row) => (row.uuid ? dcatOf(row, base) : [])),
    ...(next && { 'hydra:view': { '@type': 'hydra:PartialCollectionView', 'hydra:next': next } }),
  })
}

/** The path of each interface, its description for programs with a type, and its page for people. */
const APIS = [
  ['/api/v4/', '/openapi.json', TYPE.json, '/docs'],
  ['/api/v3/', '/openapi.json', TYPE.json, '/docs'],
  ['/ogc', '/ogc/api', TYPE.openapi, '/ogc/api?f=html'],
] as const

/** Lists the interfaces as links (RFC 9727). */
export const apiCatalogOf = (base: string, c: RequestContext): string => {
  const anchor = base + CATALOGS.interfaces
  const to = (path: string, type: string) => [{ href: base + path, type }]
  const apis = APIS.map(([path, description, type, page]) => ({
    anchor: base + path,
    'service-desc': to(description, type),
    'service-doc': to(page, TYPE.html),
    status: to('/readyz', TYPE.json),
  }))
  c.header('Link', `<${anchor}>; rel="api-catalog"`)
  const item = [...APIS.map(([path]) => path), MCP_PATH].flatMap((path) => to(path, TYPE.json))
  return JSON.stringify({ linkset: [{ anchor, item }, ...apis] })
}
