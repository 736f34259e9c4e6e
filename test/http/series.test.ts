import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { random } from '../bench/events.ts'
import { openDataCentre } from '../isolates.ts'
import { bearer, load, send, sendToEdge } from '../service.ts'
import { EVENTS, feature, rows, SERIES, write } from '../store/writer.ts'
import { splitRows } from '../tags.ts'
import {
  all,
  eventOf,
  KINDS,
  type Level,
  moved,
  NAMES,
  newEvent,
  newSeries,
  nextId,
  type Subject,
  seenBy,
  seriesOf,
  typeOf,
  uuidOf,
  writes,
} from './writes.ts'

/** The series 1 to 4 have the four levels, and so have 5 to 8. The events 11 to 18 and 31 to 38 belong to them. */
const subjectOf = (level: Level, more = 0): Subject => {
  const id = 1 + NAMES.indexOf(level) + more
  return { id, level, event: 10 + id }
}
const SUBJECTS = NAMES.flatMap((level) => [subjectOf(level), subjectOf(level, 4)])
const [ONE, OTHER] = [subjectOf('Public'), subjectOf('Public', 4)]

const addressesOf = ({ id, event }: Subject) => [
  `${SERIES}${uuidOf(id)}/`,
  `${SERIES}${uuidOf(id)}/events/`,
  `${SERIES}${uuidOf(id)}/events/?category__icontains=fl&page_size=1`,
  `${SERIES}${uuidOf(id)}/events/${event}/`,
  `${EVENTS}?event_series=${uuidOf(id)}`,
  `${EVENTS}?event_series=${uuidOf(id).toUpperCase().replaceAll('-', '')}&category__icontains=fl&format=csv`,
  `${EVENTS}?event_series=${uuidOf(id)}&geom_within=POLYGON((0+0,20+1,20+60,1+60,0+0))`,
  `${EVENTS}summary/?facets=category&event_series=${uuidOf(id)}`,
  `/ogc/collections/events/items?event_series=${uuidOf(id)}`,
  `/ogc/collections/events/tiles/WebMercatorQuad/1/1/0?event_series=${uuidOf(id)}`,
]

/** Answers about several series. */
const OF_ALL = [
  `${EVENTS}?ordering=-timestamp_start&page_size=2`,
  `${EVENTS}?category__icontains=fl&duration__gte=0&timestamp_start__gte=1970-01-01`,
  `${EVENTS}?geom_within=POLYGON((0+0,20+1,20+60,1+60,0+0))`,
  `${EVENTS}summary/?facets=category`,
  ...[SERIES, '/api/v3/observationtypes/', '/ogc/collections'],
  '/ogc/collections/events/items?limit=3',
  '/ogc/collections/events/tiles/WebMercatorQuad/1/1/0',
]

beforeAll(async () => {
  await load([typeOf(1), ...SUBJECTS.map(({ id, level }) => seriesOf(id, level))])
  await load(SUBJECTS.flatMap(({ id, event }) => [eventOf(event, id), eventOf(event + 20, id)]))
})
beforeEach(() => {
  vi.spyOn(console, 'error').mockReturnValue()
})
afterEach(() => vi.restoreAllMocks())

/** The addresses that change an event or a series, and a body for each. */
const writableOf = ({ id, event }: Subject): readonly [path: string, body: () => object][] => [
  [`${EVENTS}${event}/`, () => ({ properties: { value: String(nextId()) } })],
  [`/ogc/collections/events/items/${event}`, () => ({ properties: { value: String(nextId()) } })],
  [`${SERIES}${uuidOf(id)}/`, () => ({ description: String(nextId()) })],
  [`/api/v3/eventseries/${uuidOf(id)}/`, () => ({ description: String(nextId()) })],
  [`/ogc/collections/eventseries/items/${id}`, () => ({ properties: { description: String(nextId()) } })],
]

/** Stores an event in the other series, as a feed does. */
const feed = () => writes('POST', EVENTS, feature({ event_series: OTHER.id, value: String(nextId()) }))

