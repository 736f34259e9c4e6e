import { beforeAll, describe, expect, it } from 'vitest'
import { countingDatabase } from '../isolates.ts'
import { apiKeys, bearer, load, send, withKey } from '../service.ts'
import { EVENTS, feature, outcome, SERIES, stored, write } from '../store/writer.ts'
import { RECORDS, REFUSED, uuidsOf } from './seriesOfKeys.ts'

// The key `feed` writes series 1 and 2. Series 3 and 4 are of others. It does not see series 5 and 8. Its beginnings name
// the hidden series 8, and also begin the uuids of series 6 and 7.

beforeAll(() => load(RECORDS))

const listOf = (series: number) => `${SERIES}${uuidsOf(series)}/events/`
const featuresOf = (series: number) => `/ogc/collections/events-${uuidsOf(series)}/items`
const seriesAt = (series: number) => `${SERIES}${uuidsOf(series)}/`
const of = (event_series: number | string, more: object = {}) => feature({ event_series, ...more })
const item = (series: number, number = 0) => `${EVENTS}${10 * series + number}/`
const inOgc = (series: number, more: object = {}) =>
  feature({ event_series: uuidsOf(series), timestamp_start: '2020-01-01T00:00:00Z', ...more })
const moved = (event_series: number) => ({ properties: { event_series } })
const SERIES_BODY = { name: 'x', observation_type: 1 }

describe('a key for some series writes', () => {
  it.each<[string, number, string, string, unknown?]>([
    ['a new event', 201, 'POST', EVENTS, of(1)],
    ['a new event of a series that is named by more digits', 201, 'POST', EVENTS, of(2)],
    ['an event by the uuid of its series', 201, 'POST', EVENTS, of(uuidsOf(1))],
    ['events of both series', 201, 'POST', EVENTS, [of(1), of(2)]],
    [
      'an event at the list of its series',
      201,
      'POST',
      listOf(1),
      feature({ start: 1, event_series: undefined, timestamp_start: undefined }),
    ],
    [
      'an event by its external id',
      200,
      'POST',
      EVENTS,
      of(1, { external_id: 'e1', value: 'new', timestamp_start: 1 }),
    ],
    ['an external id that another series has', 201, 'POST', EVENTS, of(2, { external_id: 'only 3' })],
    ['a feature', 201, 'POST', '/ogc/collections/events/items', inOgc(1)],
    ['a feature of its series', 201, 'POST', featuresOf(1), inOgc(1)],
    ['a change', 200, 'PATCH', item(1, 1), { properties: { value: 'changed' } }],
    ['a replacement', 200, 'PUT', item(1, 1), of(1)],
    ['a move between its series', 200, 'PATCH', item(1), moved(2)],
    ['a deletion', 204, 'DELETE', item(1, 3)],
    ['a deletion by a filter', 200, 'DELETE', `${listOf(1)}?external_id=e4`],
    ['a description', 200, 'PATCH', `${seriesAt(1)}metadata/`, { source: 'me' }],
    ['a whole description', 200, 'PUT', `${seriesAt(1)}metadata/`, { source: 'me again' }],
  ])('%s', async (_, status, method, path, body) => {
    const before = await stored()
    const answer = await outcome(method, path, body, {}, 'feed')
    expect([answer.status, answer.body]).toEqual([status, status === 204 ? null : expect.anything()])
    expect(await stored()).not.toBe(before)
  })
})

describe('a key for some series gets a 403 that names them for', () => {
  it.each<[string, string, string, unknown?]>([
    ['an event of another series', 'POST', EVENTS, of(3)],
    ['an event of another series among its own', 'POST', EVENTS, [of(1), of(3)]],
    [
      'an event at the list of another series',
      'POST',
      listOf(3),
      feature({ start: 1, event_series: undefined, timestamp_start: undefined }),
    ],
    ['an external id of another series', 'POST', EVENTS, of(3, { external_id: 'only 3', timestamp_start: 1 })],
    ['a series whose beginning names another one too', 'POST', EVENTS, of(6)],
    ['a feature of another series', 'POST', featuresOf(4), inOgc(4)],
    ['a change in another series', 'PATCH', item(3), { properties: { value: 'changed' } }],
    ['no change in another series', 'PATCH', item(3), {}],
    ['a replacement in another series', 'PUT', item(4), of(4)],
    ['a move out of its series', 'PATCH', item(1), moved(3)],
    ['a move into its series', 'PATCH', item(3), moved(1)],
    ['a replacement that moves', 'PUT', item(3), of(1)],
    ['a feature that moves', 'PATCH', `/ogc/collections/events/items/10`, { properties: { event_series: uuidsOf(3) } }],
    ['a deletion in another series', 'DELETE', item(3)],
    ['a deletion of a feature in another series', 'DELETE', `${featuresOf(3)}/30`],
    ['a deletion by a filter in another series', 'DELETE', `${listOf(3)}?external_id=e4`],
    ['a deletion of all events of another series', 'DELETE', `${listOf(4)}?all=true`],
    ['a description of another series', 'PATCH', `${seriesAt(3)}metadata/`, { source: 'me' }],
    ['a new series', 'POST', SERIES, SERIES_BODY],
    [
      'a new series with one of its beginnings',
      'POST',
      SERIES,
      { ...SERIES_BODY, uuid: 'aaaaaaaa-9999-4000-8000-000000000000' },
    ],
    ['a new series as a feature', 'POST', '/ogc/collections/eventseries/items', SERIES_BODY],
    ['the level of its own series', 'PATCH', seriesAt(1), { access_modifier: 'Public' }],
    ['its own series as a feature', 'PATCH', '/ogc/collections/eventseries/items/1', { properties: { name: 'x' } }],
    ['the deletion of its own series', 'DELETE', `${seriesAt(1)}?events=delete`],
    ['a new type', 'POST', '/api/v4/observationtypes/', { code: 'x', name: 'x' }],
  ])('%s', async (_, method, path, body) => {
    const before = await stored()
    const answer = await outcome(method, path, body, {}, 'feed')
    expect(answer).toEqual({ status: 403, body: expect.objectContaining({ detail: REFUSED }) })
    expect(await stored()).toBe(before)
  })
})

