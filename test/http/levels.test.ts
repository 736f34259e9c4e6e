import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { countingDatabase, databaseWith, openDataCentre } from '../isolates.ts'
import { setRevisions } from '../revisions.ts'
import { load, send, withKey } from '../service.ts'
import { EVENTS, feature, rows, SERIES, write } from '../store/writer.ts'
import { splitRows } from '../tags.ts'
import {
  age,
  all,
  eventOf,
  KINDS,
  LEVELS,
  type Level,
  LONG_AGO,
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

const SECOND = 1000 // milliseconds
/** Gives all levels an equal state. */
const EQUAL = setRevisions(
  () => '7',
  () => String(LONG_AGO),
)

/** The series 1 to 4 have the four levels. Each has events, and 11 to 14 are the first of them. */
const ofLevel = (level: Level): number => 1 + NAMES.indexOf(level)
const firstOf = (level: Level): number => 10 + ofLevel(level)
const subjectOf = (level: Level): Subject => ({ id: ofLevel(level), level, event: firstOf(level) })

beforeAll(async () => {
  await load([typeOf(1), ...NAMES.map((level) => seriesOf(ofLevel(level), level))])
  await load(NAMES.flatMap((level) => [0, 10, 20].map((more) => eventOf(firstOf(level) + more, ofLevel(level)))))
})
beforeEach(() => {
  vi.spyOn(console, 'error').mockReturnValue()
})
afterEach(() => vi.restoreAllMocks())

const PATHS = [
  EVENTS,
  `${EVENTS}?ordering=-timestamp_start&page_size=2`,
  `${EVENTS}?category__icontains=fl&duration__gte=0&timestamp_start__gte=1970-01-01`,
  `${EVENTS}?geom_within=POLYGON((0+0,20+1,20+60,1+60,0+0))`,
  `${EVENTS}${firstOf('Public')}/`,
  `${EVENTS}summary/?facets=category`,
  SERIES,
  `${SERIES}${uuidOf(1)}/`,
  `${SERIES}${uuidOf(1)}/events/`,
  '/api/v3/observationtypes/',
  '/ogc/collections',
  '/ogc/collections/events/items?limit=3',
  '/ogc/collections/events/tiles/WebMercatorQuad/1/1/0',
]
// An answer about one series has the state of that series, see series.test.ts.
const FEW = [EVENTS, `${EVENTS}summary/`, SERIES]

/** Expects that the answers change for the callers from a level on, and stay the same for the others. */
const expectChange = async (from: Level, change: () => Promise<unknown>) => {
  await age()
  const clock = vi.spyOn(Date, 'now')
  const read = async () => {
    clock.mockReturnValue(performance.timeOrigin + performance.now() + 10 * SECOND)
    const found = await Promise.all(
      NAMES.flatMap((level) => FEW.map(async (path) => ({ level, ...(await seenBy(level, path)) }))),
    )
    clock.mockRestore()
    return found
  }
  const before = await read()
  await change()
  for (const [i, after] of (await read()).entries()) {
    const { level, tag, modified, body } = before[i] as (typeof before)[number] // both have the same requests
    const isSeen = LEVELS[level] >= LEVELS[from]
    expect([level, after.tag !== tag, after.modified !== modified]).toEqual([level, isSeen, isSeen])
    expect(modified).toBe(new Date(LONG_AGO).toUTCString())
    if (!isSeen) expect(after.body).toBe(body)
  }
}

const PAIRS = NAMES.flatMap((one) => NAMES.flatMap((other) => (one === other ? [] : [[one, other] as const])))
const lower = (one: Level, other: Level): Level => (LEVELS[one] < LEVELS[other] ? one : other)

describe('the ETag and Last-Modified change exactly for callers who can see the write', () => {
  const kinds = Object.entries(KINDS).flatMap(([kind, prepare]) =>
    NAMES.map((level) => [kind, level, prepare] as const),
  )
  for (const [options, rows] of splitRows(3, kinds))
    it.each(rows)('%s: %s', options, async (_, level, prepare) => expectChange(level, await prepare(subjectOf(level))))

  for (const [options, pairs] of splitRows(5, PAIRS)) {
    it.each(pairs)('a series of %s becomes %s', options, async (one, other) => {
      const id = await newSeries(one, 2)
      await expectChange(lower(one, other), () =>
        writes('PATCH', `${SERIES}${uuidOf(id)}/`, { access_modifier: other }),
      )
    })

    it.each(pairs)('an event of a series of %s moves to one of %s', options, async (one, other) => {
      const id = await newEvent(ofLevel(one))
      await expectChange(lower(one, other), () => writes('PATCH', `${EVENTS}${id}/`, moved(id, ofLevel(other))))
    })

    it.each(pairs)('one post has events of %s and %s', options, (one, other) =>
      expectChange(lower(one, other), () =>
        writes('POST', EVENTS, {
          type: 'FeatureCollection',
          features: [one, other].map((level) => feature({ event_series: ofLevel(level) })),
        }),
      ),
    )
  }

  it.each<[string, () => Promise<unknown>]>([
    ['a post', () => writes('POST', '/api/v4/observationtypes/', { code: `t${nextId()}`, name: 'x' })],
    ['a load', () => load([typeOf(nextId())])],
  ])('an observation type changes them for everyone: %s', (_, change) => expectChange('Public', change))

  it('a delete in steps', async () => {
    const id = nextId()
    await load([seriesOf(id, 'Private'), ...Array.from({ length: 5_100 }, () => eventOf(nextId(), id))])
    await expectChange('Private', () => writes('DELETE', `${SERIES}${uuidOf(id)}/events/?all=true`))
  })

  it('a write counts with the access modifier of its moment', async () => {
    const uuid = uuidOf(ofLevel('Hidden'))
    for (let before = 1, came = true; came; before++) {
      let batches = 0
      const DB = databaseWith(async (real) => {
        batches += 1
        if (batches === before) await env.DB.prepare('UPDATE event_series SET access_modifier = 0 WHERE id = 4').run()
        return real()
      })
      const revision = async () => (await rows('SELECT public_revision AS now FROM revision'))[0]?.now
      const [known, { headers, vars }] = [await revision(), await withKey(all)]
      const { status } = await send(`${SERIES}${uuid}/`, {
        method: 'PATCH',
        body: JSON.stringify({ description: String(nextId()) }),
        headers: { ...headers, 'Content-Type': 'application/json' },
        vars: { ...vars, DB },
      })
      came = batches >= before
      expect([status, (await revision()) === known]).toEqual([200, !came])
      await env.DB.prepare('UPDATE event_series SET access_modifier = 300 WHERE id = 4').run()
    }
  })
})

describe('levels with an equal state share nothing', () => {
  for (const [options, paths] of splitRows(3, PATHS))
    it.each(paths)('%s', options, async (path) => {
      const truth = new Map<Level, string>()
      await env.DB.prepare(EQUAL).run()
      for (const level of NAMES) truth.set(level, (await seenBy(level, path, openDataCentre().isolate().ask)).body)
      const { isolate } = openDataCentre()
      for (const order of [NAMES, [...NAMES].reverse(), NAMES]) {
        const { ask } = isolate()
        for (const level of [...order, ...order])
          expect([level, (await seenBy(level, path, ask)).body]).toEqual([level, truth.get(level)])
      }
    })
})

it('hidden writes keep what an isolate knows: later answers read as many rows in as many round trips', async () => {
  const { cost, DB } = countingDatabase()
  const measure = async () => {
    const all = []
    for (const path of PATHS) {
      Object.assign(cost, { rows: 0, trips: 0 })
      await send(path, { vars: { DB } })
      all.push({ path, ...cost })
    }
    return all
  }
  await measure()
  const before = await measure()
  // A new hidden event may lie in a range that a plan reads, and a new series is one row more for it.
  for (const kind of ['PUT of an event', 'DELETE of events', 'DELETE of a series with events'])
    await (await KINDS[kind]?.(subjectOf('Hidden')))?.()
  expect(await measure()).toEqual(before)
})

it('a hidden write does not change the revision of /readyz', async () => {
  const revision = async () => ((await (await send('/readyz')).json()) as { revision: number }).revision
  const before = await revision()
  await KINDS['POST of an event']?.(subjectOf('Hidden')).then((change) => change())
  expect(await revision()).toBe(before)
  await KINDS['POST of an event']?.(subjectOf('Public')).then((change) => change())
  expect(await revision()).toBe(before + 1)
})

describe('If-Match with the tag of a level', () => {
  const url = `${SERIES}${uuidOf(1)}/`
  it.each<[tag: Level, key: 'all' | 'writer' | 'editor', written: Level | null, status: number]>([
    ['Public', 'all', null, 200],
    ['Public', 'all', 'Hidden', 200],
    ['Public', 'all', 'Public', 412],
    ['Private', 'all', 'Hidden', 200],
    ['Private', 'all', 'Private', 412],
    ['Hidden', 'all', null, 200],
    ['Hidden', 'all', 'Hidden', 412],
    ['Common', 'editor', 'Private', 200],
    ['Common', 'editor', 'Common', 412],
    ['Hidden', 'writer', null, 412],
  ])('%s, a key %s, and a write to %s: %i', async (level, key, written, status) => {
    // All levels begin with an equal state.
    await env.DB.prepare(EQUAL).run()
    const { tag } = await seenBy(level, SERIES)
    if (written !== null)
      await writes('PATCH', `${SERIES}${uuidOf(ofLevel(written))}/`, { description: String(nextId()) })
    for (const method of status === 200 ? ['PATCH'] : ['PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? { description: String(nextId()) } : undefined
      expect((await write(method, url, body, { 'If-Match': tag }, key)).status).toBe(status)
    }
  })
})
