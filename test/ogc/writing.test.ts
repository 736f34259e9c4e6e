import { beforeAll, describe, expect, it } from 'vitest'
import { foundation, makeEvents } from '../engine/world.ts'
import { get, type KEYS, load, ORIGIN, send, withKey } from '../service.ts'
import { expectKept, outcome, stored, write } from '../store/writer.ts'

// Tests Part 4. Clients write features in the form in which they read them, and the writer of all lists stores them.

beforeAll(async () => {
  await load(foundation)
  await load(makeEvents(60, 4, 2000))
})

const uuidOf = (prefix: string) => `${prefix}000000-0000-4000-8000-000000000000`
const EVENTS = '/ogc/collections/events/items'
const SERIES = '/ogc/collections/eventseries/items'
const OWN = `/ogc/collections/events-${uuidOf('10')}/items`
const GEOJSON = { 'Content-Type': 'application/geo+json' }
const PATCH = { 'Content-Type': 'application/merge-patch+json' }

const feature = (properties: object = {}, more: object = {}) => ({
  type: 'Feature',
  geometry: { type: 'Point', coordinates: [5.5, 52.25, 3] },
  properties: { timestamp_start: '2018-02-07T01:49:14Z', event_series: uuidOf('10'), ...properties },
  ...more,
})

/** The stored properties of `feature()`. */
const NEW = {
  category: '',
  value: '',
  timestamp_start: '2018-02-07T01:49:14Z',
  timestamp_end: '2018-02-07T01:49:14Z',
  event_series: uuidOf('10'),
  event_series_name: 'Large',
  object_type: null,
  object_id: null,
  external_id: null,
  last_modified: expect.any(String),
}

const make = async (properties: object = {}, path = EVENTS) =>
  (await write('POST', path, feature(properties), GEOJSON)).body
const at = (id: number, path = EVENTS) => `${path}/${id}`
/** Reads a feature, as a client does before it sends the feature back. */
const read = async (path: string) => (await write('GET', path)).body

/** Expects a 400 with a problem document (RFC 9457). */
const expectRefused = ({ status, body }: { status: number; body: unknown }, faults: object) => {
  const problem = 'detail' in faults ? faults : { title: 'Bad Request', status: 400, errors: faults }
  expect([status, body]).toEqual([400, expect.objectContaining(problem)])
}

