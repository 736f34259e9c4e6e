import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { readEvents } from '../../seed/load/stored.ts'
import { parseRecord } from '../../src/store/records.ts'
import { foundation } from '../engine/world.ts'
import { NAMES } from '../geometry/names.ts'
import { get, load, ORIGIN, send, withKey } from '../service.ts'
import { EVENTS, expectKept, feature, outcome, rows, SERIES, stored, write } from './writer.ts'

beforeAll(() => load(foundation))

const UUID = '10000000-0000-4000-8000-000000000000'
const TYPE = `${ORIGIN}/api/v4/observationtypes/1/`

describe('a posted event', () => {
  it('has the same answer as a read of its Location', async () => {
    const { status, headers, body } = await write('POST', EVENTS, feature())
    const url = `${ORIGIN}${EVENTS}${body.id}/`
    expect([status, headers.get('Location'), headers.get('Content-Type'), headers.get('Cache-Control')]).toEqual([
      201,
      url,
      'application/json',
      'private, no-store',
    ])
    const geometry = { type: 'Point', coordinates: [5.5, 52.25, 3] }
    expect(body).toMatchObject({
      id: expect.any(Number),
      type: 'Feature',
      geometry,
      properties: {
        category: 'flood',
        value: '1',
        url,
        timestamp_start: 1000,
        timestamp_end: 1000,
        event_series: 1,
        the_geom: geometry,
        object: null,
      },
    })
    const bookmark = headers.get('X-D1-Bookmark') ?? ''
    expect(bookmark).toMatch(/^[0-9a-f]+(-[0-9a-f]+)+$/)
    expect(await get(url, { headers: { 'X-D1-Bookmark': bookmark } })).toEqual(body)
    expect((await rows('SELECT last_modified FROM event_series WHERE id = 1'))[0]?.last_modified).toBeGreaterThan(0)
    await expectKept()
  })

  it.each<[string, object, object?]>([
    [
      'timestamps in ISO 8601',
      { timestamp_start: '1970-01-01T00:00:00.005Z', timestamp_end: '1970-01-01T01:00:01+01:00' },
      { timestamp_start: 5, timestamp_end: 1000 },
    ],
    [
      'a date without a time zone',
      { timestamp_start: '1970-01-02' },
      { timestamp_start: 86_400_000, timestamp_end: 86_400_000 },
    ],
    ['before 1970', { timestamp_start: -5, timestamp_end: -1 }],
    ['the first and the last instant', { timestamp_start: -62167219200000, timestamp_end: 253402300799999 }],
    ['a series by its uuid', { event_series: UUID.toUpperCase() }, { event_series: 1 }],
    ['an empty category', { category: '' }],
    ['no category and no value', { category: undefined, value: undefined }, { category: '', value: '' }],
    [
      'null in every field that may be empty',
      { category: null, value: null, timestamp_end: null, object: null, external_id: null },
      { category: '', value: '', timestamp_end: 1000, object: null },
    ],
    [
      'the empty text in every field that may be empty',
      { category: '', value: '', timestamp_end: '', object: '', external_id: '' },
      { category: '', value: '', timestamp_end: 1000, object: null },
    ],
    ['the object in two fields', { object_type: 'pump', object_id: 3 }, { object: { type: 'pump', id: 3 } }],
    ['texts of any kind', { category: `É'"%_\\ ?1 🌊`, value: "'); DROP TABLE event --" }],
    ['a number as the value', { value: 0.4 }, { value: '0.4' }],
    ['an object', { object: { type: 'pump', id: -7 } }],
    ['fields that are only read', { url: 'nonsense', the_geom: { type: 'Point', coordinates: [5.5, 52.25, 3.0] } }, {}],
  ])('%s', async (_, given, expected = given) => {
    const { status, body } = await write('POST', EVENTS, feature(given, { id: 987_654_321, bbox: [1, 2, 1, 2] }))
    expect([status, body.properties]).toEqual([201, { ...body.properties, ...expected }])
    expect(body.id).toBeGreaterThan(1)
    expect(body).toMatchObject(await get(body.properties.url)) // the answer may also name a wider column
  })

  it.each<[object | null, number[]?, number[]?]>([
    [null],
    [{ bbox: [] }, [0.1, 0.2, -3.5]],
    [{}, [5e-324, -9e-101], [0, 0, 0]],
    [{}, [-180, 90], [-180, 90, 0]],
  ])('can have the geometry %j %j', async (more, coordinates, stored = coordinates) => {
    const geometry = more && { type: 'Point', coordinates, ...more }
    const expected = more && { type: 'Point', coordinates: stored }
    const { status, body } = await write('POST', EVENTS, feature({}, { geometry }))
    expect([status, body.geometry, body.properties.the_geom]).toEqual([201, expected, expected])
    expect(await get(body.properties.url)).toEqual(body)
  })

  it('has addresses with its format, and may be sent as application/geo+json', async () => {
    const type = { 'Content-Type': 'application/geo+json; charset=utf-8' }
    const { status, headers, body } = await write('POST', `${EVENTS}?format=api`, feature(), type)
    expect([status, headers.get('Location')]).toEqual([201, body.properties.url])
    expect(body.properties.url).toMatch(/\/\?format=api$/)
  })
})

