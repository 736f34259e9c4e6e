import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { recount } from '../../seed/load/indexes.ts'
import { at } from '../../src/base/collections.ts'
import { random } from '../bench/events.ts'
import { pick } from '../bench/skewed.ts'
import { ask } from '../engine/cost.ts'
import { foundation, LEVELS, type Level, makeEvents } from '../engine/world.ts'
import { load, send } from '../service.ts'
import { CHANGES, followerOf, NAMES, readAs } from '../store/follower.ts'
import { EVENTS, feature, rows, SERIES, write } from '../store/writer.ts'
import { EXHAUSTIVE } from '../tags.ts'
import { eventOf, seriesOf, typeOf } from './writes.ts'

beforeAll(async () => {
  await load(foundation)
  await load(makeEvents(60, 7).map((event) => ({ ...event, last_modified: null })))
})

type Random = () => number

const uuids = async (): Promise<string[]> =>
  (await rows('SELECT uuid FROM event_series ORDER BY id')).map(({ uuid }) => String(uuid))
const ids = async (): Promise<number[]> => (await rows('SELECT id FROM event ORDER BY id')).map(({ id }) => Number(id))

/** Writes of a client with all rights. A write with a greater weight happens more often. */
const WRITES: readonly (readonly [weight: number, run: (next: Random) => Promise<unknown>])[] = [
  [6, async (next) => write('POST', EVENTS, await eventIn(next), {}, 'all')],
  [2, async (next) => write('POST', EVENTS, [await eventIn(next), await eventIn(next)], {}, 'all')],
  [
    3,
    async (next) =>
      write('POST', EVENTS, await eventIn(next, { external_id: `x${Math.floor(5 * next())}` }), {}, 'all'),
  ],
  [
    4,
    async (next) =>
      write('PATCH', `${EVENTS}${pick(next, await ids())}/`, { properties: { value: `${next()}` } }, {}, 'all'),
  ],
  [
    4,
    async (next) =>
      write(
        'PATCH',
        `${EVENTS}${pick(next, await ids())}/`,
        { properties: { event_series: pick(next, await uuids()) } },
        {},
        'all',
      ),
  ],
  [4, async (next) => write('DELETE', `${EVENTS}${pick(next, await ids())}/`, undefined, {}, 'all')],
  [
    1,
    async (next) =>
      write('DELETE', `${SERIES}${pick(next, await uuids())}/events/?category=flood`, undefined, {}, 'all'),
  ],
  [
    1,
    async (next) =>
      write('POST', SERIES, { name: `N${next()}`, observation_type: 1, access_modifier: pick(next, NAMES) }, {}, 'all'),
  ],
  [
    3,
    async (next) =>
      write('PATCH', `${SERIES}${pick(next, await uuids())}/`, { access_modifier: pick(next, NAMES) }, {}, 'all'),
  ],
  [
    1,
    async (next) => write('PATCH', `${SERIES}${pick(next, await uuids())}/`, { description: `${next()}` }, {}, 'all'),
  ],
  [
    1,
    async (next) =>
      write('PATCH', `${SERIES}${pick(next, await uuids())}/metadata/`, { source: `${next()}` }, {}, 'all'),
  ],
  [
    1,
    async (next) => {
      const all = await uuids()
      return all.length > 4 && write('DELETE', `${SERIES}${pick(next, all)}/?events=delete`, undefined, {}, 'all')
    },
  ],
  [
    1,
    async (next) =>
      write('POST', '/api/v4/observationtypes/', { code: `c${next()}`, name: 'C', unit: null }, {}, 'all'),
  ],
  [
    1,
    async (next) => {
      const [{ id = 0 } = {}] = await rows('SELECT id FROM event_series ORDER BY id')
      const first = 10_000_000 + Math.floor(1e6 * next())
      return load(makeEvents(2, 3, first).map((event) => ({ ...event, series: Number(id), last_modified: null })))
    },
  ],
]

const eventIn = async (next: Random, more: object = {}) =>
  feature({
    event_series: pick(next, await uuids()),
    value: `${next()}`,
    category: pick(next, ['flood', 'quake']),
    attributes: pick(next, [{}, { mag: next() }, { mag: 'high' }, { depth: 1 }]),
    ...more,
  })

const TURNS = WRITES.flatMap(([weight, run]) => Array.from({ length: weight }, () => run))

