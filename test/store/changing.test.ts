import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { foundation, makeEvents } from '../engine/world.ts'
import { MAKE_EARLIER, MAKE_LATER } from '../revisions.ts'
import { get, load, send } from '../service.ts'
import { EXHAUSTIVE } from '../tags.ts'
import { EVENTS, expectKept, feature, outcome, rows, SERIES, stored, write } from './writer.ts'

beforeAll(async () => {
  await load(foundation)
  await load(makeEvents(60, 4))
})

const uuidOf = (prefix: string) => `${prefix}000000-0000-4000-8000-000000000000`
const WITHOUT_TEXTS = { category: '', value: '' }
const AT_500 = { timestamp_start: 500, timestamp_end: 500 }
const NO_SERIES = 'There is no event series 6. The series are listed at /api/v4/eventseries/.'
const ENDS_EARLY = { 'properties.timestamp_end': ['Enter timestamp_start or a later time.'] }
const postEvent = async (properties: object = {}) => (await write('POST', EVENTS, feature(properties))).body
const postSeries = async (more: object = {}) =>
  (await write('POST', SERIES, { name: 'Mine', observation_type: 1, access_modifier: 'Public', ...more })).body

describe('a PATCH of an event', () => {
  it.each<[properties: object, expected?: object, more?: object]>([
    [{ value: 'new' }],
    [{ category: 'brand new' }],
    [{ category: '' }],
    [{ timestamp_start: -9e12 }],
    [{ timestamp_end: '2200-01-01' }, { timestamp_end: Date.UTC(2200, 0, 1) }],
    [{ timestamp_start: 5, timestamp_end: 6 }],
    [{ event_series: 3 }],
    [{ event_series: uuidOf('40') }, { event_series: 5 }],
    [{ object: { type: 'new_model', id: 3 } }],
    [{ object: null }],
    [{}, { the_geom: null }, { geometry: null }],
    [
      {},
      { the_geom: { type: 'Point', coordinates: [180, 90, 0] } },
      { geometry: { type: 'Point', coordinates: [180, 90] } },
    ],
    [{ url: '', the_geom: 1 }, {}, { type: 'Feature', id: 7 }],
    [{}],
  ])('with %j changes it', async (given, expected = given, more = {}) => {
    const before = await postEvent({ object: { type: 'pump', id: 1 } })
    const { status, headers, body } = await write('PATCH', before.properties.url, { properties: given, ...more })
    const properties = { ...before.properties, ...expected }
    expect([status, body]).toEqual([200, { ...before, geometry: properties.the_geom, properties }])
    expect(headers.get('X-D1-Bookmark')).toMatch(/-/)
    expect((await write('GET', before.properties.url)).body).toEqual(body)
    expect(await outcome('DELETE', before.properties.url)).toEqual({ status: 204, body: null })
    expect((await send(before.properties.url)).status).toBe(404)
    await expectKept()
  })

  it.each<[string, object]>([
    ['nothing', {}],
    ['the stored values', { properties: { value: '1', category: 'flood', timestamp_end: null, object: null } }],
  ])('with %s writes nothing', async (_, changes) => {
    const { properties } = await postEvent()
    const before = await stored()
    expect((await outcome('PATCH', properties.url, changes)).status).toBe(200)
    expect(await stored()).toBe(before)
  })

  it.each<[object, object]>([
    [{ category: null, value: null }, WITHOUT_TEXTS],
    [WITHOUT_TEXTS, WITHOUT_TEXTS],
    [{ timestamp_end: null }, { timestamp_end: 1000 }],
    [{ timestamp_start: 500, timestamp_end: '' }, AT_500],
    [{ object: '' }, { object: null }],
    [{ object_type: null, object_id: null }, { object: null }],
    [{ object_id: 8 }, { object: { type: 'pump', id: 8 } }],
  ])('with %j clears fields', async (changes, expected) => {
    const before = await postEvent({ timestamp_end: 9000, object: { type: 'pump', id: 1 } })
    const { status, body } = await outcome('PATCH', before.properties.url, { properties: changes })
    expect([status, body.properties]).toEqual([200, { ...before.properties, ...expected }])
  })

  it.each<[object | string, object]>([
    ['[', { detail: 'The body is not JSON in UTF-8. Send one JSON object, or an array of objects.' }],
    [[{}], { detail: ['Enter a JSON object.'] }],
    [{ value: 'x' }, { value: [expect.stringMatching(/^Unknown field/)] }],
    [{ type: 'Point' }, { type: ['Enter "Feature".'] }],
    [{ properties: { timestamp_end: 999 } }, ENDS_EARLY],
    [{ properties: { event_series: 6 } }, { 'properties.event_series': [NO_SERIES] }],
  ])('with %j is a 400', async (changes, faults) => {
    const { properties } = await postEvent()
    const before = await stored()
    expect(await outcome('PATCH', properties.url, changes)).toEqual({ status: 400, body: faults })
    expect(await stored()).toBe(before)
  })

  it('is a 404 if its series is hidden from the writer', async () => {
    const [{ id } = {}] = await rows('SELECT id FROM event WHERE event_series_id = 6')
    for (const path of [
      `${EVENTS}${id}/`,
      `${EVENTS}987654/`,
      `${SERIES}${uuidOf('50')}/`,
      `${SERIES}${uuidOf('99')}/`,
    ])
      for (const [method, body] of [['PATCH', {}], ['DELETE']] as const)
        expect(await outcome(method, path, body)).toEqual({ status: 404, body: { detail: 'Not found.' } })
  })
})