it.each([...NAMES.CRS84, ...NAMES.DEGREES])('a crs %s in a body means degrees, longitude first', async (name) => {
  const crs = { type: 'name', properties: { name } }
  const geometry = { type: 'Point', coordinates: [5, 52, 3] }
  const item = feature({}, { crs, geometry: { ...geometry, crs } })
  const { status, body } = await write('POST', EVENTS, { type: 'FeatureCollection', crs, features: [item] })
  const address = `${EVENTS}${body.ids[0]}/`
  const answers = [await write('PUT', address, item), await write('PATCH', address, { type: 'Feature', crs })]
  expect([status, ...answers.map((answer) => [answer.status, answer.body.geometry])]).toEqual([
    201,
    [200, geometry],
    [200, geometry],
  ])
})

describe('several posted events', () => {
  const several = ['a', 'b', 'c'].map((value) => feature({ value }))

  it.each<[string, unknown]>([
    ['an array', several],
    ['a FeatureCollection', { type: 'FeatureCollection', name: 'x', crs: null, features: several }],
  ])('%s: the ids have the order of the events', async (_, body) => {
    const answer = await write('POST', EVENTS, body)
    expect([answer.status, answer.headers.get('Location')]).toEqual([201, null])
    const values = await Promise.all(
      answer.body.ids.map(async (id: number) => (await get(`${EVENTS}${id}/`)).properties.value),
    )
    expect([Object.keys(answer.body), values]).toEqual([
      ['ids', 'created', 'changed', 'unchanged'],
      ['a', 'b', 'c'],
    ])
  })

  it('never get an id twice, even after the last event is deleted', async () => {
    const { body } = await write('POST', EVENTS, feature())
    await write('DELETE', `${EVENTS}${body.id}/`)
    expect((await write('POST', EVENTS, feature())).body.id).toBeGreaterThan(body.id)
  })
})

describe('a posted series', () => {
  it.each(['v3', 'v4'])('to %s has the same answer as a read', async (version) => {
    const path = `/api/${version}/eventseries/`
    const given = { name: 'New', observation_type: 1, access_modifier: 'Public' }
    const { status, headers, body } = await write('POST', path, given)
    expect([status, headers.get('Location')]).toEqual([201, body.url])
    expect(await get(body.url)).toEqual(body)
    expect(body.observation_type).toBe(`${ORIGIN}/api/${version}/observationtypes/1/`)
  })

  it('gets defaults for missing fields', async () => {
    const { body } = await write('POST', SERIES, { name: 'Bare', observation_type: TYPE })
    expect(body).toEqual({
      url: `${ORIGIN}${SERIES}${body.uuid}/`,
      uuid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      name: 'Bare',
      description: '',
      observation_type: TYPE,
      statistic: 'raw',
      color: `#${body.uuid.slice(-6)}`,
      start: null,
      end: null,
      access_modifier: 'Private',
      last_modified: null,
      created: expect.stringMatching(/^20\d\d-.*Z$/),
    })
    expect((await send(body.url)).status).toBe(404)
  })

  it('can be posted again in the form of the answer after it was deleted', async () => {
    const given = {
      uuid: crypto.randomUUID(),
      name: 'Back',
      observation_type: 1,
      access_modifier: 'Common',
      color: '#abcdef',
    }
    const { body } = await write('POST', SERIES, given)
    const taken = `An item with this url is stored already. To change it, use PATCH ${SERIES}${body.uuid}/. To store a new item, leave url out.`
    expect(await outcome('POST', SERIES, body)).toEqual({ status: 409, body: { detail: taken } })
    expect(await outcome('DELETE', `${SERIES}${body.uuid}/`)).toEqual({ status: 204, body: null })
    const again = await write('POST', SERIES, body)
    expect([again.status, again.body]).toEqual([201, { ...body, created: again.body.created }])
  })

  it.each([UUID, UUID.replace('1', '5')])(
    'is a 400 with the uuid of any series, visible or hidden: %s',
    async (uuid) => {
      const taken = { uuid: ['Another series has this uuid. Leave it out to get a new one.'] }
      expect(await outcome('POST', SERIES, { uuid, name: 'x', observation_type: 1 })).toEqual({
        status: 400,
        body: taken,
      })
    },
  )

  it('gets an id and a uuid also in an array', async () => {
    const names = ['one', 'two']
    const { status, body } = await write(
      'POST',
      SERIES,
      names.map((name) => ({ name, observation_type: 1 })),
    )
    expect([status, body]).toEqual([
      201,
      { ids: [expect.any(Number), expect.any(Number)], uuids: [expect.any(String), expect.any(String)] },
    ])
    const read = await Promise.all(
      body.uuids.map(async (uuid: string) => (await write('GET', `${SERIES}${uuid}/`)).body.name),
    )
    expect(read).toEqual(names)
    expect(
      (
        await write(
          'POST',
          EVENTS,
          body.ids.map((event_series: number) => feature({ event_series })),
        )
      ).status,
    ).toBe(201)
  })
})

