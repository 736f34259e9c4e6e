import { beforeAll, describe, expect, it } from 'vitest'
import type { Metadata } from '../../src/model/types.ts'
import { eventOf, seriesOf, typeOf, uuidOf } from '../http/writes.ts'
import { load, type Options, ORIGIN, send, withKey } from '../service.ts'
import { feature, write } from '../store/writer.ts'

const METADATA: Metadata = {
  source: 'Waterschap Voorbeeld',
  source_url: 'https://example.org/data?a=1&b=2',
  license: 'CC-BY-4.0',
  contact: 'data@example.org',
  fields: [
    { name: 'value', title: 'Volume', type: 'number', unit: 'm³' },
    { name: 'attributes__Depth', type: 'number', unit: 'km' },
    { name: 'attributes__Place', type: 'string' },
    { name: 'external_id', title: 'Code', type: 'string' },
  ],
  more: false,
}
const LONG = 'A description of a series that is long enough for search engines. '
const described = { ...seriesOf(1, 'Public'), name: 'Overflows', description: LONG }
/** The licences and descriptions of further public series, from the id 10 on. */
const LICENSES: readonly (readonly [license: string, expected: unknown])[] = [
  ['CC0-1.0', 'https://spdx.org/licenses/CC0-1.0.html'],
  ['https://example.org/terms', 'https://example.org/terms'],
  ['Public domain', { '@type': 'CreativeWork', name: 'Public domain' }],
  ['https://example.org/a b?c={"d"}|\\^`<>', 'https://example.org/a%20b?c=%7B%22d%22%7D%7C%5C%5E%60%3C%3E'],
  ['javascript:alert(1)', { '@type': 'CreativeWork', name: 'javascript:alert(1)' }],
]
const FILES = 'Its events can be downloaded as CSV, GeoJSON and NDJSON.'
const DESCRIPTIONS: readonly (readonly [description: string, expected: string])[] = [
  ['', `Number of events: 0.\n${FILES}`],
  [' Short. ', `Short.\nNumber of events: 0.\n${FILES}`],
  [`${LONG}\n`, LONG.trim()],
  ['é'.repeat(6000), 'é'.repeat(5000)],
  [`${'a'.repeat(4999)}\u{1F300}`, `${'a'.repeat(4999)}\ufffd`],
]

beforeAll(() =>
  load([
    typeOf(1),
    { ...described, metadata: METADATA },
    seriesOf(2, 'Public'),
    seriesOf(3, 'Common'),
    ...LICENSES.map(([license], i) => ({ ...seriesOf(10 + i, 'Public'), metadata: { ...METADATA, license } })),
    ...DESCRIPTIONS.map(([description], i) => ({ ...seriesOf(20 + i, 'Public'), description })),
    ...[1, 3].map((series) => eventOf(series, series)),
  ]),
)

const pageOf = (path: string, options: Options = {}) =>
  send(path, { ...options, headers: { ...options.headers, Accept: 'text/html' } })

const datasetIn = async (response: Response) => {
  const [, text] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(await response.text()) ?? []
  return text === undefined ? null : JSON.parse(text)
}
const datasetOf = async (id: number, options?: Options) =>
  datasetIn(await pageOf(`/api/v4/eventseries/${uuidOf(id)}/`, options))

