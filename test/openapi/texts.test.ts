import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  answer,
  bearer,
  get,
  headersOf,
  load,
  measuredHeadersOf,
  ORIGIN,
  publicSeries,
  send,
  withKey,
} from '../service.ts'

beforeAll(() => load())

const TEXTS = [
  ['/openapi.json', 'application/json', 'application/json'],
  ['/docs', 'text/html; charset=utf-8', 'text/html'],
  ['/llms.txt', 'text/plain; charset=utf-8', 'text/plain'],
  ['/robots.txt', 'text/plain; charset=utf-8', 'text/plain'],
  ['/sitemap.xml', 'application/xml; charset=utf-8', 'application/xml'],
  ['/catalog.jsonld', 'application/ld+json', 'application/ld+json'],
  [
    '/.well-known/api-catalog',
    'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    'application/linkset+json',
  ],
] as const
const ALLOW = 'GET, HEAD, OPTIONS'

describe.each(TEXTS)('%s', (path, contentType, mediaType) => {
  it('is sent to everyone, with any Accept', async () => {
    for (const accept of ['*/*', 'text/html', 'application/json', 'image/png']) {
      const { status, headers } = await send(path, { headers: { Accept: accept } })
      expect([status, Object.fromEntries(headers)]).toEqual([
        200,
        expect.objectContaining({
          'content-type': contentType,
          'cache-control': 'private, no-cache',
          allow: ALLOW,
          vary: expect.stringContaining('Accept'),
          etag: expect.stringMatching(/^W\/"[0-9a-f]{16}"$/),
          'access-control-allow-origin': '*',
        }),
      ])
    }
  })

  it('is a 304 for a client with its tag', async () => {
    const first = await send(path)
    const tag = first.headers.get('ETag') ?? ''
    const again = await send(path, { headers: { 'If-None-Match': tag } })
    expect([again.status, await again.text(), again.headers.get('ETag')]).toEqual([304, '', tag])
    expect((await send(path, { headers: { 'If-None-Match': 'W/"0"' } })).status).toBe(200)
  })

  it('HEAD is like GET without the body', async () => {
    const [head, got] = [await send(path, { method: 'HEAD' }), await send(path)]
    expect([head.status, headersOf(head), await head.text()]).toEqual([200, await measuredHeadersOf(got), ''])
    expect(head.headers.get('ETag')).toBe(got.headers.get('ETag'))
  })

  it('OPTIONS describes it', async () => {
    expect(await get(path, { method: 'OPTIONS' })).toEqual({
      name: expect.stringMatching(/^\w+$/),
      description: expect.stringMatching(/\.$/),
      renders: [mediaType],
      parses: [],
    })
  })

  it('refuses other methods', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      expect((await send(path, { method })).headers.get('Allow')).toBe(ALLOW)
      const detail = `Method "${method}" not allowed. Use one of ${ALLOW}.`
      expect(await answer(path, { method })).toEqual({ status: 405, body: { detail } })
    }
  })

  it('may be stored like other answers, but not with a key', async () => {
    const kept = await send(path, { vars: { CACHE_SECONDS: '60' } })
    expect(kept.headers.get('Cache-Control')).toContain('max-age=60')
    const asked = await send(path, await withKey('common'))
    expect([asked.status, asked.headers.get('Cache-Control')]).toEqual([200, 'private, no-store'])
    expect((await send(path, { headers: bearer('wrong') })).status).toBe(401)
  })

  it('has one address without a final slash', async () => {
    const response = await send(`${path}/?a=1`, { redirect: 'manual' })
    expect([response.status, response.headers.get('Location')]).toEqual([301, `${path}?a=1`])
    expect((await send(`${path}//`)).status).toBe(404)
    expect((await send(`${path}x/`)).status).toBe(404)
  })
})

describe('/openapi.json', () => {
  it.each([
    [`${ORIGIN}/openapi.json`, {}, ORIGIN],
    ['https://data.example.org/openapi.json', {}, 'https://data.example.org'],
    [`${ORIGIN}/openapi.json`, { BASE_URL: 'https://example.org/data/' }, 'https://example.org/data'],
  ])('%s with %j describes addresses below %s', async (address, vars, base) => {
    const { servers } = await get(address, { vars })
    expect(servers).toEqual([{ url: base }])
  })

  it('has a different tag for each base', async () => {
    const tagOf = async (vars: object) => (await send('/openapi.json', { vars })).headers.get('ETag')
    expect(await tagOf({ BASE_URL: 'https://example.org' })).not.toBe(await tagOf({}))
  })
})