const POINT =
  'Enter a GeoJSON Point in degrees, longitude first, such as {"type": "Point", "coordinates": [5.18, 52.1, 0]}, or null.'
const TIME =
  'Enter milliseconds since 1970, an integer from -62167219200000 to 253402300799999 (the years 0 to 9999), or an ISO 8601 instant to the millisecond, such as "2018-02-07T01:49:14Z".'
const REFERENCE = 'Enter the id of an event series, such as 1, or its full uuid.'
const OBJECT = 'Enter a model of a-z, 0-9, _ and an integer id, such as {"type": "storm", "id": 12}, or null.'
const TEXT = 'Enter a text (Unicode without NUL or lone surrogates).'
const CATEGORY = 'Enter a text, which may be empty (Unicode without NUL or lone surrogates).'
const noSeries = (id: number) => `There is no event series ${id}. The series are listed at /api/v4/eventseries/.`
const REQUIRED = 'This field is required.'
const TIME_AND_SERIES = { 'properties.timestamp_start': REQUIRED, 'properties.event_series': REQUIRED }
const NO_JSON = 'The body is not JSON in UTF-8. Send one JSON object, or an array of objects.'
const NO_FEATURES =
  'The FeatureCollection has no array "features". Send one, such as {"type": "FeatureCollection", "features": [...]}.'
const OTHER_CRS =
  'The member crs does not name WGS 84 or ETRS89. Send longitude and latitude in degrees, and leave it out or name EPSG:4326.'
const UNKNOWN = expect.stringMatching(
  /^Unknown field\. Enter one of type, geometry, properties\.category, .*, properties\.object_id\.$/,
)
const RD = { type: 'name', properties: { name: 'EPSG:28992' } }
const collection = (features: object[], more: object = {}) => ({ type: 'FeatureCollection', features, ...more })
const placed = (geometry: unknown) => feature({}, { geometry })
const series = (more: object) => ({ name: 'x', observation_type: 1, ...more })
const TAKEN = 'AAAAAAAA-0000-4000-8000-000000000000'