describe('to a key for some series, a hidden series looks like a missing one', () => {
  const asked = (series: number): [string, string, unknown?][] => [
    ['POST', EVENTS, of(series)],
    ['POST', EVENTS, of(uuidsOf(series))],
    ['POST', EVENTS, [of(1), of(series, { external_id: 'e1' })]],
    ['POST', listOf(series), feature()],
    ['POST', featuresOf(series), inOgc(series)],
    ['PATCH', item(series), { properties: { value: 'x' } }],
    ['PATCH', item(1), moved(series)],
    ['PATCH', item(3), moved(series)],
    ['DELETE', item(series)],
    ['DELETE', `${listOf(series)}?all=true`],
    ['PATCH', seriesAt(series), { name: 'x' }],
    ['DELETE', `${seriesAt(series)}?events=delete`],
    ['PATCH', `${seriesAt(series)}metadata/`, { source: 'x' }],
  ]
  // The key names the hidden series 8, and 7 only together with 6.
  const answersAbout = async (series: number) => {
    const answers = []
    for (const each of asked(series)) answers.push(await outcome(...each, {}, 'feed'))
    return JSON.stringify(answers).replaceAll(uuidsOf(series), 'UUID').replaceAll(`series ${series}`, 'series N')
  }

  it.each([5, 7, 8])('%i', async (series) => {
    const before = await stored()
    expect(await answersAbout(series)).toBe(await answersAbout(99))
    expect(await stored()).toBe(before)
  })
})

describe('an Idempotency-Key', () => {
  it('belongs to one key', async () => {
    const body = of(1, { value: 'repeated' })
    const ids = []
    for (const key of ['all', 'feed', 'feed', 'all'] as const)
      ids.push((await write('POST', EVENTS, body, { 'Idempotency-Key': 'k' }, key)).body.id)
    expect([ids[2], ids[3], ids[0] === ids[1]]).toEqual([ids[1], ids[0], false])
  })

  it('is free again after a refused post', async () => {
    const post = (series: number) => outcome('POST', EVENTS, of(series), { 'Idempotency-Key': 'again' }, 'feed')
    expect([(await post(3)).status, (await post(1)).status, (await post(3)).status]).toEqual([403, 201, 422])
  })
})

it('a beginning without a series names one that comes later, and none after a second one', async () => {
  const API_KEYS = (await apiKeys()).replace('"aaaaaaaa"', '"77777777"')
  const post = async (id: number) =>
    (
      await send(EVENTS, {
        method: 'POST',
        body: JSON.stringify(of(id)),
        headers: { ...bearer('feed'), 'Content-Type': 'application/json' },
        vars: { API_KEYS },
      })
    ).status
  const make = async (uuid: string): Promise<number> => {
    await write('POST', SERIES, { ...SERIES_BODY, uuid, access_modifier: 'Public' }, {}, 'all')
    return (await write('GET', `/ogc/collections/eventseries/items?uuid=${uuid}`)).body.features[0].id
  }
  const first = await make('77777777-0000-4000-8000-000000000000')
  expect(await post(first)).toBe(201)
  const second = await make('77777777-0000-4000-8000-000000000001')
  expect([await post(first), await post(second)]).toEqual([403, 403])
})

it('a key for all series sends no statement more', async () => {
  const costOf = async (key: 'writer' | 'feed') => {
    const { cost, DB } = countingDatabase()
    const { headers, vars } = await withKey(key)
    const options = {
      method: 'POST',
      body: JSON.stringify(of(1)),
      headers: { ...headers, 'Content-Type': 'application/json' },
    }
    expect((await send(EVENTS, { ...options, vars: { ...vars, DB } })).status).toBe(201)
    return cost
  }
  await costOf('writer')
  const [all, some] = [await costOf('writer'), await costOf('feed')]
  expect([all.trips, some.trips]).toEqual([2, 3])
  expect(some.rows - all.rows).toBeLessThan(20)
})