describe('the page of a public series', () => {
  it('describes it in the words of schema.org', async () => {
    const address = `${ORIGIN}/api/v3/eventseries/${uuidOf(1)}/`
    const fileOf = (extension: string, name: string, encodingFormat: string) => ({
      '@type': 'DataDownload',
      name,
      encodingFormat,
      contentUrl: `${ORIGIN}/api/v4/eventseries/${uuidOf(1)}/events.${extension}?page_size=all`,
    })
    expect(await datasetOf(1)).toEqual({
      '@context': 'https://schema.org/',
      '@type': 'Dataset',
      '@id': address,
      url: address,
      identifier: uuidOf(1),
      name: 'Overflows',
      description: LONG.trim(),
      license: 'https://spdx.org/licenses/CC-BY-4.0.html',
      publisher: { '@type': 'Organization', name: 'Waterschap Voorbeeld', url: 'https://example.org/data?a=1&b=2' },
      spatialCoverage: { '@type': 'Place', geo: { '@type': 'GeoShape', box: '52 5.1 52 5.1' } },
      temporalCoverage: '1970-01-01T00:00:01Z/1970-01-01T00:00:02Z',
      variableMeasured: [
        { '@type': 'PropertyValue', name: 'Volume', unitText: 'm³' },
        { '@type': 'PropertyValue', name: 'Depth', unitText: 'km' },
        { '@type': 'PropertyValue', name: 'Place' },
      ],
      distribution: [
        fileOf('geojson', 'GeoJSON', 'application/geo+json'),
        fileOf('csv', 'CSV', 'text/csv'),
        fileOf('ndjson', 'NDJSON', 'application/x-ndjson'),
      ],
      includedInDataCatalog: { '@type': 'DataCatalog', name: 'Event Query Interface', url: `${ORIGIN}/` },
      isAccessibleForFree: true,
    })
  })

  it('leaves out what the service does not know', async () => {
    const known = ['@context', '@type', '@id', 'url', 'identifier', 'name', 'description', 'distribution']
    expect(Object.keys(await datasetOf(2))).toEqual([...known, 'includedInDataCatalog', 'isAccessibleForFree'])
  })

  it('names the address of version 3, which is in the sitemap, below BASE_URL', async () => {
    const vars = { BASE_URL: 'https://example.org/a"b', TITLE: 'Floods </script>' }
    const response = await pageOf(`/api/v4/eventseries/${uuidOf(1)}/`, { vars })
    const canonical = /<link rel="canonical" href="([^"]*)">/.exec(await response.clone().text())?.[1]
    expect(canonical).toBe(`https://example.org/a&quot;b/api/v3/eventseries/${uuidOf(1)}/`)
    const { includedInDataCatalog } = await datasetIn(response)
    expect(includedInDataCatalog).toMatchObject({ name: 'Floods </script>', url: 'https://example.org/a"b/' })
  })

  it('offers files that answer in the told media type', async () => {
    const { distribution } = await datasetOf(1)
    for (const { contentUrl, encodingFormat } of distribution) {
      const response = await send(contentUrl)
      const type = response.headers.get('Content-Type')?.replace(/;.*/, '')
      expect([response.status, type, response.headers.get('X-Total-Count')]).toEqual([200, encodingFormat, '1'])
      await response.arrayBuffer()
    }
  })

  it.each(LICENSES)('with the licence %j has %j', async (license, expected) => {
    expect((await datasetOf(10 + LICENSES.findIndex(([each]) => each === license))).license).toEqual(expected)
  })

  it.each(DESCRIPTIONS.map(([, expected], i) => [expected.slice(0, 80), expected, i] as const))(
    'has a description of 50 to 5000 characters: %s',
    async (_, expected, i) => {
      expect(expected.length).toBeGreaterThanOrEqual(50)
      expect((await datasetOf(20 + i)).description).toBe(expected)
    },
  )

  it('describes the whole series if the client chooses other members', async () => {
    const page = await pageOf(`/api/v4/eventseries/${uuidOf(1)}/?fields=color&timezone=Europe/Amsterdam`)
    expect(await datasetIn(page)).toEqual(await datasetOf(1))
  })

  it('has the same dataset from the cache', async () => {
    const vars = {
      STATE_SECONDS: '10',
      SHOW_COST: 'true',
      CF_VERSION_METADATA: { id: 'dataset', tag: '', timestamp: '' },
    }
    const path = `/api/v3/eventseries/${uuidOf(1)}/`
    const caches = []
    for (let i = 0; i < 2; i++) {
      const response = await pageOf(path, { vars })
      caches.push(/cache;desc="(\w+)"/.exec(response.headers.get('Server-Timing') ?? '')?.[1])
      expect(await datasetIn(response)).toEqual(await datasetOf(1))
    }
    expect(caches).toEqual(['miss', 'isolate'])
  })

  it('has the length of its GET for HEAD', async () => {
    const path = `/api/v3/eventseries/${uuidOf(1)}/`
    const [head, got] = [await pageOf(path, { method: 'HEAD' }), await pageOf(path)]
    expect(head.headers.get('ETag')).toBe(got.headers.get('ETag'))
    expect(Number(head.headers.get('Content-Length'))).toBe((await got.bytes()).length)
  })
})

describe('no dataset is in', () => {
  it.each([
    ['a list', '/api/v3/eventseries/', 200],
    ['the description of a series', `/api/v4/eventseries/${uuidOf(1)}/metadata/`, 200],
    ['an event', '/api/v3/events/1/', 200],
    ['a feature of a series', '/ogc/collections/eventseries/items/1', 200],
    ['the page of an unknown series', `/api/v3/eventseries/${uuidOf(99)}/`, 404],
    ['a refused query', `/api/v3/eventseries/${uuidOf(1)}/?nope=1`, 400],
    ['the page of a hidden series', `/api/v3/eventseries/${uuidOf(3)}/`, 404],
  ])('%s', async (_, path, status) => {
    const response = await pageOf(path)
    expect([response.status, await datasetIn(response)]).toEqual([status, null])
  })

  it('the page of a series above Public, with a key that reads it', async () => {
    for (const options of [await withKey('hidden'), { vars: { ANONYMOUS_LEVEL: 'Hidden' } }]) {
      const response = await pageOf(`/api/v3/eventseries/${uuidOf(3)}/`, options)
      const text = await response.clone().text()
      expect([response.status, await datasetIn(response), text.includes('canonical')]).toEqual([200, null, false])
      expect(await datasetOf(1, options)).toEqual(await datasetOf(1))
    }
  })
})

describe('the tag of the page changes with', () => {
  const path = `/api/v4/eventseries/${uuidOf(2)}/`
  const tagOf = async () => (await pageOf(path)).headers.get('ETag') ?? ''

  it.each([
    ['a licence', () => write('PATCH', `${path}metadata/`, { license: 'CC0-1.0' }), { license: expect.any(String) }],
    [
      'a number of events',
      () => write('POST', '/api/v3/events/', feature({ event_series: 2 })),
      { description: expect.stringContaining('Number of events: 1.\nPeriod: 1970-01-01 to 1970-01-01.') },
    ],
  ] as const)('%s', async (_, change, expected) => {
    const tag = await tagOf()
    expect((await pageOf(path, { headers: { 'If-None-Match': tag } })).status).toBe(304)
    expect((await change()).status).toBeLessThan(300)
    const again = await pageOf(path, { headers: { 'If-None-Match': tag } })
    expect([again.status, await datasetIn(again)]).toEqual([200, expect.objectContaining(expected)])
  })
})