/** The ids of events and the uuids of series that each level has ever seen. */
const witness = () => {
  const seen = new Map(NAMES.map((level) => [level, new Set<unknown>()]))
  const look = async () => {
    const events = await rows(
      'SELECT event.id AS key, access_modifier AS level FROM event JOIN event_series ON event_series.id = event_series_id',
    )
    const series = await rows('SELECT uuid AS key, access_modifier AS level FROM event_series')
    for (const { key, level } of [...events, ...series])
      for (const name of NAMES) if (Number(level) <= LEVELS[name]) seen.get(name)?.add(key)
  }
  return { seen, look }
}

const namesIn = (change: Record<string, Record<string, unknown>>): unknown[] => {
  const { kind, event, id, event_series, series } = change as Record<string, unknown> & {
    event?: { id: number }
    series?: { uuid: string }
  }
  if (kind === 'event') return [event?.id]
  if (kind === 'gone') return [id]
  return kind === 'series' ? [series?.uuid ?? event_series] : []
}

/** Writes at random, while two followers of each level poll at random moments. Each copy is right whenever it is done. */
const expectCopies = async (seed: number, writes: number): Promise<void> => {
  const next = random(seed)
  const { seen, look } = witness()
  await look()
  const some = (await uuids()).slice(0, 3)
  const followers = NAMES.flatMap((level) => [followerOf(level), followerOf(level, some)])
  for (const follower of followers) await follower.begin()
  for (let count = 0; count < writes; count++) {
    await pick(next, TURNS)(next)
    await look()
    const follower = pick(next, followers)
    if (next() < 0.5) continue
    const limit = pick(next, [1, 2, 5, 1000])
    const answer = await follower.poll(limit)
    for (const change of answer?.changes ?? [])
      for (const name of namesIn(change)) expect(seen.get(follower.level)).toContain(name)
    if (answer?.more === false) expect(follower.data()).toEqual(await follower.whole())
  }
  for (const follower of followers) {
    while ((await follower.poll(7))?.more !== false);
    expect(follower.data()).toEqual(await follower.whole())
  }
}

describe('the changes after a mark', () => {
  it('keep the copies of all levels right', { timeout: 120_000 }, () => expectCopies(1, 300))
  it.each([2, 3, 4])(
    'keep the copies of all levels right, with the seed %i',
    { ...EXHAUSTIVE, timeout: 600_000 },
    (seed) => expectCopies(seed, 1000),
  )
})

/** The mark of now. */
const markOf = async (level: Level): Promise<string> => (await readAs(level, CHANGES)).body.mark
const since = (mark: string, more = '') => `${CHANGES}?after=${mark}${more}`

/** Runs a write, and returns what each level is then told. */
const toldBy = async (run: () => Promise<unknown>) => {
  const marks = await Promise.all(NAMES.map(markOf))
  await run()
  const answers = await Promise.all(NAMES.map((level, i) => readAs(level, since(at(marks, i)))))
  return Object.fromEntries(NAMES.map((level, i) => [level, at(answers, i).body.changes]))
}

const newSeries = async (access_modifier: Level): Promise<string> => {
  const { status, body } = await write('POST', SERIES, { name: 'New', observation_type: 1, access_modifier }, {}, 'all')
  expect(status, JSON.stringify(body)).toBe(201)
  return body.uuid
}

const newEvent = async (event_series: string, more: object = {}): Promise<number> => {
  const { status, body } = await write('POST', EVENTS, feature({ event_series, ...more }), {}, 'all')
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id
}

const by = (method: string, path: string, body?: object) => () => write(method, path, body, {}, 'all')

