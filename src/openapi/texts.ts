import { version as swaggerVersion } from 'swagger-ui-dist/package.json'
import { version } from '../../package.json'
import { ACCESS_LEVELS } from '../base/access.ts'
import { PRODUCT } from '../base/product.ts'
import { ADDRESS, record, ref, type Schema } from '../base/schema.ts'
import type { Engine } from '../engine/engine.ts'
import { describe } from '../http/options.ts'
import { digest } from '../http/query.ts'
import { sendBody } from '../http/respond.ts'
import { baseOf, callerAt, type RequestContext } from '../http/route.ts'
import { withReader } from '../http/session.ts'
import { SUMMARY, SUMMARY_SCHEMAS } from '../http/summary.ts'
import { cacheControl, isHeld, secondsOf } from '../http/validators.ts'
import { offeredBy } from '../lists/resource.ts'
import { eventSeriesV3 } from '../lists/series.ts'
import { LISTS, ROOTS } from '../lists/versions.ts'
import { idOf, metadataPath, metadataSchemas, tagOf } from './items.ts'
import { listPaths, summaryPath } from './lists.ts'
import { AT_READING, document, documentOf, getAndHead, json, optionsOf, success } from './operations.ts'
import { DOCUMENT_FORMAT, parameter, parameterComponents, valueSchemas } from './parameters.ts'
import { ANSWER_SCHEMAS, bodySchemas, contentSchemas } from './schemas.ts'

const descriptionOf = ({
  takesWrites,
}: Engine): string => `Geo-referenced, time-stamped events and the series that group them.

An item must match all filters. The service ignores a filter with an empty value. An unknown or repeated parameter is
a 400. Write lists with plain commas. In an address, write a plus as \`%2B\`.

${takesWrites ? 'Writing needs a key that may write. The service stores all items of a request, or none of them.' : 'The service only reads its database, so it takes no writes.'}

The service also offers OGC API - Features and Tiles. Its description in OpenAPI 3.0 is at /ogc/api.`

/** Describes the lists and everything else outside `/ogc`. All addresses begin with `base`. */
const apiDocument = (base: string, engine: Engine): Schema => {
  const lists = LISTS.map((list) => offeredBy(engine, list))
  return documentOf(
    base,
    {
      info: { title: PRODUCT, version, description: descriptionOf(engine) },
      tags: [
        ...lists.flatMap(({ path, description, under }) => (under ? [] : [{ name: tagOf(path), description }])),
        { name: 'roots', description: 'The addresses of the lists.' },
        { name: 'health', description: 'The state of the service.' },
      ],
      paths: Object.fromEntries([
        ...lists.flatMap(listPaths),
        metadataPath(engine.takesWrites),
        [SUMMARY.path, summaryPath()],
        ...Object.entries(ROOTS).map(([path, entries]) => [path, rootPath(path, entries)]),
        ['/healthz', healthPath('healthz', 'The Worker answers.', 'Health')],
        [
          '/readyz',
          healthPath('readyz', 'The database answers, and all migrations have run.', 'Readiness', 401, 403, 503),
        ],
      ]),
      components: {
        schemas: Object.assign(
          {},
          ...lists.flatMap((resource) => [
            contentSchemas(resource),
            resource.writable && bodySchemas(resource.writable),
          ]),
          metadataSchemas(),
          valueSchemas(lists),
          ANSWER_SCHEMAS,
          SUMMARY_SCHEMAS,
        ),
        parameters: parameterComponents(lists),
      },
    },
    (status) => json(status === '400' ? { anyOf: [ref('Faults'), ref('Detail')] } : ref('Detail')),
  )
}

const rootPath = (path: string, entries: Readonly<Record<string, string>>): Schema => {
  const about = { tags: ['roots'], operationId: path === '/' ? 'root' : `${idOf(path)}Root`, summary: path }
  const addresses = record(Object.fromEntries(Object.keys(entries).map((name) => [name, ADDRESS])))
  return {
    ...getAndHead(
      { ...about, summary: `The addresses below ${path}`, parameters: [parameter(DOCUMENT_FORMAT)] },
      success('The name and the address of each.', ['Allow', 'Link'], document(addresses)),
      AT_READING,
    ),
    options: optionsOf(about, 'Description'),
  }
}

