import { beforeAll, describe, expect, it } from 'vitest'
import { accessName, levelOf } from '../src/access.ts'
import {
  answer,
  eventIds,
  get,
  headersOf,
  load,
  type Options,
  seedEvents,
  seedSeries,
  send,
  walk,
  withKey,
} from './service.ts'

beforeAll(() => load())

const V3 = '/api/v3/eventseries/'
const V4 = '/api/v4/eventseries/'
const NOT_FOUND = { status: 404, body: { detail: 'Not found.' } }

const CALLERS: [string, number, () => Options | Promise<Options>][] = [
  ['anyone', 0, () => ({})],
  ['a common key', 100, () => withKey('common')],
  ['a key that reads Private', 200, () => withKey('private')],
  ['a key that reads Hidden', 300, () => withKey('hidden')],
  ['anyone, where ANONYMOUS_LEVEL is Common', 100, () => ({ vars: { ANONYMOUS_LEVEL: 'Common' } })],
  ['anyone, where ANONYMOUS_LEVEL is Hidden', 300, () => ({ vars: { ANONYMOUS_LEVEL: 'Hidden' } })],
]

describe.each(CALLERS)('%s', (_, level, caller) => {
  const series = seedSeries.filter(({ access_modifier }) => access_modifier <= level)
  const seen = new Set(series.map(({ id }) => id))
  const events = seedEvents.filter((event) => seen.has(event.series))
  const namesOf = async (path: string) => {
    const { count, results } = await get(path, await caller())
    expect(count).toBe(results.length)
    return results.map(({ name }: { name: string }) => name)
  }
  const named = (matches: (name: string) => boolean) => series.map(({ name }) => name).filter(matches)

  it('lists its series', async () => {
    for (const path of [V3, V4]) expect(await namesOf(`${path}?page_size=100`)).toEqual(named(() => true))
  })

  it.each([V3, V4])('finds its series by %s', async (path) => {
    expect(await namesOf(`${path}?page_size=100&name__regex=.`)).toEqual(named(() => true))
    expect(await namesOf(`${path}?page_size=100&name__istartswith=earthquakes`)).toEqual(
      named((name) => /^Earthquakes/.test(name)),
    )
    expect(await namesOf(`${path}?page_size=100&ordering=name`)).toEqual(named(() => true).sort())
    for (const { uuid, name } of seedSeries)
      expect(await namesOf(`${path}?uuid=${uuid}`)).toEqual(named((other) => other === name))
  })

  it('finds its series by access modifier', async () => {
    for (const [number, name] of [
      [0, 'Public'],
      [100, 'Common'],
      [200, 'Private'],
      [300, 'Hidden'],
    ] as const) {
      const expected = series.filter(({ access_modifier }) => access_modifier === number).map((each) => each.name)
      expect(await namesOf(`${V4}?page_size=100&access_modifier=${name}`)).toEqual(expected)
    }
  })

  it('finds by id', async () => {
    for (const { id, name } of seedSeries)
      expect(await namesOf(`${V3}?id=${id}`)).toEqual(named((other) => other === name))
  })

  it('opens its series by uuid and by prefix, and no other', async () => {
    for (const path of [V3, V4])
      for (const { id, uuid, name } of seedSeries)
        for (const key of [uuid, uuid.slice(0, 7)]) {
          if (seen.has(id)) expect((await get(`${path}${key}/`, await caller())).name).toBe(name)
          else expect(await answer(`${path}${key}/`, await caller())).toEqual(NOT_FOUND)
        }
  })

  it('a prefix is unique among what it sees', async () => {
    const prefixed = series.filter(({ uuid }) => uuid.startsWith('8'))
    const response = await send(`${V3}8/`, await caller())
    expect(response.status).toBe(prefixed.length === 1 ? 200 : 404)
  })

  it('lists and counts its events', async () => {
    const pages = await walk('/api/v3/events/?page_size=9000&ordering=-timestamp_start', await caller())
    expect(new Set(pages.map(({ count }) => count))).toEqual(new Set([events.length]))
    const expected = [...events].sort((a, b) => b.start - a.start || a.id - b.id).map(({ id }) => id)
    expect(pages.flatMap(({ results }) => results.map(({ id }: { id: number }) => id))).toEqual(expected)
  })

  it.each([
    ['category=earthquake', (event: (typeof seedEvents)[number]) => event.category === 'earthquake'],
    ['category__regex=^earth', ({ category }) => category.startsWith('earth')],
    ['object_type__model=storm', ({ object }) => object?.model === 'storm'],
    ['event_series__name__iregex=^earthquakes', ({ series }) => series <= 4],
    ['event_series__name__icontains=DEPRESSION', ({ series }) => series === 7],
    ['event_series=a', ({ series }) => series === 3 || series === 4],
    ['event_series=8b082e6,af2933f', ({ series }) => series === 7 || series === 4],
    [
      'geom_within=POLYGON((-90+10,-50+10,-50+40,-90+40,-90+10))',
      ({ coordinates }) => {
        const [x = 0, y = 0] = coordinates ?? []
        return x > -90 && x < -50 && y > 10 && y < 40
      },
    ],
  ] satisfies [string, (event: (typeof seedEvents)[number]) => boolean][])(
    'finds its events by %s',
    async (query, matches) => {
      expect(await eventIds(query, await caller())).toEqual(events.filter(matches).map(({ id }) => id))
    },
  )

  it.each(seedSeries.map(({ id, uuid, name }) => [name, id, uuid] as const))(
    '%s, or nothing of it',
    async (name, id, uuid) => {
      const expected = events.filter((event) => event.series === id).map((event) => event.id)
      for (const filter of [
        `event_series=${uuid}`,
        `event_series=${uuid.slice(0, 7)}`,
        `event_series__name=${encodeURIComponent(name)}`,
      ])
        expect(await eventIds(filter, await caller())).toEqual(expected)
      const event = seedEvents.find((each) => each.series === id)
      const { status } = await send(`/api/v3/events/${event?.id}/`, await caller())
      expect(status).toBe(seen.has(id) ? 200 : 404)
    },
  )
})