describe('a posted feature', () => {
  it.each<[object, object]>([
    [{}, {}],
    [
      { category: 'flood', value: '2.5' },
      { category: 'flood', value: '2.5' },
    ],
    [
      { timestamp_start: '2018-02-07T01:49:14.125Z', timestamp_end: null },
      { timestamp_start: '2018-02-07T01:49:14.125000Z', timestamp_end: '2018-02-07T01:49:14.125000Z' },
    ],
    [{ timestamp_start: Date.UTC(2018, 1, 7, 1, 49, 14) }, {}],
    [{ event_series: 3 }, { event_series: uuidOf('21'), event_series_name: 'Middle' }],
    [
      { object_type: 'storm', object_id: 12 },
      { object_type: 'storm', object_id: 12 },
    ],
    [{ category: null, value: null, object_type: null, object_id: null, external_id: null }, {}],
    [{ event_series_name: 'Not mine', last_modified: null }, {}],
  ])('with %j', async (properties, expected) => {
    const { status, headers, body } = await write('POST', EVENTS, feature(properties), GEOJSON)
    expect([status, body]).toEqual([
      201,
      {
        type: 'Feature',
        id: expect.any(Number),
        geometry: feature().geometry,
        properties: expect.objectContaining({ ...NEW, ...expected }),
        links: expect.any(Array),
      },
    ])
    expect(Object.fromEntries(headers)).toMatchObject({
      location: `${ORIGIN}${at(body.id)}`,
      'content-type': 'application/geo+json',
      'cache-control': 'private, no-store',
      'x-d1-bookmark': expect.any(String),
    })
    const now = await write('GET', at(body.id))
    expect([now.body, now.headers.get('ETag')]).toEqual([body, headers.get('ETag')])
  })

  it.each<[string, string, unknown, object]>([
    ['no geometry', EVENTS, { ...feature(), geometry: undefined }, { geometry: ['This field is required.'] }],
    [
      'a line',
      EVENTS,
      feature({}, { geometry: { type: 'LineString', coordinates: [] } }),
      { geometry: [expect.stringMatching(/^Enter a GeoJSON Point/)] },
    ],
    [
      'neither a start nor a series',
      EVENTS,
      feature({ timestamp_start: undefined, event_series: null }),
      {
        'properties.timestamp_start': ['This field is required.'],
        'properties.event_series': [expect.stringMatching(/^Enter the id of an event series/)],
      },
    ],
    [
      'one part of an object',
      EVENTS,
      feature({ object_type: 'storm' }),
      { 'properties.object_id': ['Enter object_type and object_id, or neither.'] },
    ],
    [
      'an end before its start',
      EVENTS,
      feature({ timestamp_end: '2018-02-07T01:49:13Z' }),
      { 'properties.timestamp_end': ['Enter timestamp_start or a later time.'] },
    ],
    [
      'unknown fields',
      EVENTS,
      feature({ begin: 1 }),
      { 'properties.begin': [expect.stringMatching(/^Unknown field/)] },
    ],
    [
      'a series that is not the one of the collection',
      OWN,
      feature({ event_series: uuidOf('21') }),
      {
        'properties.event_series': [`This list has the events of one series. Enter ${uuidOf('10')}, or leave it out.`],
      },
    ],
    [
      'an unknown observation type',
      SERIES,
      { type: 'Feature', properties: { name: 'x', observation_type: 'none' } },
      { 'properties.observation_type': [expect.stringMatching(/^No observation type has this code/)] },
    ],
    ['invalid JSON', EVENTS, '{', { detail: expect.stringMatching(/^The body is not JSON/) }],
  ])('with %s is a 400', async (_, path, body, faults) => {
    const before = await stored()
    expectRefused(await outcome('POST', path, body, GEOJSON), faults)
    expect(await stored()).toBe(before)
  })

  it('in the collection of a series belongs to that series', async () => {
    const { properties, id } = await make({ event_series: undefined }, OWN)
    expect(properties.event_series).toBe(uuidOf('10'))
    expect((await write('GET', at(id, OWN))).status).toBe(200)
    expect((await outcome('DELETE', at(id, OWN))).status).toBe(204)
  })

  it('in a FeatureCollection is stored with all others', async () => {
    const body = { type: 'FeatureCollection', features: [feature({ value: 'a' }), feature({ value: 'b' })] }
    const { status, body: answered } = await outcome('POST', EVENTS, body, GEOJSON)
    expect([status, answered]).toEqual([
      201,
      { ids: [expect.any(Number), expect.any(Number)], created: 2, changed: 0, unchanged: 0 },
    ])
    expect((await read(at(answered.ids[1]))).properties.value).toBe('b')
  })

  it.each([
    [0, [5.5, 52.25], [5.5, 52.25, 0]],
    ['<http://www.opengis.net/def/crs/OGC/1.3/CRS84>', [5.5, 52.25, 4], [5.5, 52.25, 4]],
    ['http://www.opengis.net/def/crs/EPSG/0/3857', [0, 0], [0, 0, 0]],
    ['<http://www.opengis.net/def/crs/EPSG/0/28992>', [155_000, 463_000, -2], [5.387206, 52.155174, -2]],
  ])('may be in %s', async (crs, coordinates, expected) => {
    const headers = { ...GEOJSON, ...(crs !== 0 && { 'Content-Crs': String(crs) }) }
    const { body } = await write('POST', EVENTS, feature({}, { geometry: { type: 'Point', coordinates } }), headers)
    for (const [i, number] of expected.entries()) expect(body.geometry.coordinates[i]).toBeCloseTo(number, 4)
  })

  it.each([
    ['http://www.opengis.net/def/crs/EPSG/0/4326', 'Content-Crs', /^Enter http/],
    [
      'http://www.opengis.net/def/crs/EPSG/0/28992',
      'geometry',
      /^The place is too far outside the area of EPSG 28992\./,
    ],
    ['http://www.opengis.net/def/crs/EPSG/0/3857', 'geometry', /^The place is too far outside the area of EPSG 3857\./],
  ])('in %s is a 400 if its position is outside the system', async (crs, name, message) => {
    const body = feature({}, { geometry: { type: 'Point', coordinates: [1e9, 1e9] } })
    const answered = await outcome('POST', EVENTS, body, { ...GEOJSON, 'Content-Crs': crs })
    expectRefused(answered, { [name]: [expect.stringMatching(message)] })
  })
})

