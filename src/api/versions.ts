import { sql } from 'drizzle-orm'
import { eventSeries } from '../../schema/tables.ts'
import { ACCESS_LEVELS } from '../access.ts'
import { integerOf } from '../filters/sql.ts'
import type { RequestContext } from '../request/route.ts'
import { withDatabase } from '../request/session.ts'
import type { Resource } from '../resource.ts'
import { allEventsV4, events, eventsV4 } from './events.ts'
import { observationTypesV3, observationTypesV4 } from './observationtypes.ts'
import { eventSeriesV3, eventSeriesV4 } from './series.ts'

const VERSIONS: Readonly<Record<string, readonly Resource[]>> = {
  '/api/v3/': [events, eventSeriesV3, observationTypesV3],
  '/api/v4/': [allEventsV4, eventSeriesV4, observationTypesV4],
}

/** Every list. The last one exists once for each series. */
export const LISTS: readonly Resource[] = [...Object.values(VERSIONS).flat(), eventsV4]

/** The addresses above the lists, with the name and the path of each entry below. */
export const ROOTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/': { v3: '/api/v3/', v4: '/api/v4/' },
  ...Object.fromEntries(
    Object.entries(VERSIONS).map(([root, resources]) => [
      root,
      Object.fromEntries(resources.map(({ path }) => [path.slice(root.length, -1), path])),
    ]),
  ),
}

/** The most addresses in a file, see sitemaps.org. */
const MOST_ADDRESSES = 50_000

/** Everyone gets the same file, also with a key. */
const ANYONE = { level: ACCESS_LEVELS.Public, key: null }

/** Writes a sitemap (sitemaps.org 0.9) with the home page and the series that have the access level Public. */
const sitemapOf = async (base: string, c: RequestContext): Promise<string> => {
  const query = sql<{ uuid: string }>`SELECT ${eventSeries.uuid} AS uuid FROM ${eventSeries}
    WHERE ${eventSeries.accessModifier} <= ${integerOf(ANYONE.level)}
    ORDER BY ${eventSeries.id} LIMIT ${integerOf(MOST_ADDRESSES - 1)}`
  const [rows] = await withDatabase(c, ANYONE, { cheap: true }, (db) => db.read(query))
  const addresses = ['/', ...rows.map(({ uuid }) => `${eventSeriesV3.path}${uuid}/`)]
  const entries = addresses.map((path) => `<url><loc>${escapeXml(base + path)}</loc></url>\n`)
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${entries.join('')}</urlset>
`
}

const escapeXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** The text for search engines beside `robots.txt`, which names it. */
export const SITEMAP = {
  name: 'Sitemap',
  description: 'The addresses of the public series for search engines, as sitemaps.org defines it.',
  contentType: 'application/xml; charset=utf-8',
  of: sitemapOf,
}