describe('a faulty post is a 400 and stores nothing', () => {
  /** Each field of the answer has a list of messages. */
  const listed = (faults: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(faults).map(([name, message]) => [name, [message]]))
  const expectFaults = async (list: string, body: unknown, faults: object) => {
    const before = await stored()
    expect(await outcome('POST', list, body)).toEqual({ status: 400, body: faults })
    expect(await stored()).toBe(before)
  }

  it.each([
    ['', NO_JSON],
    ['{', NO_JSON],
    [[], 'The body has no items. Send at least one.'],
    [{ type: 'FeatureCollection' }, NO_FEATURES],
    [collection([feature()], { crs: RD }), OTHER_CRS],
    ['5', ['Enter a JSON object.']],
  ])('%j', (body, detail) => expectFaults(EVENTS, body, { detail }))

  it.each<[unknown, Record<string, unknown>]>([
    [feature({}, { crs: RD }), { crs: OTHER_CRS }],
    [
      [feature(), 5, null, []],
      { '[1]': 'Enter a JSON object.', '[2]': 'Enter a JSON object.', '[3]': 'Enter a JSON object.' },
    ],
    [{}, { type: REQUIRED, geometry: REQUIRED, ...TIME_AND_SERIES }],
    [feature({}, { type: 'feature' }), { type: 'Enter "Feature".' }],
    [
      { ...feature(), properties: null },
      { ...TIME_AND_SERIES, properties: 'Enter a JSON object.' },
    ],
    [placed({ type: 'Point', coordinates: [5, 52], crs: 'EPSG:3857' }), { geometry: POINT }],
    [placed({ type: 'LineString', coordinates: [5, 52] }), { geometry: POINT }],
    [placed({ type: 'Point', coordinates: [] }), { geometry: POINT }],
    [placed({ type: 'Point', coordinates: [181, 0] }), { geometry: POINT }],
    [placed([5, 52]), { geometry: POINT }],
    [feature({ timestamp_start: 1.5 }), { 'properties.timestamp_start': TIME }],
    [feature({ timestamp_start: '2018-02-30' }), { 'properties.timestamp_start': TIME }],
    [feature({ timestamp_start: '1970-01-01T00:00:00.0001Z' }), { 'properties.timestamp_start': TIME }],
    [feature({ timestamp_start: null }), { 'properties.timestamp_start': TIME }],
    [feature({ timestamp_end: 9e15 }), { 'properties.timestamp_end': TIME }],
    [feature({ timestamp_end: 999 }), { 'properties.timestamp_end': 'Enter timestamp_start or a later time.' }],
    [feature({ category: 5 }), { 'properties.category': CATEGORY }],
    [feature({ value: 'a\0' }), { 'properties.value': TEXT }],
    [feature({ event_series: '1' }), { 'properties.event_series': REFERENCE }],
    [feature({ event_series: UUID.slice(0, 7) }), { 'properties.event_series': REFERENCE }],
    [feature({ event_series: 99 }), { 'properties.event_series': noSeries(99) }],
    [feature({ object: { type: 'Storm', id: 1 } }), { 'properties.object': OBJECT }],
    [feature({ object: { type: 'storm', id: 1, more: 1 } }), { 'properties.object': OBJECT }],
    [feature({ catgory: 'x' }, { more: 1 }), { 'properties.catgory': UNKNOWN, more: UNKNOWN }],
    [
      collection([feature(), feature({ value: {}, event_series: 98 })]),
      { 'features[1].properties.value': TEXT, 'features[1].properties.event_series': noSeries(98) },
    ],
  ])('%j', (body, faults) => expectFaults(EVENTS, body, listed(faults)))

  it.each<[object | object[], Record<string, string>]>([
    [{}, { name: REQUIRED, observation_type: REQUIRED }],
    [
      series({ observation_type: 99 }),
      { observation_type: 'There is no observation type 99. The types are listed at /api/v4/observationtypes/.' },
    ],
    [
      series({ observation_type: '/api/v3/series/1/' }),
      {
        observation_type:
          'No observation type has this code, or several have it. Enter an id from /api/v4/observationtypes/.',
      },
    ],
    [series({ color: 'red' }), { color: 'Enter # and six hexadecimal digits, such as "#6e9eb4".' }],
    [series({ access_modifier: 'Secret' }), { access_modifier: 'Enter one of Public, Common, Private, Hidden.' }],
    [
      series({ access_modifier: 'Hidden' }),
      { access_modifier: 'This key reads at most Private. Enter that or a lower level.' },
    ],
    [
      [series({ uuid: TAKEN }), series({ uuid: TAKEN })],
      { '[1].uuid': 'Another series has this uuid. Leave it out to get a new one.' },
    ],
  ])('for a series: %j', (body, faults) => expectFaults(SERIES, body, listed(faults)))

  it('lists the first of many mistakes, and the number of the others', async () => {
    const { status, body } = await write('POST', EVENTS, Array(5000).fill(feature({ value: {}, event_series: 97 })))
    expect([status, Object.keys(body).length, body.detail]).toEqual([
      400,
      101,
      ['There are 9900 more mistakes like these.'],
    ])
    expect(body['[99].properties.value']).toBeDefined()
  })

  it.each([
    ['an id', 5], // Private
    ['a uuid', '40000000-0000-4000-8000-000000000000'],
  ])('does not reveal a hidden series, by %s', async (_, event_series) => {
    const { headers: own = {}, vars } = await withKey('writer')
    const low = {
      ...vars,
      API_KEYS: (vars?.API_KEYS ?? '').replaceAll('"read":"Private","write":true', '"write":true'),
    }
    const post = async (series: unknown) => {
      const headers = { ...own, 'Content-Type': 'application/json' }
      const response = await send(EVENTS, {
        method: 'POST',
        headers,
        vars: low,
        body: JSON.stringify(feature({ event_series: series })),
      })
      return [response.status, (await response.text()).replaceAll(String(series), 'X')]
    }
    expect(await post(event_series)).toEqual(
      await post(typeof event_series === 'number' ? 12_345 : UUID.replace('1', 'e')),
    )
    expect((await post(4))[0]).toBe(201)
  })
})