describe('/docs', () => {
  it('loads only scripts and styles of this service, and has none inline', async () => {
    const response = await send('/docs')
    const text = await response.text()
    expect(text).not.toMatch(/<style|style=|\son\w+=|<script(?! src="assets\/)|https?:/)
    const policy = response.headers.get('Content-Security-Policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/unsafe|\*|https?:/)
  })
})

describe('a root links to its documents', () => {
  it.each([
    ['/', {}, ORIGIN],
    ['/api/v3/', {}, ORIGIN],
    ['/api/v4/?format=json', { BASE_URL: 'https://example.org/data' }, 'https://example.org/data'],
  ])('%s with %j', async (path, vars, base) => {
    const { headers } = await send(path, { vars })
    const links = [
      ['/openapi.json', 'service-desc'],
      ['/docs', 'service-doc'],
      ['/.well-known/api-catalog', 'api-catalog'],
      ['/catalog.jsonld', 'describedby'],
    ].map(([path, rel]) => `<${base}${path}>; rel="${rel}"`)
    expect(headers.get('Link')).toBe(links.join(', '))
  })
})

describe('/.well-known/api-catalog', () => {
  it.each([
    [{}, ORIGIN],
    [{ BASE_URL: 'https://example.org/data/' }, 'https://example.org/data'],
  ])('names the interfaces and their descriptions (RFC 9727): %j', async (vars, base) => {
    const to = (path: string, type: string) => [{ href: base + path, type }]
    const about = (path: string, desc: string, descType: string, doc: string) => ({
      anchor: base + path,
      'service-desc': to(desc, descType),
      'service-doc': to(doc, 'text/html'),
      status: to('/readyz', 'application/json'),
    })
    expect(await get('/.well-known/api-catalog', { vars })).toEqual({
      linkset: [
        {
          anchor: `${base}/.well-known/api-catalog`,
          item: ['/api/v4/', '/api/v3/', '/ogc', '/mcp'].flatMap((path) => to(path, 'application/json')),
        },
        about('/api/v4/', '/openapi.json', 'application/json', '/docs'),
        about('/api/v3/', '/openapi.json', 'application/json', '/docs'),
        about('/ogc', '/ogc/api', 'application/vnd.oai.openapi+json;version=3.0', '/ogc/api?f=html'),
      ],
    })
    const { status, headers } = await send('/.well-known/api-catalog', { method: 'HEAD', vars })
    expect([status, headers.get('Link')]).toEqual([200, `<${base}/.well-known/api-catalog>; rel="api-catalog"`])
  })

  it('leads to addresses that answer in the told media type', async () => {
    const { linkset } = await get('/.well-known/api-catalog')
    const targets = linkset.flatMap(({ anchor: _, ...links }: Record<string, object[]>) => Object.values(links).flat())
    for (const { href, type } of targets) {
      // The protocol for language models takes only POST.
      const response = await send(href, { method: href.endsWith('/mcp') ? 'OPTIONS' : 'GET' })
      const told = response.headers.get('Content-Type')?.replace('; charset=utf-8', '')
      expect([href, response.status, told]).toEqual([href, 200, type])
      await response.text()
    }
  })
})

describe('/catalog.jsonld', () => {
  it('is a catalogue of the public series and of the interface, with the title of the service', async () => {
    const vars = { BASE_URL: 'https://example.org/data', TITLE: 'Floods', DESCRIPTION: 'All floods.' }
    const { '@context': context, 'dcat:dataset': datasets, ...catalogue } = await get('/catalog.jsonld', { vars })
    expect(Object.values(context).filter((value) => typeof value === 'string')).toHaveLength(4)
    expect(catalogue).toEqual({
      '@id': 'https://example.org/data/catalog.jsonld',
      '@type': 'dcat:Catalog',
      'dct:title': 'Floods',
      'dct:description': 'All floods.',
      'dcat:service': {
        '@id': 'https://example.org/data/api/v4/',
        '@type': 'dcat:DataService',
        'dct:title': 'Event Query Interface',
        'dcat:endpointURL': 'https://example.org/data/api/v4/',
        'dcat:endpointDescription': 'https://example.org/data/openapi.json',
      },
    })
    expect(datasets).toHaveLength(publicSeries.length)
    const files = 'https://example.org/data/api/v4/eventseries/99fe5d03-893d-5b20-8244-b9189db33e37/events'
    const fileOf = (title: string, type: string, extension: string) => ({
      '@type': 'dcat:Distribution',
      'dct:title': title,
      'dcat:mediaType': `https://www.iana.org/assignments/media-types/${type}`,
      'dcat:accessURL': `${files}.${extension}?page_size=all`,
      'dcat:downloadURL': `${files}.${extension}?page_size=all`,
    })
    const address = 'https://example.org/data/api/v3/eventseries/99fe5d03-893d-5b20-8244-b9189db33e37/'
    expect(datasets.find((each: { '@id': string }) => each['@id'] === address)).toEqual({
      '@id': address,
      '@type': 'dcat:Dataset',
      'dct:title': expect.any(String),
      'dct:description': expect.any(String),
      'dct:identifier': '99fe5d03-893d-5b20-8244-b9189db33e37',
      'dct:license': { '@type': 'dct:LicenseDocument', 'dct:title': expect.any(String) },
      'dct:publisher': {
        '@type': 'foaf:Agent',
        'foaf:name': expect.any(String),
        'foaf:homepage': expect.stringMatching(/^https:/),
      },
      'dct:spatial': { '@type': 'dct:Location', 'dcat:bbox': expect.stringMatching(/^POLYGON\(\([-\d., ]+\)\)$/) },
      'dct:temporal': {
        '@type': 'dct:PeriodOfTime',
        'dcat:startDate': expect.stringMatching(/Z$/),
        'dcat:endDate': expect.stringMatching(/Z$/),
      },
      'dcat:landingPage': address,
      'dcat:distribution': [
        fileOf('GeoJSON', 'application/geo+json', 'geojson'),
        fileOf('CSV', 'text/csv', 'csv'),
        fileOf('NDJSON', 'application/x-ndjson', 'ndjson'),
      ],
    })
  })

  it('shared caches store it only up to CACHE_LEVEL', async () => {
    const vars = { BASE_URL: 'https://example.org', CACHE_SECONDS: '60' }
    const controlOf = async (more: object) =>
      (await send('/catalog.jsonld', { vars: { ...vars, ...more } })).headers.get('Cache-Control')
    expect(await controlOf({})).toBe('public, max-age=60, must-revalidate')
    expect(await controlOf({ ANONYMOUS_LEVEL: 'Hidden' })).toBe('private, max-age=60, must-revalidate')
  })
})

describe('search engines', () => {
  const textOf = async (path: string, options = {}) => (await send(path, options)).text()
  const addressesIn = (text: string) => Array.from(text.matchAll(/<loc>(.*?)<\/loc>/g), ([, address]) => address)

  it.each([
    [{}, ORIGIN],
    [{ BASE_URL: 'https://example.org/data/' }, 'https://example.org/data'],
  ])('may read addresses without a query, and find the sitemap: %j', async (vars, base) => {
    const lines = ['User-agent: *', 'Disallow: /*?', `Sitemap: ${base}/sitemap.xml`, '']
    expect(await textOf('/robots.txt', { vars })).toBe(lines.join('\n'))
  })

  it('find the home page and the public series in the sitemap, also with a key and a higher level for anyone', async () => {
    const addresses = ['/', ...publicSeries.map(({ uuid }) => `/api/v3/eventseries/${uuid}/`)]
    const options = [{}, await withKey('hidden'), { vars: { ANONYMOUS_LEVEL: 'Hidden' } }]
    for (const each of options)
      expect(addressesIn(await textOf('/sitemap.xml', each))).toEqual(addresses.map((path) => ORIGIN + path))
    const vars = { BASE_URL: 'https://example.org/a&b' }
    expect(await textOf('/sitemap.xml', { vars })).toContain('<loc>https://example.org/a&amp;b/</loc>')
  })

  it('find each address of the sitemap', async () => {
    for (const address of addressesIn(await textOf('/sitemap.xml')))
      expect((await send(address ?? '')).status).toBe(200)
  })

  it('get another tag and no address of a series that was hidden', async () => {
    const { headers } = await send('/sitemap.xml')
    const { uuid = '' } = publicSeries[0] ?? {}
    const setLevel = (level: number) =>
      env.DB.prepare('UPDATE event_series SET access_modifier = ? WHERE uuid = ?').bind(level, uuid).run()
    await setLevel(300)
    const again = await send('/sitemap.xml', { headers: { 'If-None-Match': headers.get('ETag') ?? '' } })
    expect([again.status, (await again.text()).includes(uuid)]).toEqual([200, false])
    await setLevel(0)
  })

  it('get at most 50,000 addresses', async () => {
    await env.DB.prepare(
      `INSERT INTO event_series (uuid, name, name_folded, description, observation_type_id, statistic, color,
         access_modifier, created)
       WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
       SELECT printf('%08x-0000-4000-8000-000000000000', i), '', '', '', 1, 'raw', '#000000', 0, 0 FROM n`,
    ).run()
    const text = await textOf('/sitemap.xml')
    expect([addressesIn(text).length, text.length < 52_428_800]).toEqual([50_000, true])
  })
})

/** Returns the paths of parts of a document that generators of clients cannot read, such as `type: null` alone. */
const unreadable = (part: unknown, path: string, isChoice = false): string[] => {
  if (typeof part !== 'object' || part === null) return []
  const known: Readonly<Record<string, unknown>> = { ...part }
  const isUnreadable = (known.type === 'null' && !isChoice) || known.patternProperties !== undefined
  const below = Object.entries(part).flatMap(([name, child]) =>
    unreadable(child, `${path}/${name}`, name === 'anyOf' || (isChoice && Array.isArray(part))),
  )
  return [...(isUnreadable ? [path] : []), ...below]
}

it.each(['/openapi.json', '/ogc/api'])(
  '%s has no null alone and no patterns of names, which stop generators',
  async (path) => {
    expect(unreadable(await get(path), '')).toEqual([])
  },
)

it('no schema has the name that generators make for a member of another one', async () => {
  const { schemas } = (await get('/openapi.json')).components
  const made = Object.entries<{ properties?: object }>(schemas).flatMap(([name, { properties = {} }]) =>
    Object.keys(properties).map((member) => `${name}${member.charAt(0).toUpperCase()}${member.slice(1)}`),
  )
  expect(made.filter((name) => name in schemas)).toEqual([])
})