describe('a PATCH of a series', () => {
  it.each(['v3', 'v4'])('in %s can change every field', async (version) => {
    const { uuid } = await postSeries()
    const path = `/api/${version}/eventseries/${uuid}/`
    const before = (await write('GET', path)).body
    const changes = { name: 'Ähnlich', description: 'd', statistic: 'mean', color: '#000000', observation_type: 1 }
    const { status, body } = await write('PATCH', path, { ...before, ...changes })
    const { last_modified } = body
    const modified = version === 'v4' ? { last_modified } : {}
    expect([status, body]).toEqual([
      200,
      { ...before, ...changes, observation_type: before.observation_type, ...modified },
    ])
    expect(version === 'v4' ? last_modified : '20').toMatch(/^20/)
    expect((await write('GET', path)).body).toEqual(body)
    expect((await get(`${SERIES}?name__icontains=äHN`)).count).toBe(version === 'v3' ? 1 : 2)
  })

  it.each([
    ['Hidden', 'Public'],
    ['Public', 'Private'],
    ['Private', 'Common'],
    ['Common', 'Common'],
    ['Common', 'Hidden'],
  ])('changes the level of its events from %s to %s', async (_, access_modifier) => {
    const hidden = `${JSON.stringify({ access_modifier })}`
    const path = `${SERIES}${uuidOf('50')}/`
    await env.DB.prepare("UPDATE event_series SET name = 'x' WHERE id = 6").run()
    // The test key that can write reads up to Private by default. Here it reads everything.
    const { status, body } = await write('PATCH', path, hidden, {}, 'all')
    expect([status, body.access_modifier]).toEqual([200, access_modifier])
    await expectKept()
  })

  it.each([
    ['access_modifier', 'Hidden', 'This key reads at most Private. Enter that or a lower level.'],
    ['uuid', uuidOf('77'), 'This field cannot be changed.'],
  ])('cannot change %s to %s', async (name, value, message) => {
    const { url } = await postSeries()
    expect(await outcome('PATCH', url, { [name]: value })).toEqual({ status: 400, body: { [name]: [message] } })
  })

  it('needs the whole uuid, in any notation', async () => {
    const { uuid } = await postSeries({ uuid: 'ABCDEF00-0000-4000-8000-00000000ABCD' })
    const detail = `The first characters of a uuid are enough only to read. To write, use ${SERIES}${uuid}/.`
    for (const [method, body] of [['PATCH', {}], ['DELETE']] as const)
      expect(await outcome(method, `${SERIES}abcdef0/`, body)).toEqual({ status: 400, body: { detail } })
    const bare = `${SERIES}${uuid.replaceAll('-', '').toUpperCase()}/`
    expect((await outcome('PATCH', bare, { name: 'y' })).body.name).toBe('y')
    expect((await outcome('DELETE', bare)).status).toBe(204)
  })
})