describe('a stored feature', () => {
  const WHOLE = { category: 'a', object_type: 'storm', object_id: 1, timestamp_end: '2019-01-01' }

  it('loses all fields that are missing in a PUT', async () => {
    const { id } = await make({ ...WHOLE, value: 'b', external_id: 'x1' })
    const { status, headers, body } = await write('PUT', at(id), feature({ event_series: uuidOf('21') }), GEOJSON)
    expect([status, body.id, body.properties]).toEqual([
      200,
      id,
      expect.objectContaining({ ...NEW, event_series: uuidOf('21'), event_series_name: 'Middle' }),
    ])
    expect((await write('GET', at(id))).headers.get('ETag')).toBe(headers.get('ETag'))
    await expectKept()
  })

  it('requires the fields of a new feature in a PUT', async () => {
    const { id } = await make()
    const required = ['This field is required.']
    expectRefused(await outcome('PUT', at(id), { type: 'Feature', geometry: null, properties: {} }, GEOJSON), {
      'properties.timestamp_start': required,
      'properties.event_series': required,
    })
  })

  it.each<[object, object, object | null]>([
    [{ properties: { value: 'new' } }, { value: 'new' }, null],
    [{ properties: { object_id: 7 } }, { object_id: 7 }, null],
    [{ properties: { object_type: null, object_id: null } }, { object_type: null, object_id: null }, null],
    [{ properties: { category: null, external_id: null } }, { category: '', external_id: null }, null],
    [{ properties: { timestamp_end: null } }, { timestamp_end: '2018-02-07T01:49:14Z' }, null],
    [{ properties: { timestamp_end: '2020-01-01' } }, { timestamp_end: '2020-01-01T00:00:00Z' }, null],
    [{ properties: { event_series: uuidOf('20') } }, { event_series: uuidOf('20'), event_series_name: 'Small' }, null],
    [{ geometry: null }, {}, { geometry: null }],
    [{ geometry: { type: 'Point', coordinates: [1, 2] } }, {}, { geometry: { type: 'Point', coordinates: [1, 2, 0] } }],
    [{ id: 5, properties: { event_series_name: 'Other' } }, {}, null],
  ])('is changed by a PATCH with %j', async (changes, properties, more) => {
    const before = await make({ ...WHOLE, external_id: 'x2' })
    const { status, body } = await outcome('PATCH', at(before.id), changes, PATCH)
    const changed = { ...before.properties, ...properties, last_modified: expect.any(String) }
    expect([status, body]).toEqual([200, { ...before, ...more, properties: changed }])
    expect(await read(at(before.id))).toEqual(body)
    expect(await outcome('DELETE', at(before.id))).toEqual({ status: 204, body: null })
    expect((await outcome('DELETE', at(before.id))).status).toBe(404)
  })

  it.each<[object, object]>([
    [{ properties: { timestamp_start: null } }, { 'properties.timestamp_start': [expect.stringMatching(/^Enter/)] }],
    [{ properties: { event_series: null } }, { 'properties.event_series': [expect.stringMatching(/^Enter/)] }],
    [{ properties: { object_id: null } }, { 'properties.object_id': ['Enter object_type and object_id, or neither.'] }],
    [
      { properties: { timestamp_start: '2030-01-01' } },
      { 'properties.timestamp_end': ['Enter timestamp_start or a later time.'] },
    ],
  ])('refuses a PATCH with %j', async (changes, faults) => {
    const { id } = await make({ object_type: 'storm', object_id: 1 })
    const before = await stored()
    expectRefused(await outcome('PATCH', at(id), changes, PATCH), faults)
    expect(await stored()).toBe(before)
  })
})