describe('If-Match with the tag of an item', () => {
  const send = (method: string, path: string, tag: string, body?: object) =>
    write(method, path, body, { 'If-Match': tag }, all).then(({ status }) => status)

  it.each(writableOf(ONE))('%s is written beside a feed to another series', async (path, body) => {
    for (const level of ['Public', 'Hidden'] as const) {
      const { tag } = await seenBy(level, path)
      for (let i = 0; i < 3; i++) await feed()
      expect((await seenBy(level, path, undefined, { 'If-None-Match': tag })).status).toBe(304)
      expect((await seenBy(level, path, undefined, { 'If-Match': tag })).status).toBe(200)
      expect(await send('PATCH', path, tag, body())).toBe(200)
      expect((await seenBy(level, path, undefined, { 'If-Match': tag })).status).toBe(412)
      for (const method of ['PATCH', 'PUT', 'DELETE'])
        expect(await send(method, path, tag, method === 'DELETE' ? undefined : body())).not.toBe(200)
      expect(await send('PATCH', path, tag, body())).toBe(412)
    }
  })

  it.each(writableOf(ONE))(
    '%s is written though the feed writes before each batch, but not twice',
    async (path, body) => {
      const patchBefore = async (meanwhile: () => Promise<unknown>) => {
        const { tag } = await seenBy('Public', path)
        let isOpen = true
        const { ask } = openDataCentre().isolate(async (real) => {
          if (isOpen) await meanwhile()
          return real()
        })
        const headers = { ...bearer('all'), 'Content-Type': 'application/json', 'If-Match': tag }
        const { status } = await ask(path, { method: 'PATCH', headers, body: JSON.stringify(body()) })
        isOpen = false
        return status
      }
      expect(await patchBefore(feed)).toBe(200)
      let trips = 0
      const change = async () => {
        trips += 1
        if (trips === 2) expect((await write('PATCH', path, body(), {}, all)).status).toBe(200)
      }
      expect([await patchBefore(change), trips >= 2]).toEqual([412, true])
    },
  )

  it('an event is written beside a feed to its own series, and that changes the series', async () => {
    const [[event = '', ofEvent] = [], , [series = '', ofSeries] = []] = writableOf(ONE)
    const [{ tag }, { tag: other }] = [await seenBy('Public', event), await seenBy('Public', series)]
    await writes('POST', EVENTS, feature({ event_series: ONE.id, value: String(nextId()) }))
    expect(await send('PATCH', event, tag, ofEvent?.())).toBe(200)
    expect(await send('PATCH', series, other, ofSeries?.())).toBe(412)
  })

  it('belongs to one item: another one is a 412, and so is a list', async () => {
    const { tag } = await seenBy('Public', `${EVENTS}${OTHER.event}/`)
    const { tag: ofSeries } = await seenBy('Public', `${SERIES}${uuidOf(ONE.id)}/`)
    await writes('PATCH', `${EVENTS}${ONE.event}/`, { properties: { value: String(nextId()) } })
    for (const sent of [tag, ofSeries]) {
      expect(await send('PATCH', `${EVENTS}${ONE.event}/`, sent, { properties: { value: 'x' } })).toBe(412)
      expect(await send('DELETE', `${SERIES}${uuidOf(ONE.id)}/events/?external_id=none`, sent)).toBe(412)
    }
  })

  it('a list of tags, and the tag of a list, count too', async () => {
    const [[path = '', body] = []] = writableOf(ONE)
    const { tag } = await seenBy('Public', path)
    const { tag: old } = await seenBy('Public', EVENTS)
    await feed()
    expect(await send('PATCH', path, old, body?.())).toBe(412)
    expect(await send('PATCH', path, `"x", ${old}, ${tag}`, body?.())).toBe(200)
    expect(await send('PATCH', path, (await seenBy('Public', EVENTS)).tag, body?.())).toBe(200)
  })

  it('a body that changes nothing and a delete compare it too', async () => {
    const url = `${SERIES}${uuidOf(ONE.id)}/`
    const { tag } = await seenBy('Public', url)
    await writes('PATCH', url, { description: 'y' })
    expect(await send('PATCH', url, tag, { description: 'y' })).toBe(412)
    expect(await send('DELETE', url, tag)).toBe(412)
    const id = await newSeries('Public', 1)
    const { tag: now } = await seenBy('Public', `${SERIES}${uuidOf(id)}/`)
    expect(await send('DELETE', `${SERIES}${uuidOf(id)}/?events=delete`, now)).toBe(204)
  })
})

it('the tag of an event changes if its answer shows a new name of the series, and still lets it be written', async () => {
  const path = `${EVENTS}${ONE.event}/`
  const [{ tag: csv }, { tag }] = [await seenBy('Public', `${path}?format=csv`), await seenBy('Public', path)]
  await writes('PATCH', `${SERIES}${uuidOf(ONE.id)}/`, { name: `Renamed ${nextId()}` })
  const statusOf = async (address: string, sent: string) =>
    (await seenBy('Public', address, undefined, { 'If-None-Match': sent })).status
  expect([await statusOf(`${path}?format=csv`, csv), await statusOf(path, tag)]).toEqual([200, 304])
  const { status } = await write('PATCH', path, { properties: { value: 'x' } }, { 'If-Match': csv }, all)
  expect(status).toBe(200)
})