describe('each level gets the changes that it sees', () => {
  it('after a change and a deletion of an event', async () => {
    const series = await newSeries('Common')
    const id = await newEvent(series, { external_id: 'A-17' })
    const event = expect.objectContaining({
      id,
      properties: expect.objectContaining({ value: '2', event_series: series }),
    })
    const told = [{ kind: 'event', event }]
    const changed = await toldBy(by('PATCH', `${EVENTS}${id}/`, { properties: { value: '2' } }))
    expect(changed).toEqual({ Public: [], Common: told, Private: told, Hidden: told })
    const gone = [{ kind: 'gone', id, event_series: series, external_id: 'A-17' }]
    const deleted = await toldBy(by('DELETE', `${EVENTS}${id}/`))
    expect(deleted).toEqual({ Public: [], Common: gone, Private: gone, Hidden: gone })
  })

  it('after a move: the event is gone for levels that do not see its new series', async () => {
    const [common, hidden] = [await newSeries('Common'), await newSeries('Hidden')]
    const id = await newEvent(common)
    const told = await toldBy(by('PATCH', `${EVENTS}${id}/`, { properties: { event_series: hidden } }))
    const kinds = Object.values(told).map((changes) =>
      changes.filter(({ kind }: { kind: string }) => kind !== 'series').map(({ kind }: { kind: string }) => kind),
    )
    expect(kinds).toEqual([[], ['gone'], ['gone'], ['event']])
  })

  it('after a move to a hidden series, a deletion there, and the series is shown', async () => {
    const [open, hidden] = [await newSeries('Public'), await newSeries('Hidden')]
    const id = await newEvent(open)
    const told = await toldBy(async () => {
      await write('PATCH', `${EVENTS}${id}/`, { properties: { event_series: hidden } }, {}, 'all')
      await write('DELETE', `${EVENTS}${id}/`, undefined, {}, 'all')
      await write('PATCH', `${SERIES}${hidden}/`, { access_modifier: 'Public' }, {}, 'all')
    })
    for (const changes of Object.values(told))
      expect(changes).toContainEqual(expect.objectContaining({ kind: 'gone', id }))
  })

  it('after a move, a change, a short answer, and the new series is hidden', async () => {
    const [common, open] = [await newSeries('Common'), await newSeries('Public')]
    const [moved, other] = [await newEvent(common), await newEvent(common)]
    const mark = await markOf('Common')
    await write('PATCH', `${EVENTS}${moved}/`, { properties: { event_series: open } }, {}, 'all')
    await write('PATCH', `${EVENTS}${other}/`, { properties: { value: '2' } }, {}, 'all')
    await write('PATCH', `${EVENTS}${moved}/`, { properties: { value: '2' } }, {}, 'all')
    const first = (await readAs('Common', since(mark, '&limit=2'))).body
    await write('PATCH', `${SERIES}${open}/`, { access_modifier: 'Hidden' }, {}, 'all')
    const second = (await readAs('Common', since(first.mark))).body
    expect([...first.changes, ...second.changes]).toContainEqual(expect.objectContaining({ kind: 'gone', id: moved }))
  })

  it('after a change of access: levels read a shown series again, and drop a hidden one', async () => {
    const uuid = await newSeries('Private')
    const set = (access_modifier: Level) => toldBy(by('PATCH', `${SERIES}${uuid}/`, { access_modifier }))
    const shapeOf = (told: object) =>
      Object.values(told).map((changes) =>
        changes.map(({ kind, reread, visible }: Record<string, unknown>) => [kind, reread ?? visible]),
      )
    expect(shapeOf(await set('Public'))).toEqual([
      [['series', true]],
      [['series', true]],
      [['series', false]],
      [['series', false]],
    ])
    expect(shapeOf(await set('Hidden'))).toEqual([
      [['series', false]],
      [['series', false]],
      [['series', false]],
      [['series', false]],
    ])
    expect((await set('Private')).Public).toEqual([])
    const deleted = await toldBy(by('DELETE', `${SERIES}${uuid}/`))
    expect(shapeOf(deleted)).toEqual([[], [], [['series', false]], [['series', false]]])
  })

  it('after a load of older stamps: levels read the series again', async () => {
    const told = await toldBy(() =>
      load([typeOf(900), seriesOf(900, 'Common'), { ...eventOf(9_000_000, 900), last_modified: 5 }]),
    )
    const shapes = Object.values(told).map((changes) =>
      changes.map(({ kind, reread }: Record<string, unknown>) => [kind, reread]),
    )
    const shown = [
      ['type', undefined],
      ['series', true],
    ]
    expect(shapes).toEqual([[['type', undefined]], shown, shown, shown])
  })

  it('as lines, with the mark last, and a link to further changes', async () => {
    const mark = await markOf('Public')
    const series = await newSeries('Public')
    for (const value of ['1', '2', '3']) await newEvent(series, { value })
    const { headers, body } = await readAs('Public', since(mark, '&limit=3&format=ndjson'))
    const [first, second, last] = body
      .trim()
      .split('\n')
      .map((line: string) => JSON.parse(line))
    expect([first.kind, second.kind, last.more]).toEqual(['series', 'event', true])
    const [, next = ''] = /<([^>]*)>; rel="next"/.exec(headers.get('Link') ?? '') ?? []
    expect(new URL(next).searchParams.get('after')).toBe(last.mark)
    const rest = await readAs('Public', next.replace('format=ndjson', 'format=json'))
    expect(
      rest.body.changes.map(({ event }: { event: { properties: { value: string } } }) => event.properties.value),
    ).toEqual(['2', '3'])
    expect(rest.headers.get('Link')).toBe(null)
  })
})

