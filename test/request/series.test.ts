import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { recount } from '../../seed/load/indexes.ts'
import { random } from '../bench/events.ts'
import { openDataCentre } from '../isolates.ts'
import { load, send, sendToEdge } from '../service.ts'
import { EVENTS, rows, SERIES, write } from '../store/writer.ts'
import {
  age,
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
const SUMMARY = addressesOf(ONE)[7] as string // there are ten
const stateIn = (tag: string): string | undefined => /^W\/"([^-]+-[^-]+)-/.exec(tag)?.[1]
const seriesIn = (tag: string): string | undefined => /^W\/"\d+(?:\.(\d+))?-/.exec(tag)?.[1]

beforeAll(async () => {
  await load([typeOf(1), ...SUBJECTS.map(({ id, level }) => seriesOf(id, level))])
  await load(SUBJECTS.flatMap(({ id, event }) => [eventOf(event, id), eventOf(event + 20, id)]))
})
beforeEach(() => {
  vi.spyOn(console, 'error').mockReturnValue()
})
afterEach(() => vi.restoreAllMocks())

describe('the tag of an answer about one series names that series', () => {
  it.each(NAMES.flatMap((level) => addressesOf(subjectOf(level)).map((path) => [level, path] as const)))(
    '%s: %s',
    async (level, path) => {
      expect(seriesIn((await seenBy(level, path)).tag)).toBe(String(subjectOf(level).id))
    },
  )

  it.each([
    EVENTS,
    SERIES,
    `${SERIES}00000001-0000-4000-8000-0/`,
    `${EVENTS}11/`,
    `${EVENTS}?event_series=00000001-0000-4000-8000-0`,
    `${EVENTS}?event_series=${uuidOf(1)},${uuidOf(5)}`,
    `${EVENTS}?event_series=${uuidOf(9)}`,
    `${EVENTS}?event_series=${uuidOf(4)}`,
    `${EVENTS}summary/?event_series=`,
    '/api/v3/observationtypes/',
    `/ogc/collections/events-${uuidOf(1)}/items?event_series=${uuidOf(1)}`,
    `/ogc/collections/events-${uuidOf(1)}/tiles/WebMercatorQuad/1/1/0?event_series=${uuidOf(1)}`,
  ])('but not for %s', async (path) => {
    expect(await seenBy('Public', path)).toMatchObject({ status: 200, tag: expect.stringMatching(/^W\/"\d+-/) })
  })
})

/** Removes the hints, because their estimates may be from an earlier state. */
const unhinted = (body: string): string => body.replaceAll(/hint=[\w-]+/g, '')

/** Expects that a write changes the answers about some series, and no others. */
const expectChange = async (level: Level, changed: readonly Subject[], change: () => Promise<unknown>) => {
  await age()
  const subjects = [subjectOf(level), subjectOf(level, 4)]
  const clock = vi.spyOn(Date, 'now')
  const read = async () => {
    clock.mockReturnValue(performance.timeOrigin + performance.now() + 10_000)
    const found = await Promise.all(
      subjects.flatMap((subject) =>
        addressesOf(subject).map(async (path) => ({ subject, path, ...(await seenBy(level, path)) })),
      ),
    )
    clock.mockRestore()
    return found
  }
  const before = await read()
  await change()
  const ids = changed.map(({ id }) => id)
  for (const [i, after] of (await read()).entries()) {
    const { subject, path, tag, modified } = before[i] as (typeof before)[number] // both have the same requests
    const isChanged = ids.includes(subject.id)
    expect([path, after.tag !== tag, after.modified !== modified]).toEqual([path, isChanged, isChanged])
    if (!isChanged) expect(unhinted(after.body)).toBe(unhinted(before[i]?.body ?? ''))
    expect([path, (await seenBy(level, path, send, { 'If-None-Match': tag })).status]).toEqual([
      path,
      isChanged ? 200 : 304,
    ])
  }
}

/** These writes create or delete another series. */
const OF_OTHERS = ['POST of a series', 'DELETE of a series', 'DELETE of a series with events', 'a load of a series']

describe('a write changes the answers about its series alone', () => {
  it.each(
    Object.entries(KINDS).flatMap(([kind, prepare]) =>
      (['Public', 'Hidden'] as const).map((level) => ({ kind, level, prepare })),
    ),
  )('$kind: $level', async ({ kind, level, prepare }) => {
    const subject = subjectOf(level)
    await expectChange(level, OF_OTHERS.includes(kind) ? [] : [subject], await prepare(subject))
  })

  it('an event that moves changes both series', async () => {
    const event = await newEvent(ONE.id)
    await expectChange('Public', [ONE, OTHER], () => writes('PATCH', `${EVENTS}${event}/`, moved(event, OTHER.id)))
    const next = await newEvent(subjectOf('Hidden').id)
    await expectChange('Public', [OTHER], () => writes('PATCH', `${EVENTS}${next}/`, moved(next, OTHER.id)))
  })

  it('a post that changes nothing, and a repeated one, change no series', async () => {
    const event = { type: 'Feature', geometry: null, properties: { category: 'x', value: '1', timestamp_start: 1000 } }
    const body = { ...event, properties: { ...event.properties, event_series: 1, external_id: 'once' } }
    const post = () => write('POST', EVENTS, body, { 'Idempotency-Key': 'once' }, all)
    await expectChange('Public', [ONE], post)
    await expectChange('Public', [], post)
    await expectChange('Public', [], () => writes('POST', EVENTS, body))
  })

  it.each<[string, () => Promise<unknown>]>([
    ['an observation type', () => writes('POST', '/api/v4/observationtypes/', { code: `t${nextId()}`, name: 'x' })],
    ['a load with an observation type', () => load([typeOf(nextId())])],
    ['a recount', () => recount(env.DB)],
  ])('%s changes all', (_, change) => expectChange('Public', [ONE, OTHER], change))
})

describe('a series that comes and goes', () => {
  const event = (id: number) => eventOf(id, id)
  const ask = async (path: string, tag: string) =>
    (await seenBy('Public', path, sendToEdge, { 'If-None-Match': tag })).status
  /** Lists and summaries are empty without their series. The others belong to it. */
  const statuses = (isThere: boolean) => addressesOf(ONE).map((_, i) => (isThere || i > 3 ? 200 : 404))

  it.each<[string, (id: number) => Promise<unknown>, (id: number) => Promise<unknown>]>([
    [
      'hidden, then visible',
      (id) => writes('PATCH', `${SERIES}${uuidOf(id)}/`, { access_modifier: 'Hidden' }),
      (id) => writes('PATCH', `${SERIES}${uuidOf(id)}/`, { access_modifier: 'Public' }),
    ],
    [
      'deleted, then loaded with the same ids',
      (id) => writes('DELETE', `${SERIES}${uuidOf(id)}/?events=delete`),
      (id) => load([seriesOf(id, 'Public'), event(id)]),
    ],
    [
      'deleted, then loaded with another id',
      (id) => writes('DELETE', `${SERIES}${uuidOf(id)}/?events=delete`),
      (id, other = nextId()) => load([{ ...seriesOf(other, 'Public'), uuid: uuidOf(id) }, eventOf(id, other)]),
    ],
  ])('%s', async (_, hide, show) => {
    const id = await newSeries('Public')
    await load([event(id)])
    const paths = addressesOf({ id, level: 'Public', event: id })
    const tagsOf = () => Promise.all(paths.map(async (path) => (await seenBy('Public', path, sendToEdge)).tag))
    const first = await tagsOf()
    await hide(id)
    const without = await tagsOf()
    expect(await Promise.all(paths.map((path, i) => ask(path, first[i] ?? '')))).toEqual(statuses(false))
    await show(id)
    for (const tags of [first, without])
      expect(await Promise.all(paths.map((path, i) => ask(path, tags[i] ?? '')))).toEqual(statuses(true))
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

it('an answer with an equal tag is equal byte for byte, and equals that of a new isolate', async () => {
  const next = random(31)
  const pick = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)] as T // no list is empty
  const bodies = new Map<string, string>()
  const keyOf = (request: object | undefined, tag: string) => `${JSON.stringify(request)} ${tag}`
  let [kept, held] = [0, 0]
  for (let i = 0; i < 40; i++) {
    const requests = [0, 1, 2, 3].map(() => ({ level: pick(NAMES), path: pick(addressesOf(pick(SUBJECTS))) }))
    const earlier = await Promise.all(requests.map(({ level, path }) => seenBy(level, path)))
    for (const [j, { tag, status, body }] of earlier.entries())
      if (status === 200) bodies.set(keyOf(requests[j], tag), unhinted(body))
    const written = pick(SUBJECTS)
    const move = async () => {
      const event = await newEvent(written.id)
      return () => writes('PATCH', `${EVENTS}${event}/`, moved(event, pick(SUBJECTS).id))
    }
    const hide = async () => () => writes('PATCH', `${SERIES}${uuidOf(written.id)}/`, { access_modifier: pick(NAMES) })
    await (await pick([...Object.values(KINDS), move, hide, async () => () => load([typeOf(nextId())])])(written))()
    for (const [j, { level, path }] of requests.entries()) {
      const { tag = '' } = earlier[j] ?? {}
      const { status: again } = await seenBy(level, path, send, { 'If-None-Match': tag })
      const [answer, fresh] = [await seenBy(level, path), await seenBy(level, path, sendToEdge)]
      const key = keyOf({ level, path }, answer.tag)
      expect([again === 304, stateIn(fresh.tag), fresh.status], key).toEqual([
        ...[answer.tag !== '' && answer.tag === tag, stateIn(answer.tag), answer.status],
      ])
      if (again === 304) held += 1
      if (answer.status !== 200) continue
      const before = bodies.get(key)
      if (before !== undefined) kept += 1
      expect(unhinted(answer.body), key).toBe(before ?? unhinted(fresh.body))
      expect(unhinted(fresh.body), key).toBe(unhinted(answer.body))
      bodies.set(key, unhinted(answer.body))
    }
  }
  expect(kept).toBeGreaterThan(50)
  expect(held).toBeGreaterThan(50)
}, 180_000)

/** Counts the rows and the round trips of an isolate. */
const openCounted = () => {
  const cost = { rows: 0, trips: 0 }
  const { vars, ask } = openDataCentre().isolate(async (real) => {
    const answers = await real()
    cost.trips += 1
    for (const { meta } of answers) cost.rows += meta.rows_read
    return answers
  })
  const measure = async (request: () => Promise<unknown>) => {
    Object.assign(cost, { rows: 0, trips: 0 })
    await request()
    return { ...cost }
  }
  return { vars, ask, measure }
}

describe('the cost of the state of a series', () => {
  it('a known answer costs one row in one trip, and one row more after a write to another series', async () => {
    const { measure } = openCounted()
    const counted = openCounted()
    const { tag } = await seenBy('Public', SUMMARY, counted.ask)
    const again = (vars = {}) =>
      counted.measure(() =>
        counted.ask(SUMMARY, { headers: { 'If-None-Match': tag }, vars: { ...vars, STATE_SECONDS: '0' } }),
      )
    expect(await again()).toEqual({ rows: 1, trips: 1 })
    await writes('PATCH', `${SERIES}${uuidOf(OTHER.id)}/`, { description: String(nextId()) })
    expect(await again()).toEqual({ rows: 2, trips: 1 })
    expect(await again()).toEqual({ rows: 1, trips: 1 })
    expect(await measure(async () => {})).toEqual({ rows: 0, trips: 0 })
  })
})

describe('If-Match with the tag of a series', () => {
  const url = `${SERIES}${uuidOf(ONE.id)}/`
  const patch = (tag: string) =>
    write('PATCH', url, { description: String(nextId()) }, { 'If-Match': tag }, all).then(({ status }) => status)

  it.each<[path: string, written: Subject | null, status: number]>([
    [url, null, 200],
    [url, OTHER, 200],
    [url, ONE, 412],
    [`${SERIES}${uuidOf(OTHER.id)}/events/`, ONE, 200],
    [`${SERIES}${uuidOf(OTHER.id)}/events/`, OTHER, 412],
  ])('%s, and a write to %j: %i', async (path, written, status) => {
    const { tag } = await seenBy('Public', path)
    if (written !== null) await KINDS['PATCH of an event']?.(written).then((change) => change())
    expect(await patch(tag)).toBe(status)
  })

  it('fails after a recount, and for a series that a writer of the level of the tag no longer sees', async () => {
    const { tag } = await seenBy('Public', url)
    await recount(env.DB)
    expect(await patch(tag)).toBe(412)
    const id = await newSeries('Public')
    const { tag: other } = await seenBy('Public', `${SERIES}${uuidOf(id)}/`)
    await env.DB.prepare(`UPDATE event_series SET access_modifier = 300 WHERE id = ${id}`).run()
    expect(await patch(other)).toBe(412)
  })

  it('a body that changes nothing, a delete and a delete of events compare it too', async () => {
    const { tag } = await seenBy('Public', url)
    await writes('PATCH', url, { description: 'x' })
    const headers = { 'If-Match': tag }
    expect((await write('PATCH', url, { description: 'x' }, headers, all)).status).toBe(412)
    expect((await write('DELETE', url, undefined, headers, all)).status).toBe(412)
    expect((await write('DELETE', `${url}events/?external_id=none`, undefined, headers, all)).status).toBe(412)
    const now = { 'If-Match': (await seenBy('Public', url)).tag }
    expect((await write('DELETE', `${url}events/?external_id=none`, undefined, now, all)).status).toBe(200)
  })
})

it('the row of a series has the revision of its own writes', async () => {
  const id = await newSeries('Public')
  const revision = async () => (await rows(`SELECT revision FROM event_series WHERE id = ${id}`))[0]?.revision
  expect(await revision()).toBe(0)
  await writes('PATCH', `${SERIES}${uuidOf(id)}/`, { description: 'x' })
  await KINDS['PATCH of an event']?.(OTHER).then((change) => change())
  expect(await revision()).toBe(1)
})