describe('a series under /ogc', () => {
  const series = (properties: object) => ({
    type: 'Feature',
    geometry: null,
    properties: { observation_type: 'test', ...properties },
  })

  it('is created, changed, replaced and deleted as a feature', async () => {
    const mine = series({ name: 'Mine', color: null, uuid: null, description: null })
    const made = await write('POST', SERIES, mine, GEOJSON)
    const { id, properties } = made.body
    expect(made.status).toBe(201)
    expect(properties).toMatchObject({ name: 'Mine', access_modifier: 'Private', event_count: 0 })
    const colored = { properties: { color: '#112233', access_modifier: 'Public' } }
    const changed = await outcome('PATCH', at(id, SERIES), colored, PATCH)
    expect([changed.status, changed.body.properties.color]).toEqual([200, '#112233'])
    const replaced = await outcome('PUT', at(id, SERIES), series({ name: 'Yours', statistic: 'mean' }), GEOJSON)
    expect([replaced.status, replaced.body.properties]).toEqual([
      200,
      {
        ...properties,
        ...{ name: 'Yours', statistic: 'mean', access_modifier: 'Public', last_modified: expect.any(String) },
      },
    ])
    const own = `/ogc/collections/events-${properties.uuid}/items`
    expect((await make({ event_series: undefined }, own)).properties.event_series).toBe(properties.uuid)
    expect((await outcome('DELETE', at(id, SERIES))).status).toBe(409)
    expect((await outcome('DELETE', `${at(id, SERIES)}?events=delete`)).status).toBe(204)
    await expectKept()
  })

  it('must have a level that its writer can see', async () => {
    const answered = await outcome('POST', SERIES, series({ name: 'x', access_modifier: 'Hidden' }), GEOJSON)
    expectRefused(answered, {
      'properties.access_modifier': [expect.stringMatching(/^This key reads at most Private/)],
    })
  })
})

describe('a write with a precondition', () => {
  it.each([
    ['the tag of the feature', async (id: number) => (await write('GET', at(id))).headers.get('ETag'), 200],
    ['*', async () => '*', 200],
    ['another tag', async () => 'W/"1-2-3"', 412],
  ])('If-Match with %s', async (_, tagOf, status) => {
    const { id } = await make()
    const known = { ...PATCH, 'If-Match': (await tagOf(id)) ?? '' }
    expect((await outcome('PATCH', at(id), { properties: { value: 'x' } }, known)).status).toBe(status)
    const old = (await write('GET', at(id))).headers.get('ETag') ?? ''
    const answered = await write('PUT', at(id), feature({ value: 'y' }), { ...GEOJSON, 'If-Match': old })
    expect(answered.status).toBe(200)
    expect((await outcome('DELETE', at(id), undefined, { 'If-Match': old })).status).toBe(412)
    const now = answered.headers.get('ETag') ?? ''
    expect((await outcome('DELETE', at(id), undefined, { 'If-Match': now })).status).toBe(204)
    expect((await outcome('PUT', at(id), feature(), { ...GEOJSON, 'If-Match': '*' })).status).toBe(412)
    expect((await outcome('PUT', at(id), feature(), GEOJSON)).status).toBe(404)
  })
})

describe('the methods under /ogc', () => {
  const READ = 'GET, HEAD, OPTIONS'
  const ITEMS = 'GET, POST, HEAD, OPTIONS'
  const ITEM = 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS'
  it.each<[string, keyof typeof KEYS | null, string]>([
    [EVENTS, null, READ],
    [EVENTS, 'common', READ],
    [EVENTS, 'editor', ITEMS],
    [`${EVENTS}/`, 'editor', ITEMS],
    [SERIES, 'editor', ITEMS],
    [OWN, 'editor', ITEMS],
    [at(1), null, READ],
    [at(1), 'editor', ITEM],
    [at(1, SERIES), 'editor', ITEM],
    ['/ogc', 'editor', READ],
    ['/ogc/collections/events', 'editor', READ],
  ])('OPTIONS %s with the key %s', async (path, key, allow) => {
    const response = await send(path, { method: 'OPTIONS', ...(key && (await withKey(key))) })
    expect([response.status, response.headers.get('Allow')]).toEqual([200, allow])
  })

  it.each([
    ['POST', EVENTS, 'text/plain'],
    ['POST', EVENTS, 'application/merge-patch+json'],
    ['PUT', at(2), 'application/merge-patch+json'],
    ['PATCH', at(2), 'application/json-patch+json'],
  ])('%s %s with %s is a 415', async (method, path, type) => {
    expect((await write(method, path, {}, { 'Content-Type': type })).status).toBe(415)
  })
})

it.each<[Record<string, string>, number]>([
  [{}, 201],
  [{ Origin: 'https://example.org' }, 415],
  [{ 'Sec-Fetch-Site': 'cross-site' }, 415],
])('a body without a type is accepted from programs only: with %j a %d', async (headers, status) => {
  const own = await withKey('writer')
  const body = new TextEncoder().encode(JSON.stringify(feature()))
  const response = await send(EVENTS, { ...own, method: 'POST', headers: { ...own.headers, ...headers }, body })
  expect(response.status).toBe(status)
})