describe('a DELETE of a series', () => {
  const detail = 'The series has events. To delete the series with its events, add ?events=delete to the address.'

  it('is a 409 if it has events, except with events=delete', async () => {
    const { url, uuid } = await postSeries()
    const { properties } = await postEvent({ event_series: uuid })
    const before = await stored()
    expect(await outcome('DELETE', url)).toEqual({ status: 409, body: { detail } })
    expect(await outcome('DELETE', `${url}?events=all`)).toEqual({
      status: 400,
      body: { events: ['Enter delete, or leave it out.'] },
    })
    expect(await stored()).toBe(before)
    expect(await outcome('DELETE', `${url}?events=delete`)).toEqual({ status: 204, body: null })
    for (const path of [url, properties.url, `${url}?format=json`]) expect((await send(path)).status).toBe(404)
    await expectKept()
    expect((await outcome('DELETE', url)).status).toBe(404)
  })

  it('deletes many events in steps, and the counts are exact after each step', EXHAUSTIVE, async () => {
    const { url, uuid } = await postSeries()
    const [{ id } = {}] = await rows(`SELECT id FROM event_series WHERE uuid = '${uuid}'`)
    const mine = makeEvents(6000, 8, 1_000_000).map((event) => ({ ...event, series: Number(id) }))
    await load([...mine, ...makeEvents(6000, 9, 2_000_000).map((event) => ({ ...event, series: Number(id) }))])
    await env.DB.prepare(
      `CREATE TRIGGER stop BEFORE DELETE ON event WHEN old.id > 2000000 AND old.event_series_id = ${id} BEGIN SELECT raise(ABORT, 'stop'); END`,
    ).run()
    try {
      expect((await outcome('DELETE', `${url}?events=delete`)).status).toBe(503)
    } finally {
      await env.DB.prepare('DROP TRIGGER stop').run()
    }
    const [{ left } = {}] = await rows(`SELECT count(*) AS left FROM event WHERE event_series_id = ${id}`)
    expect(left).toBeGreaterThan(6000)
    expect(left).toBeLessThan(12_000)
    await expectKept()
    expect((await outcome('DELETE', `${url}?events=delete`)).status).toBe(204)
    expect(await rows(`SELECT id FROM event WHERE event_series_id = ${id}`)).toEqual([])
    await expectKept()
  })
})

describe('a write with If-Match', () => {
  it('is a 412 if the data has changed since', async () => {
    const { url } = await postSeries()
    const tag = async () => ({ 'If-Match': (await send(url)).headers.get('ETag') ?? '' })
    const [first, detail] = [
      await tag(),
      'The data has changed since you read it. Read it again, and send the new ETag in If-Match.',
    ]
    expect((await outcome('PATCH', url, { name: 'a' }, first)).status).toBe(200)
    for (const method of ['PATCH', 'DELETE'])
      for (const stale of [first, { 'If-Match': '"x"' }, { 'If-Match': 'W/"1-0-0", "2-0"' }])
        expect(await outcome(method, url, method === 'PATCH' ? { name: 'b' } : undefined, stale)).toEqual({
          status: 412,
          body: { detail },
        })
    expect((await outcome('PATCH', url, { name: 'c' }, { 'If-Match': '*' })).body.name).toBe('c')
    const { 'If-Match': now } = await tag()
    expect((await outcome('DELETE', url, undefined, { 'If-Match': `"x", ${now}` })).status).toBe(204)
  })

  it('is a 412 if a rebuilt database has the same revision', async () => {
    const { url } = await postSeries()
    const tag = { 'If-Match': (await send(url)).headers.get('ETag') ?? '' }
    await env.DB.batch(
      [MAKE_LATER, 'UPDATE event_series SET changed = changed + 1'].map((text) => env.DB.prepare(text)),
    )
    for (const [method, body] of [['PATCH', { name: 'b' }], ['DELETE']] as const)
      expect((await outcome(method, url, body, tag)).status).toBe(412)
    await env.DB.batch(
      [MAKE_EARLIER, 'UPDATE event_series SET changed = changed - 1'].map((text) => env.DB.prepare(text)),
    )
    expect((await outcome('PATCH', url, { name: 'b' }, tag)).status).toBe(200)
  })

  it('succeeds for one of several simultaneous writes', async () => {
    const { url } = await postSeries()
    const tag = { 'If-Match': (await send(url)).headers.get('ETag') ?? '' }
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((name) => outcome('PATCH', url, { name }, tag)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412])
  })
})
