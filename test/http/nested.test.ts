import { beforeAll, describe, expect, it } from 'vitest'
import { ACCESS_LEVELS } from '../../src/base/access.ts'
import type { EventRecord } from '../records.ts'
import { answer, get, headersOf, isoOf, load, ORIGIN, seedEvents, seedSeries, send, walk } from '../service.ts'
import { expectKept, feature, outcome, rows, write } from '../store/writer.ts'
import { splitRows } from '../tags.ts'

beforeAll(() => load())

const SERIES = '/api/v4/eventseries/'
const STORMS = '99fe5d03-893d-5b20-8244-b9189db33e37'
const LIST = `${SERIES}${STORMS}/events/`
const storms = seedEvents.filter(({ series }) => series === 5)
const STAMP = expect.stringMatching(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z$/)

/** Members of an event in version 4. One test below looks at all of them. */
const shown = ({ id, coordinates, object, ...event }: EventRecord, uuid: string, format = '') => ({
  id,
  type: 'Feature',
  geometry: coordinates && { type: 'Point', coordinates },
  properties: {
    ...{ category: event.category, value: event.value, url: `${ORIGIN}${SERIES}${uuid}/events/${id}/${format}` },
    ...{ start: isoOf(event.start), end: isoOf(event.end), last_modified: STAMP },
    ...{ external_id: event.external_id, attributes: event.attributes },
    object: object && { type: object.model, id: object.id },
  },
})

describe('the events of a series', () => {
  // The first caller sees some series, and others not.
  for (const [options, levels] of splitRows(4, ['Private', 'Public', 'Common', 'Hidden'] as const))
    it.each(levels)('with ANONYMOUS_LEVEL %s, by uuid or prefix', options, async (level) => {
      const options = { vars: { ANONYMOUS_LEVEL: level } }
      for (const { id, uuid, access_modifier } of seedSeries) {
        const path = `${SERIES}${uuid}/events/`
        const [first] = seedEvents.filter(({ series }) => series === id)
        if (access_modifier > ACCESS_LEVELS[level]) {
          const short = `${SERIES}${uuid.slice(0, 7)}/events/`
          for (const hidden of [path, short, `${path}${first?.id}/`, `${path}?page=2`, `${path}?format=csv`]) {
            const there = await send(hidden, options)
            const absent = await send(hidden.replace(uuid.slice(0, 7), '0000000'), options)
            expect([there.status, absent.status]).toEqual([404, 404])
            expect([headersOf(there), await there.text()]).toEqual([headersOf(absent), await absent.text()])
          }
          continue
        }
        const expected = seedEvents.filter(({ series }) => series === id)
        const pages = await walk(`${SERIES}${uuid.slice(0, 8)}/events/?page_size=2000`, options)
        expect(pages.flatMap(({ results }) => results)).toMatchObject(expected.map((event) => shown(event, uuid)))
        expect(new Set(pages.map(({ count }) => count))).toEqual(new Set([expected.length]))
        if (first) expect(await get(`${path}${first.id}/`, options)).toMatchObject(shown(first, uuid))
      }
    })

  it('have addresses with their format, and all formats', async () => {
    const [first] = storms
    if (first === undefined) throw new Error('no storms')
    const api = await get(`${LIST}?format=api&page_size=1`)
    expect(api.results).toMatchObject([shown(first, STORMS, '?format=api')])
    const { features } = await get(`${LIST}?format=geojson&page_size=1`)
    const { geometry, properties } = shown(first, STORMS)
    expect(features).toMatchObject([
      {
        ...{ type: 'Feature', id: first.id, geometry },
        properties: {
          ...{ category: properties.category, value: properties.value, start: properties.start, end: properties.end },
          ...{ event_series: STORMS, event_series_name: 'Atlantic storms 2010-2020' },
          ...{ object_type: first.object?.model, object_id: first.object?.id, external_id: null },
          ...{ last_modified: STAMP, url: properties.url, attributes: properties.attributes },
        },
      },
    ])
    const csv = await send(`${LIST}?format=csv&category=hurricane&page_size=all`)
    expect(csv.headers.get('Content-Disposition')).toBe(
      'attachment; filename="events_Atlantic-storms-2010-2020_category-hurricane.csv"',
    )
    expect((await csv.text()).split('\r\n')[0]).toMatch(
      /^id,category,value,value_number,start,end,event_series,.*,url,attributes__name,attributes__wind,attributes__pressure$/,
    )
  })

  it('have the headers of lists, and a 304 for a known tag', async () => {
    const response = await send(LIST)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      allow: 'GET, POST, DELETE, HEAD, OPTIONS',
      'content-type': 'application/json',
      vary: 'Accept',
    })
    const again = await send(LIST, { headers: { 'If-None-Match': response.headers.get('ETag') ?? '' } })
    expect(again.status).toBe(304)
    expect((await send(`${LIST}${storms[0]?.id}/`)).headers.get('Allow')).toBe('GET, PUT, PATCH, DELETE, HEAD, OPTIONS')
    expect((await get(LIST, { method: 'OPTIONS' })).filters).toMatchObject({
      geometry__within: 'geometry',
      start__gte: 'instant',
    })
  })

  it.each<[string, number, object]>([
    [`${SERIES}zz/events/`, 404, { detail: 'Not found.' }],
    [`${LIST}1/`, 404, { detail: 'Not found.' }],
    [`${LIST}?timestamp_start=2018-01-01`, 400, { timestamp_start: ['Unknown parameter. Did you mean start?'] }],
    [`${LIST}?page=0`, 404, { detail: 'Invalid page.' }],
    [`${LIST}?start=x&page=0`, 400, { start: [expect.stringContaining('Enter an instant')] }],
  ])('%s is a %d', async (path, status, body) => {
    expect(await answer(path)).toEqual({ status, body })
  })

  it('without the final slash redirect', async () => {
    const response = await send(LIST.slice(0, -1), { redirect: 'manual' })
    expect([response.status, response.headers.get('Location')]).toEqual([301, LIST])
  })
})