describe('what a caller may not see is as what there is not', () => {
  it.each([
    ['/api/v3/events/?event_series=8b082e61', '/api/v3/events/?event_series=00000000'],
    ['/api/v3/events/?event_series__name=Earthquakes+worldwide', '/api/v3/events/?event_series__name=Nothing'],
    [`${V4}8b082e6/`, `${V4}0000000/`],
    [`${V3}?id=7`, `${V3}?id=99`],
    [`${V4}?name__regex=depression`, `${V4}?name__regex=nothing`],
    ['/api/v3/events/?event_series=8b082e61&page=2', '/api/v3/events/?event_series=00000000&page=2'],
    [
      '/api/v3/events/?event_series=8b082e61&page=last&page_size=0',
      '/api/v3/events/?event_series=00000000&page=last&page_size=0',
    ],
  ])('%s', async (hidden, absent) => {
    const [a, b] = [await send(hidden), await send(absent)]
    expect([a.status, headersOf(a), await a.text()]).toEqual([b.status, headersOf(b), await b.text()])
  })
})

describe('access modifiers', () => {
  it.each([
    [0, 'Public', 'public'],
    [100, 'Common', 'COMMON'],
    [200, 'Private', 'private'],
    [300, 'Hidden', 'hIDDEN'],
  ])('%j is %s', (number, name, anyCase) => {
    expect([accessName(number), levelOf(name), levelOf(anyCase)]).toEqual([name, number, number])
  })

  it('others are none', () => {
    expect([accessName(50), levelOf(''), levelOf('constructor'), levelOf('0')]).toEqual([undefined, null, null, null])
  })
})