describe('the limits of a post', () => {
  it.each<[string, object, number]>([
    ['category', { category: 'é'.repeat(301) }, 300],
    ['value', { value: 'x'.repeat(10_001) }, 10_000],
    ['object', { object: { type: 'm'.repeat(301), id: 1 } }, 300],
    ['object_type', { object_type: 'm'.repeat(301) }, 300],
  ])('are a number of characters in %s', async (name, given, most) => {
    const fault = [`Enter at most ${most} characters.`]
    const before = await stored()
    expect(await outcome('POST', EVENTS, [feature(), feature(given)])).toEqual({
      status: 400,
      body: { [`[1].properties.${name}`]: fault },
    })
    expect(await stored()).toBe(before)
  })

  it.each<[string, number]>([
    ['name', 300],
    ['description', 10_000],
    ['statistic', 10_000],
  ])('are a number of characters in the %s of a series', async (name, most) => {
    const series = { name: 'x', observation_type: 1 }
    const long = { ...series, [name]: 'x'.repeat(most + 1) }
    const fault = [`Enter at most ${most} characters.`]
    expect(await outcome('POST', SERIES, long)).toEqual({ status: 400, body: { [name]: fault } })
    expect(await outcome('POST', SERIES, [series, long])).toEqual({ status: 400, body: { [`[1].${name}`]: fault } })
  })

  it.each<[string, object]>([
    ['a value', { value: 'x'.repeat(10_000) }],
    ['a value of line breaks', { value: '\n'.repeat(10_000) }],
    ['a category of letters with a longer form', { category: 'ı'.repeat(300) }],
    ['a category of characters of two units each', { category: '🌊'.repeat(300) }],
    ['a category of characters that JSON writes as six', { category: '\u0001'.repeat(300) }],
  ])('allow only texts that can be exported and loaded: %s', async (_, given) => {
    const { status, body } = await write('POST', EVENTS, feature({ category: '', value: '', ...given }))
    expect(status).toBe(201)
    const [stored] = await readEvents(env.DB, [body.id])
    const record = { ...stored, last_modified: null }
    expect(record).toMatchObject(given)
    expect(parseRecord(JSON.stringify(record))).toEqual(record)
    expect((await write('DELETE', `${EVENTS}${body.id}/`)).status).toBe(204)
  })

  it.each([
    ['an array of empty objects, which is not parsed', `[${'{},'.repeat(250_000)}`],
    ['members of one object', `{${'"a":1,'.repeat(500_000)}`],
    ['lists in lists', '['.repeat(500_001)],
  ])('are 500,000 values: %s', async (_, body) => {
    const detail = 'The body has more than 500000 values. Send fewer items, and the rest in another request.'
    expect(await outcome('POST', EVENTS, body)).toEqual({ status: 413, body: { detail } })
    expect(await outcome('PATCH', `${EVENTS}987654/`, body)).toEqual({ status: 413, body: { detail } })
  })

  it('count no brackets or commas inside a text', async () => {
    const value = `${'",[{'.repeat(2400)}\\`
    const events = Array.from({ length: 100 }, () => feature({ value }))
    expect((await outcome('POST', EVENTS, events)).status).toBe(201)
  })

  it.each(['text/plain', 'application/xml', 'application/merge-patch+json', ''])(
    'refuse a body of %s',
    async (type) => {
      const detail =
        'Set Content-Type to application/json or application/geo+json or application/x-www-form-urlencoded.'
      expect(await outcome('POST', EVENTS, feature(), { 'Content-Type': type })).toEqual({
        status: 415,
        body: { detail },
      })
    },
  )

  it('allow no unknown parameters', async () => {
    const faults = { category: ['Unknown parameter.'] }
    expect(await outcome('POST', `${EVENTS}?category=x`, feature())).toEqual({ status: 400, body: faults })
  })

  it('are 10,000 items', async () => {
    // The last test, because a faulty post is compared with all stored events.
    const events = Array.from({ length: 10_000 }, (_, i) => feature({ timestamp_start: i, event_series: 1 + (i % 4) }))
    const { status, body } = await write('POST', EVENTS, events)
    expect([status, new Set(body.ids).size]).toEqual([201, 10_000])
    await expectKept()
    const detail = 'The body has 10001 items. Send at most 10000, and the rest in another request.'
    expect(await outcome('POST', EVENTS, Array(10_001).fill(1))).toEqual({ status: 413, body: { detail } })
  })
})