it('a posted filter is a 400 that names the parameter filter', async () => {
  const body = JSON.stringify({ op: '=', args: [{ property: 'category' }, 'flood'] })
  for (const [key, status] of [
    ['writer', 400],
    [null, 401],
  ] as const) {
    const own = key === null ? {} : await withKey(key)
    const response = await send(EVENTS, { ...own, method: 'POST', headers: { ...own.headers, ...GEOJSON }, body })
    const detail = expect.stringContaining('Send a CQL2 filter as `filter` with `filter-lang=cql2-json`')
    expect([response.status, await response.json()]).toEqual([status, expect.objectContaining({ detail })])
  }
})

describe('the right to write', () => {
  const attempts = (id: number): [string, string, unknown, Record<string, string>][] => [
    ['PUT', at(id), feature(), GEOJSON],
    ['PATCH', at(id), { properties: { value: 'seen' } }, PATCH],
    ['DELETE', at(id), undefined, {}],
  ]

  it.each([
    ['nobody', null, 401],
    ['a key that reads all', 'hidden', 403],
  ] as const)('%s does not have it', async (_, key, status) => {
    const own = key === null ? {} : await withKey(key)
    for (const [method, path, body, headers] of [...attempts(2), ['POST', EVENTS, feature(), GEOJSON] as const]) {
      const sent = { method, headers: { ...own.headers, ...headers }, body: JSON.stringify(body) ?? null }
      expect([method, (await send(path, { ...own, ...sent })).status]).toEqual([method, status])
    }
  })

  it.each([
    ['Private', '40', 5],
    ['Hidden', '50', 6],
  ])('a %s series looks missing to every write with a Common key', async (_, prefix, series) => {
    const items = `/ogc/collections/events-${uuidOf(prefix)}/items`
    const { features } = (await write('GET', `${items}?limit=3`, undefined, {}, 'all')).body
    expect(features.length).toBe(3)
    const before = await stored()
    const none = `/ogc/collections/events-${uuidOf('ff')}/items`
    const same = async (method: string, path: string, other: string, ...sent: [unknown, Record<string, string>]) => {
      const seen = await outcome(method, path, ...sent, 'editor')
      expect([method, path, seen]).toEqual([method, path, await outcome(method, other, ...sent, 'editor')])
      expect(seen.status).toBe(404)
    }
    for (const { id } of features) {
      for (const [method, path, body, headers] of attempts(id)) {
        await same(method, path, at(987_654_321), body, headers)
        await same(method, at(id, items), at(id, none), body, headers)
      }
    }
    await same('POST', items, none, feature({ event_series: undefined }), GEOJSON)
    await same('PATCH', at(series, SERIES), at(77, SERIES), { properties: { name: 'mine' } }, PATCH)
    await same('DELETE', `${at(series, SERIES)}?events=delete`, `${at(77, SERIES)}?events=delete`, undefined, {})
    for (const named of [series, uuidOf(prefix)]) {
      const told = `There is no event series ${named}. The series are listed at /api/v4/eventseries/.`
      const change = { properties: { event_series: named } }
      for (const answered of [
        await outcome('POST', EVENTS, feature({ event_series: named }), GEOJSON, 'editor'),
        await outcome('PATCH', at(await publicId()), change, PATCH, 'editor'),
      ])
        expectRefused(answered, { 'properties.event_series': [told] })
    }
    expect(await stored()).toBe(before)
  })

  const publicId = async (): Promise<number> => (await get(`${EVENTS}?limit=1`)).features[0].id

  it('a key may move an event to a series that it can only read', async () => {
    const { id } = await make({ event_series: undefined }, OWN)
    expect((await outcome('PATCH', at(id), { properties: { event_series: uuidOf('40') } }, PATCH)).status).toBe(200)
    expect((await outcome('GET', at(id, OWN))).status).toBe(404)
    expect((await outcome('GET', at(id), undefined, {}, 'editor')).status).toBe(404)
    expect((await outcome('DELETE', at(id), undefined, {}, 'editor')).status).toBe(404)
    expect((await outcome('DELETE', at(id))).status).toBe(204)
    await expectKept()
  })
})