const healthPath = (name: string, says: string, schema: string, ...statuses: number[]): Schema =>
  getAndHead(
    { tags: ['health'], operationId: name, summary: says },
    success(says, ['Cache-Control'], json(ref(schema))),
    [429, ...statuses],
  )

/** A text that depends on the base of its addresses, and perhaps on the public data. */
interface OpenText {
  readonly name: string
  readonly description: string
  readonly contentType: string
  readonly of: (base: string, c: RequestContext) => string | Promise<string>
}

/** Serves a text to anyone. It ignores Accept, because the text has only one form. */
export const serveText = (text: OpenText) => async (c: RequestContext) => {
  const caller = await callerAt(c)
  const { name, description, contentType } = text
  if (c.req.method === 'OPTIONS')
    return c.json({ ...describe(name, description, []), renders: [contentType.split(';')[0]] })
  const body = await text.of(baseOf(c), c)
  const tag = `W/"${await digest([body])}"`
  c.header('ETag', tag)
  c.header('Cache-Control', cacheControl(caller.key !== null, secondsOf(c.env), Boolean(c.env.BASE_URL)))
  if (isHeld(c.req.raw.headers, tag, null)) return c.body(null, 304)
  c.header('Content-Type', contentType)
  return sendBody(c, caller, body)
}

/** The texts that describe the interface to programs, people and search engines, by address. */
export const TEXTS: Readonly<Record<string, OpenText>> = {
  '/openapi.json': {
    name: 'OpenAPI',
    description: 'The description of the interface in OpenAPI 3.1.',
    contentType: 'application/json',
    of: (base, c) => JSON.stringify(apiDocument(base, c.env.ENGINE)),
  },
  '/docs': {
    name: 'Docs',
    description: 'The description of the interface as a page, where requests can be tried.',
    contentType: 'text/html; charset=utf-8',
    of: () => DOCS,
  },
  '/robots.txt': {
    name: 'Robots',
    description:
      'The rules for search engines. They may read addresses without a query, because the pages link to endless filters.',
    contentType: 'text/plain; charset=utf-8',
    of: (base) => `User-agent: *\nDisallow: /*?\nSitemap: ${base}/sitemap.xml\n`,
  },
  '/sitemap.xml': {
    name: 'Sitemap',
    description: 'The addresses of the public series for search engines, as sitemaps.org defines it.',
    contentType: 'application/xml; charset=utf-8',
    of: (base, c) => sitemapOf(base, c),
  },
}

/** The most addresses in a file, see sitemaps.org. */
const MOST_ADDRESSES = 50_000

/** Everyone gets the same file, also with a key. */
const ANYONE = { level: ACCESS_LEVELS.Public, key: null }

/** Writes a sitemap (sitemaps.org 0.9) with the home page and the series that have the access level Public. */
const sitemapOf = async (base: string, c: RequestContext): Promise<string> => {
  const uuids = await withReader(c, ANYONE, { cheap: true }, (reader) => reader.uuids(MOST_ADDRESSES - 1))
  const addresses = ['/', ...uuids.map((uuid) => `${eventSeriesV3.path}${uuid}/`)]
  const entries = addresses.map((path) => `<url><loc>${escapeXml(base + path)}</loc></url>\n`)
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${entries.join('')}</urlset>
`
}

const escapeXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/**
 * The reference page, which shows the description of the interface in Swagger UI. Its addresses are relative, because
 * BASE_URL may have a path.
 */
const DOCS = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Reference of the ${PRODUCT}</title><meta name="description" content="The reference of the interface: all addresses, parameters and answers. Requests can be tried.">
<link rel="icon" href="assets/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="assets/kept/swagger-ui-${swaggerVersion}.css">
<link rel="stylesheet" href="assets/docs.css">
<header class="top">
<nav aria-label="Pages of this service"><a href="./"><b>${PRODUCT}</b></a> <a href="api/v3/events/">Events</a> <a href="api/v3/eventseries/">Event series</a> <a href="ogc">OGC API</a> <a href="openapi.json">openapi.json</a></nav>
<h1>Reference</h1>
</header>
<div id="docs"></div>
<noscript>Without scripts: <a href="openapi.json">openapi.json</a></noscript>
<script src="assets/kept/swagger-ui-${swaggerVersion}.js"></script>
<script src="assets/docs.js" type="module"></script>
</html>
`