describe('a series that comes and goes', () => {
  const event = (id: number) => eventOf(id, id)
  const ask = async (path: string, tag: string) =>
    (await seenBy('Public', path, sendToEdge, { 'If-None-Match': tag })).status
  /** Lists and summaries are empty without their series. The others belong to it. The fourth is an event. */
  const statuses = (isThere: boolean, ofEvent = 200) =>
    addressesOf(ONE).map((_, i) => {
      if (isThere) return i === 3 ? ofEvent : 200
      return i > 3 ? 200 : 404
    })

  /** `ofEvent` is the status of the event with its first tag. Its answer is the same if only the series was hidden. */
  it.each<[string, ofEvent: number, (id: number) => Promise<unknown>, (id: number) => Promise<unknown>]>([
    [
      'hidden, then visible',
      304,
      (id) => writes('PATCH', `${SERIES}${uuidOf(id)}/`, { access_modifier: 'Hidden' }),
      (id) => writes('PATCH', `${SERIES}${uuidOf(id)}/`, { access_modifier: 'Public' }),
    ],
    [
      'deleted, then loaded with the same ids',
      200,
      (id) => writes('DELETE', `${SERIES}${uuidOf(id)}/?events=delete`),
      (id) => load([seriesOf(id, 'Public'), event(id)]),
    ],
    [
      'deleted, then loaded with another id',
      200,
      (id) => writes('DELETE', `${SERIES}${uuidOf(id)}/?events=delete`),
      (id, other = nextId()) => load([{ ...seriesOf(other, 'Public'), uuid: uuidOf(id) }, eventOf(id, other)]),
    ],
  ])('%s', async (_, ofEvent, hide, show) => {
    const id = await newSeries('Public')
    await load([event(id)])
    const paths = addressesOf({ id, level: 'Public', event: id })
    const tagsOf = () => Promise.all(paths.map(async (path) => (await seenBy('Public', path, sendToEdge)).tag))
    const first = await tagsOf()
    await hide(id)
    const without = await tagsOf()
    expect(await Promise.all(paths.map((path, i) => ask(path, first[i] ?? '')))).toEqual(statuses(false))
    await show(id)
    for (const tags of [first, without]) {
      const expected = statuses(true, tags === first ? ofEvent : 200)
      expect(await Promise.all(paths.map((path, i) => ask(path, tags[i] ?? '')))).toEqual(expected)
    }
  })

  it('a tile of a deleted series is a 404, though its filter names another one', async () => {
    const id = await newSeries('Public', 1)
    const path = `/ogc/collections/events-${uuidOf(id)}/tiles/WebMercatorQuad/1/1/0?event_series=${uuidOf(1)}`
    const { ask } = openDataCentre().isolate()
    expect((await seenBy('Public', path, ask)).status).toBe(200)
    await writes('DELETE', `${SERIES}${uuidOf(id)}/?events=delete`)
    expect((await seenBy('Public', path, sendToEdge)).status).toBe(404)
  })
})

/** Removes the hints, because their estimates may be from an earlier state. */
const unhinted = (body: string): string => body.replaceAll(/hint=[\w-]+/g, '')

for (const [options, [rounds = 0]] of splitRows(2, [10, 60]))
  it('an answer with an equal tag is equal byte for byte, and equals that of a new isolate', options, async () => {
    const next = random(31)
    const pick = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)] as T // no list is empty
    const bodies = new Map<string, string>()
    const keyOf = (request: object | undefined, tag: string) => `${JSON.stringify(request)} ${tag}`
    let [kept, held] = [0, 0]
    for (let i = 0; i < rounds; i++) {
      const requests = [0, 1, 2, 3].map(() => ({
        level: pick(NAMES),
        path: pick(pick([addressesOf(pick(SUBJECTS)), OF_ALL])),
      }))
      const earlier = await Promise.all(requests.map(({ level, path }) => seenBy(level, path)))
      for (const [j, { tag, status, body }] of earlier.entries())
        if (status === 200) bodies.set(keyOf(requests[j], tag), unhinted(body))
      const written = pick(SUBJECTS)
      const move = async () => {
        const event = await newEvent(written.id)
        return () => writes('PATCH', `${EVENTS}${event}/`, moved(event, pick(SUBJECTS).id))
      }
      const hide = async () => () =>
        writes('PATCH', `${SERIES}${uuidOf(written.id)}/`, { access_modifier: pick(NAMES) })
      await (await pick([...Object.values(KINDS), move, hide, async () => () => load([typeOf(nextId())])])(written))()
      for (const [j, { level, path }] of requests.entries()) {
        const { tag = '' } = earlier[j] ?? {}
        const { status: again } = await seenBy(level, path, send, { 'If-None-Match': tag })
        const [answer, fresh] = [await seenBy(level, path), await seenBy(level, path, sendToEdge)]
        const key = keyOf({ level, path }, answer.tag)
        expect([again === 304, fresh.status], key).toEqual([answer.tag !== '' && answer.tag === tag, answer.status])
        if (again === 304) held += 1
        if (answer.status !== 200) continue
        const before = bodies.get(key)
        if (before !== undefined) kept += 1
        expect(unhinted(answer.body), key).toBe(before ?? unhinted(fresh.body))
        expect(unhinted(fresh.body), key).toBe(unhinted(answer.body))
        bodies.set(key, unhinted(answer.body))
      }
    }
    expect(kept).toBeGreaterThan(rounds < 60 ? 5 : 50)
    expect(held).toBeGreaterThan(rounds < 60 ? 5 : 50)
  })

it('the row of a series has the revision of its own writes', async () => {
  const id = await newSeries('Public')
  const revision = async () => (await rows(`SELECT revision FROM event_series WHERE id = ${id}`))[0]?.revision
  expect(await revision()).toBe(0)
  await writes('PATCH', `${SERIES}${uuidOf(id)}/`, { description: 'x' })
  await KINDS['PATCH of an event']?.(OTHER).then((change) => change())
  expect(await revision()).toBe(1)
})