describe('events that are written under their series', () => {
  const MADE = 'a1b2c3d4-0000-4000-8000-000000000001'
  const EVENTS = `${SERIES}${MADE}/events/`
  const made = ({ timestamp_start: _, event_series: __, ...properties }: object & Record<string, unknown> = {}) => ({
    ...feature(),
    properties: { category: 'flood', value: '1', start: '2018-02-07T01:49:14.123Z', ...properties },
  })

  beforeAll(async () => {
    const series = { uuid: MADE, name: 'Floods', observation_type: 1, access_modifier: 'Private' }
    expect((await write('POST', SERIES, series)).status).toBe(201)
  })

  it('are stored and answered in the form of the list', async () => {
    const sent = made({ end: '2018-02-08T00:00:00Z', external_id: 'a' })
    const { status, headers, body } = await write('POST', EVENTS, sent)
    const { body: next } = await write('POST', EVENTS, made())
    expect([status, headers.get('Location')]).toEqual([201, body.properties.url])
    expect(next.properties.last_modified > body.properties.last_modified).toBe(true)
    expect(body).toEqual({
      id: expect.any(Number),
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [5.5, 52.25, 3] },
      properties: {
        ...{ category: 'flood', value: '1', url: `${ORIGIN}${EVENTS}${body.id}/` },
        ...{ start: '2018-02-07T01:49:14.123000Z', end: '2018-02-08T00:00:00Z' },
        ...{ last_modified: STAMP, external_id: 'a', object: null, attributes: null },
      },
    })
    expect(await outcome('GET', `${EVENTS}${body.id}/`)).toEqual({ status: 200, body })
  })

  it.each<[string, string, unknown, number, object]>([
    ['POST', EVENTS, made({ end: '2018-01-01' }), 400, { 'properties.end': ['Enter start or a later time.'] }],
    ['POST', EVENTS, { ...made(), properties: {} }, 400, { 'properties.start': ['This field is required.'] }],
    ['POST', `${SERIES}8b082e6/events/`, made(), 404, { detail: 'Not found.' }],
    ['PATCH', `${EVENTS}1/`, {}, 404, { detail: 'Not found.' }],
    ['DELETE', `${EVENTS}1/`, undefined, 404, { detail: 'Not found.' }],
    ['DELETE', EVENTS, undefined, 400, { all: [expect.stringContaining('Add a filter')] }],
    ['DELETE', `${EVENTS}?category=`, undefined, 400, { all: [expect.stringContaining('Add a filter')] }],
    ['DELETE', `${EVENTS}?categroy=flood`, undefined, 400, { categroy: ['Unknown parameter. Did you mean category?'] }],
    ['DELETE', `${EVENTS}?category=flood&page_size=1`, undefined, 400, { page_size: ['Unknown parameter.'] }],
    ['DELETE', `${EVENTS}?all=yes`, undefined, 400, { all: ['Enter true, or leave it out.'] }],
  ])('%s %s is a 400 or a 404', async (method, path, body, status, told) => {
    expect(await outcome(method, path, body)).toEqual({ status, body: told })
  })

  it('stay if the key cannot write or is missing', async () => {
    expect((await send(`${EVENTS}?all=true`, { method: 'DELETE' })).status).toBe(401)
    expect((await write('DELETE', `${EVENTS}?all=true`, undefined, {}, 'private')).status).toBe(403)
    expect((await write('DELETE', `${EVENTS}?categroy=x&category=flood`)).status).toBe(400)
  })

  it('are deleted by a filter, by id or all at once', async () => {
    const kinds = ['a', 'b', 'b', 'c', 'd', 'd'].map((category, i) => made({ category, start: i * 1000 }))
    const { body } = await write('POST', EVENTS, kinds)
    const categories = 'SELECT text FROM event JOIN category ON category.id = category_id'
    const left = async () => (await rows(`${categories} WHERE event.id >= ${body.ids[0]}`)).map(({ text }) => text)
    const some = `${EVENTS}?category__in=b,x&start__gt=1970-01-01T00:00:01Z`
    expect(await outcome('DELETE', some)).toEqual({ status: 200, body: { deleted: 1 } })
    expect(await left()).toEqual(['a', 'b', 'c', 'd', 'd'])
    expect(await outcome('DELETE', `${EVENTS}${body.ids[0]}/`)).toEqual({ status: 204, body: null })
    expect(await outcome('DELETE', `${EVENTS}?category=none`)).toEqual({ status: 200, body: { deleted: 0 } })
    const tag = (await write('GET', EVENTS)).headers.get('ETag') ?? ''
    await write('DELETE', `${EVENTS}?category=d`)
    expect((await write('DELETE', `${EVENTS}?all=true`, undefined, { 'If-Match': tag })).status).toBe(412)
    expect(await left()).toEqual(['b', 'c'])
    expect(await outcome('DELETE', `${EVENTS}?all=true`)).toEqual({ status: 200, body: { deleted: 4 } })
    expect((await write('GET', EVENTS)).body.count).toBe(0)
    expect(await rows('SELECT count(*) AS n FROM event')).toEqual([{ n: seedEvents.length }])
    await expectKept()
  })

  it('are deleted in steps if there are many', async () => {
    const many = Array.from({ length: 4000 }, (_, i) => made({ start: i, category: 'x' }))
    for (let part = 0; part < 2; part++) await write('POST', EVENTS, many)
    const most = `${EVENTS}?category=x&start__lt=1970-01-01T00:00:03.999Z`
    expect(await outcome('DELETE', most)).toEqual({ status: 200, body: { deleted: 7998 } })
    expect((await write('GET', EVENTS)).body.count).toBe(2)
    await expectKept()
  })
})