describe('a mark', () => {
  const stateOf = async (level: Level, mark: string) => (await readAs(level, since(mark))).status

  it.each<[what: string, level: Level, spoil: (mark: string) => Promise<unknown>]>([
    ['of another level', 'Hidden', async () => {}],
    ['from before a recount', 'Common', () => recount(env.DB)],
    [
      'of a database that was restored',
      'Common',
      () => env.DB.prepare("UPDATE sequence SET last = last - 9000000 WHERE name = 'event_modified'").run(),
    ],
    [
      'from before changes that are forgotten',
      'Common',
      async () => {
        await env.DB.prepare(
          "UPDATE mark_rule SET complete = (SELECT last FROM sequence WHERE name = 'event_modified') + 1",
        ).run()
      },
    ],
  ])('%s is a 410', async (_, level, spoil) => {
    const mark = await markOf('Common')
    const series = await newSeries('Common')
    await spoil(mark)
    await env.DB.prepare('UPDATE revision SET revision = revision + 1, common_revision = common_revision + 1').run()
    expect(await readAs(level, since(mark))).toMatchObject({
      status: 410,
      body: { detail: expect.stringContaining('Take a new mark') },
    })
    await env.DB.prepare(
      "UPDATE sequence SET last = max(last, (SELECT max(last_modified) FROM event)) WHERE name = 'event_modified'",
    ).run()
    await env.DB.prepare('UPDATE mark_rule SET complete = 0').run()
    expect(series).not.toBe('')
  })

  it.each(['', 'c1', 'c1.1-a-0.00', 'now', `c1.1-a-0.${'0'.repeat(60)}G`])(
    'with the text %j is a 400, or the mark of now',
    async (mark) => {
      expect(await stateOf('Public', mark)).toBe(mark === '' ? 200 : 400)
    },
  )

  it('with another end or another state is a 410', async () => {
    const mark = await markOf('Public')
    await newEvent(await newSeries('Public'))
    const [form, state = '', sealed = ''] = mark.split('.')
    const other = sealed.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    expect(await stateOf('Public', `${form}.${state}.${other}`)).toBe(410)
    expect(await stateOf('Public', `${form}.9${state}.${sealed}`)).toBe(410)
  })

  it('stays as it is without a write, which reads one row, also after hidden writes', async () => {
    const hidden = await newSeries('Hidden')
    const mark = await markOf('Public')
    const poll = () => ask({ query: {} }, since(mark), {})
    const unchanged = { rows: 1, body: { mark, more: false, changes: [] } }
    expect(await poll()).toMatchObject(unchanged)
    await newEvent(hidden)
    expect(await poll()).toMatchObject(unchanged)
  })

  it('takes a 304 with the tag of the same state', async () => {
    const mark = await markOf('Public')
    const { headers } = await readAs('Public', since(mark))
    const again = await send(since(mark), { headers: { 'If-None-Match': headers.get('ETag') ?? '' } })
    expect(again.status).toBe(304)
  })

  it('moves past many changes that the caller does not see, 20,000 at a time', async () => {
    const hidden = await newSeries('Hidden')
    const [{ id = 0 } = {}] = await rows(`SELECT id FROM event_series WHERE uuid = '${hidden}'`)
    const mark = await markOf('Public')
    await load(makeEvents(20_500, 5, 2_000_000).map((event) => ({ ...event, series: Number(id), last_modified: null })))
    const series = await newSeries('Public')
    const first = (await readAs('Public', since(mark))).body
    expect(first).toMatchObject({ more: true, changes: [] })
    const second = (await readAs('Public', since(first.mark))).body
    expect(second).toMatchObject({ more: false, changes: [{ kind: 'series', series: { uuid: series } }] })
  })
})

it('changes older than 90 days are deleted by later deletions, and marks before them are a 410', async () => {
  const series = await newSeries('Public')
  const old = Date.now() * 1000 - 91 * 86_400_000_000
  await env.DB.prepare(
    `INSERT INTO change (stamp, kind, id, series, level) VALUES (${old}, 3, 1, 'x', 0), (${old + 1}, 3, 2, 'x', 0)`,
  ).run()
  const id = await newEvent(series)
  await write('DELETE', `${EVENTS}${id}/`, undefined, {}, 'all')
  expect(await rows("SELECT count(*) AS n FROM change WHERE series = 'x'")).toEqual([{ n: 0 }])
  expect(await rows('SELECT complete FROM mark_rule')).toEqual([{ complete: old + 1 }])
})

it('a follower names whole uuids, and other filters are unknown', async () => {
  expect(await readAs('Public', `${CHANGES}?event_series=99fe&limit=0&category=x`)).toMatchObject({
    status: 400,
    body: {
      event_series: [expect.stringContaining('whole uuids')],
      limit: [expect.any(String)],
      category: [expect.any(String)],
    },
  })
})
