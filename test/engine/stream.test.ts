import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { d1Engine } from '../../src/engine/d1/engine.ts'
import { STREAM_BYTES, STREAM_ROWS, WAITING_WITHOUT_KEY } from '../../src/http/limits.ts'
import { MAX_PAGE_SIZE } from '../../src/lists/resource.ts'
import { ALWAYS } from '../../src/question/condition.ts'
import { BY_ID } from '../../src/question/question.ts'
import { databaseWith } from '../isolates.ts'
import type { EventRecord } from '../records.ts'
import { answer, get, headersOf, load, type Options, post, send, walk } from '../service.ts'
import { EXHAUSTIVE, splitRows } from '../tags.ts'
import { FILTERS, filterOf } from './filters.ts'
import {
  EVENTS,
  foundation,
  idsOf,
  isVisible,
  LEVELS,
  type Level,
  makeEvents,
  ORDERS,
  remove,
  seenBy,
  write,
} from './world.ts'

/** The most streams to clients without a key at a time. */
const STREAMS = WAITING_WITHOUT_KEY / STREAM_BYTES

/** More events than a batch holds. */
const made = makeEvents(26_000, 8)
const later = made.splice(25_000)

beforeAll(() => load([...foundation, ...made]))

const MIDDLE = 'geom_within=POLYGON((-22.5 -22.5,22.5 -22.5,22.5 22.5,-22.5 22.5,-22.5 -22.5))'
/** The half of it that a diagonal leaves. The Worker tests its points. */
const HALF = 'geom_within=POLYGON((-22.5 -22.5,22.5 -22.5,22.5 22.5,-22.5 -22.5))'
/** The polygon extends beyond 180 degrees, so it wraps around. */
const FAR = 'geom_within=POLYGON((90 -90,250 -90,250 90,90 90,90 -90))'

const expectedOf = (query: string, ordering: string, level: Level): number[] => {
  const { matches } = filterOf(query)
  return made
    .filter((event) => isVisible(event, level) && matches(event))
    .sort(ORDERS[ordering])
    .map(({ id }) => id)
}

/** Reads the ids of a complete list, its count, and the count in the header. */
const allOf = async (query: string, options: Options) => {
  const response = await send(`${EVENTS}?page_size=all&format=ndjson&fields=id&${query}`, options)
  const text = new TextDecoder().decode(await response.arrayBuffer())
  if (response.status !== 200) throw new Error(`${response.status} ${text}`)
  const ids = text
    .split('\n')
    .slice(0, -1)
    .map((line): number => JSON.parse(line).id)
  return { ids, count: Number(response.headers.get('X-Total-Count')) }
}

const expectAll = async (query: string, ordering: string, level: Level) => {
  const expected = expectedOf(query, ordering, level)
  const asked = [query, ordering && `ordering=${ordering}`].filter((part) => part !== '').join('&')
  expect(await allOf(asked, seenBy(level)), asked).toEqual({ ids: expected, count: expected.length })
}

describe('page_size=all gives every id once and in order, and the count', () => {
  it.each(['Public', 'Hidden'] as const)('all events in every ordering, level %s', EXHAUSTIVE, async (level) => {
    for (const ordering of Object.keys(ORDERS)) await expectAll('', ordering, level)
    expect(expectedOf('', '', level).length).toBeGreaterThan(10_000)
  })

  for (const [options, queries] of splitRows(2, [
    ...[MIDDLE, FAR, `${FAR}&category__iregex=flood`, `${FAR}&event_series=1000`, 'geom_within=POLYGON EMPTY'],
  ]))
    it.each(queries)('%s', options, async (query) => {
      for (const ordering of ['', '-timestamp_start', 'timestamp_end']) await expectAll(query, ordering, 'Common')
      await expectAll(query, '-id', 'Hidden')
    })

  it('as many events as all pages together, also posted, in each format', async () => {
    const query = 'event_series=1000&timestamp_start__gte=1970-01-01&ordering=-timestamp_end'
    const pages = await walk(`${EVENTS}?${query}&page_size=1800`)
    const [{ count }] = pages
    const ids = pages.flatMap(idsOf)
    expect([pages.length, ids.length]).toEqual([3, count])
    const posted = await get(EVENTS, post(`${query}&page_size=all&format=geojson`))
    expect([posted.numberMatched, posted.numberReturned, posted.links.length]).toEqual([count, count, 1])
    expect(idsOf({ results: posted.features })).toEqual(ids)
    const csv = async (more: string) =>
      (await (await send(`${EVENTS}?${query}&${more}`, { headers: { Accept: 'text/csv' } })).text()).split('\r\n')
    const [header, ...lines] = await csv('page_size=all')
    const parts = await Promise.all([1, 2, 3].map((page) => csv(`page_size=1800&page=${page}`)))
    expect(lines).toEqual([...parts.flatMap((part) => part.slice(1, -1)), ''])
    expect(parts.map(([first]) => first)).toEqual([header, header, header])
  })
})

describe('after continues behind a position', () => {
  const RING = 'geom_within=POLYGON((-170+-80,170+-80,0+80,-170+-80))'
  for (const [options, rows] of splitRows<[string, string]>(6, [
    ['', ''],
    ['', '-id'],
    ['', 'timestamp_start'],
    ['', '-timestamp_end'],
    ['category__icontains=flood', '-timestamp_start'],
    [MIDDLE, 'timestamp_end'],
    [RING, ''],
    [RING, '-timestamp_start'],
  ]))
    it.each(rows)('%j %s', options, async (query, ordering) => {
      const events = new Map(made.map((event) => [event.id, event]))
      const asked = [query, ordering && `ordering=${ordering}`].filter((part) => part !== '').join('&')
      const { ids, count } = await allOf(asked, seenBy('Common'))
      for (const at of [0, Math.floor(ids.length / 3), ids.length - 2, ids.length - 1]) {
        const { id = 0, start = 0, end = 0 } = events.get(ids[at] ?? 0) ?? {}
        const time = ordering.endsWith('start') ? `${start},` : ordering.endsWith('end') ? `${end},` : ''
        const rest = await allOf(`${asked}&after=${time}${id}`, seenBy('Common'))
        expect(rest, `${asked} after ${time}${id}`).toEqual({ ids: ids.slice(at + 1), count })
        const first = await get(`${EVENTS}?${asked}&after=${time}${id}&page_size=40`, seenBy('Common'))
        expect([idsOf(first), first.count, first.previous]).toEqual([ids.slice(at + 1, at + 41), count, null])
        expect(first.next === null).toBe(at + 41 >= ids.length)
        if (first.next === null) continue
        const second = await get(first.next, seenBy('Common'))
        expect([idsOf(second), second.count]).toEqual([ids.slice(at + 41, at + 81), count])
        expect(idsOf(await get(second.previous, seenBy('Common')))).toEqual(idsOf(first))
      }
    })

  for (const [options, [step = 0]] of splitRows(2, [9, 3]))
    it('the page behind the last event is empty, and has the count of all matches', options, async () => {
      const [first, ...others] = FILTERS.map(({ query }) => query)
      const queries = [first, ...others, ...others.map((query, i) => `${query}&${others[(i + 7) % others.length]}`)]
      for (const query of queries.filter((_, i) => i % step === 0)) {
        const asked = `${EVENTS}?${query}&ordering=-timestamp_end&page_size=5`
        const { status, body } = await answer(asked, seenBy('Common'))
        // Two filters of one name are a 400.
        if (status !== 200) continue
        const { count } = body as { count: number }
        const behind = await get(`${asked}&after=-9000000000000000,1`, anew(seenBy('Common')))
        expect([query, behind]).toEqual([query, { count, next: null, previous: null, results: [] }])
      }
    })

  it('a posted query can have a position', async () => {
    const { ids, count } = await allOf('', seenBy('Common'))
    const body = `after=${ids[6]}&page_size=3`
    const options = { ...seenBy('Common'), ...post(body) }
    const first = await get(EVENTS, options)
    expect([idsOf(first), first.count, first.previous]).toEqual([ids.slice(7, 10), count, null])
    expect(idsOf(await get(first.next, options))).toEqual(ids.slice(10, 13))
  })

  it.each(['page=2', 'page=last', 'page=0', 'page=2&hint=a__1_1-0_1_0_1'])(
    'a page number without a valid hint is a 404: %s',
    async (page) => {
      expect(await answer(`${EVENTS}?after=5&${page}`)).toEqual({ status: 404, body: { detail: 'Invalid page.' } })
    },
  )

  it.each([
    ['after=x', 'Enter the id of the last item, such as 4711.'],
    ['after=9007199254740992', 'Enter the id of the last item, such as 4711.'],
    [
      'after=9999999999999999,1&ordering=timestamp_start',
      'Enter the time of the last item in milliseconds, a comma, and its id, such as 1517788800000,4711.',
    ],
    ['after=1517788800000,4711', 'Enter the id of the last item, such as 4711.'],
    [
      'after=4711&ordering=-timestamp_end',
      'Enter the time of the last item in milliseconds, a comma, and its id, such as 1517788800000,4711.',
    ],
  ])('a value that does not fit the ordering is a 400: %s', async (query, message) => {
    for (const size of ['page_size=5', 'page_size=all&format=csv'])
      expect(await answer(`${EVENTS}?${query}&${size}`)).toEqual({ status: 400, body: { after: [message] } })
  })

  it('a list of series refuses it', async () => {
    const path = '/api/v3/eventseries/'
    const after = [expect.stringMatching(/^Unknown parameter/)]
    expect(await answer(`${path}?after=5`)).toEqual({ status: 400, body: { after } })
  })
})

/** The same request by a client that wants nothing remembered. */
const anew = (options: Options): Options => ({
  ...options,
  headers: { ...options.headers, 'Cache-Control': 'no-cache' },
})

/**
 * A database that counts round trips and statements, and the rows of the batch that each round trip reads. After some
 * round trips it receives a write.
 */
const counting = (level: Level, writesAfter: readonly number[] = [], removes = false) => {
  const seen = { trips: 0, statements: 0 }
  const rows: number[] = []
  const DB = databaseWith(async (real, _, statements) => {
    const answers = await real()
    seen.trips += 1
    seen.statements += statements.length
    // A query reads one row more than its batch has, to see whether another batch follows.
    // The statistics of the isolate have rows.
    const lengths = answers.map(({ results }) =>
      results.some((row) => 'rows' in (row as object)) ? 0 : results.length,
    )
    rows.push(Math.max(...lengths) - 1)
    if (writesAfter.includes(seen.trips)) {
      const added = later.splice(0, 1)
      await write(added)
      made.push(...added)
      if (removes) await remove(made.splice(Math.floor((made.length * seen.trips) / 11), 1))
    }
    return answers
  })
  return { seen, rows, options: { vars: { DB, ANONYMOUS_LEVEL: level } } satisfies Options }
}

/** The queries for the statistics of an isolate. */
const STATISTICS = 4

describe('a download reads', () => {
  it('one round trip and two queries for each batch', async () => {
    const { seen, options } = counting('Hidden')
    const { count } = await allOf('', options)
    expect(count).toBeGreaterThan(20_000)
    // The stream reads the count and the statistics once. Its batches grow from 1,000 rows to 10,000.
    expect(seen).toEqual({ trips: 5, statements: 11 + STATISTICS })
  })

  it('one event for HEAD, which has the headers of GET', async () => {
    for (const query of ['', 'ordering=-timestamp_start', MIDDLE]) {
      const path = `${EVENTS}?format=csv&page_size=all&${query}`
      const { seen, options } = counting('Public')
      const head = await send(path, { ...options, method: 'HEAD' })
      const got = await send(path, options)
      expect([head.status, headersOf(head), await head.text()]).toEqual([200, headersOf(got), ''])
      expect(head.headers.get('ETag')).toBe(got.headers.get('ETag'))
      await got.body?.cancel()
      expect(seen.trips).toBeLessThanOrEqual(12)
    }
  })

  it('nothing more after the client leaves', async () => {
    const { seen, options } = counting('Hidden')
    const reader = (await send(`${EVENTS}?format=ndjson&page_size=all`, options)).body?.getReader()
    await reader?.read()
    await reader?.cancel()
    expect(seen.trips).toBe(1)
  })

  it('nothing before the client takes the first part', async () => {
    const { seen, options } = counting('Hidden')
    const { body } = await send(`${EVENTS}?format=ndjson&page_size=all`, options)
    for (let i = 0; i < STREAMS; i++) await env.DB.prepare('SELECT 1').run()
    expect(seen.trips).toBe(1)
    await body?.cancel()
  })

  it('1,000 rows each if it is one of 200 at once, and most of them are a 503', async () => {
    const { rows, options } = counting('Hidden')
    const responses: Response[] = []
    for (let i = 0; i < 200; i++) responses.push(await send(`${EVENTS}?format=ndjson&page_size=all`, options))
    for (let i = 0; i < STREAMS; i++) await env.DB.prepare('SELECT 1').run()
    const statuses = responses.map(({ status }) => status)
    expect([200, 503].map((status) => statuses.filter((each) => each === status).length)).toEqual([
      STREAMS,
      200 - STREAMS,
    ])
    expect(rows.filter((count) => count > 0)).toEqual(Array.from({ length: STREAMS }, () => 1_000))
    for (const { body } of responses) await body?.cancel()
  })

  it('its share of the rows per batch beside others, and more after they end', async () => {
    const download = (options: Options) => send(`${EVENTS}?format=ndjson&page_size=all`, options)
    const others = await Promise.all(Array.from({ length: STREAMS - 1 }, () => download(seenBy('Hidden'))))
    const { rows, options } = counting('Hidden')
    const linesOf = (text: string) => text.split('\n').length - 1
    const response = await download(options)
    const expected = expectedOf('', '', 'Hidden').length
    expect(linesOf(await response.text())).toBe(expected)
    const share = Math.floor(STREAM_ROWS / STREAMS)
    expect(rows.slice(0, 4)).toEqual([1_000, 2_000, 4_000, share])
    expect(Math.max(...rows)).toBe(share)
    for (const { body } of others) await body?.cancel()
    await scheduler.wait(1)
    const alone = counting('Hidden')
    expect(linesOf(await (await download(alone.options)).text())).toBe(expected)
    expect(alone.rows.slice(0, 4)).toEqual([1_000, 2_000, 4_000, 8_000])
  })

  it('more rows than its share per batch if its queries would run out', async () => {
    const { seen, rows, options } = counting('Hidden')
    const question = { where: ALWAYS, latest: null, order: BY_ID, slice: { from: { offset: 0 }, limit: 1 } } as const
    const reader = d1Engine(options.vars.DB).open({ level: LEVELS.Hidden })
    const how = { consistent: true, batchRows: () => 1 }
    const { count, batches } = await reader.all('events', question, { fields: ['id'] }, how)
    let read = 0
    for await (const batch of batches) read += batch.length
    expect(read).toBe(count)
    // 950 queries are 237 batches of four.
    expect(rows.slice(1, -1).every((most) => most === Math.ceil(count / 237))).toBe(true)
    expect(seen.statements).toBeLessThanOrEqual(950)
  })

  it('one row if the client has the current tag', async () => {
    const path = `${EVENTS}?format=geojson&page_size=all`
    const { seen, options } = counting('Public')
    const full = await send(path, options)
    await full.body?.cancel()
    const trips = seen.trips
    const known = await send(path, { ...options, headers: { 'If-None-Match': full.headers.get('ETag') ?? '' } })
    expect([known.status, await known.text(), seen.trips - trips]).toEqual([304, '', 1])
    const paged = await send(`${EVENTS}?format=geojson`, options)
    expect(paged.headers.get('ETag')).not.toBe(full.headers.get('ETag'))
  })
})

describe('a change of the data during a download', () => {
  const path = `${EVENTS}?format=geojson&page_size=all`
  /** A write comes after each round trip. */
  const ALWAYS = Array.from({ length: 100 }, (_, i) => i + 1)
  const RING = 'geom_within=POLYGON((-179+-89,179+-89,179+89,-178+89,-179+-89))'
  for (const [options, rows] of splitRows<[string, string]>(9, [
    ['', ''],
    ['', '-id'],
    ['', 'timestamp_start'],
    ['', '-timestamp_end'],
    ['duration__gte=0', '-timestamp_start'],
    ['event_series=1000', 'timestamp_end'],
    [FAR, 'timestamp_start'],
    [RING, ''],
    [RING, '-timestamp_start'],
  ]))
    it.each(rows)('%j %s: every lasting event is sent once and in order', options, async (query, ordering) => {
      const { matches } = filterOf(query)
      const before = expectedOf(query, ordering, 'Hidden')
      const known = new Map(made.map((event) => [event.id, event]))
      const { seen, options } = counting('Hidden', ALWAYS, true)
      const { ids, count } = await allOf([query, ordering && `ordering=${ordering}`].join('&'), options)
      expect(seen.trips).toBeGreaterThan(2)
      for (const event of made) known.set(event.id, event)
      const after = new Set(made.map(({ id }) => id))
      const sent = new Set(ids)
      const throughout = before.filter((id) => after.has(id))
      expect(ids.length).toBe(sent.size)
      expect(throughout.filter((id) => !sent.has(id))).toEqual([])
      const events = ids.map((id) => known.get(id) as EventRecord)
      expect(events.filter((event) => !matches(event))).toEqual([])
      expect(ids).toEqual(events.toSorted(ORDERS[ordering]).map(({ id }) => id))
      expect(Math.abs(count - before.length)).toBeLessThanOrEqual(seen.trips)
    })

  it('breaks the answer off with consistent=true, and the part is not valid JSON', async () => {
    const errors = vi.spyOn(console, 'error').mockReturnValue()
    const response = await send(`${path}&consistent=true`, counting('Hidden', [1]).options)
    expect(response.status).toBe(200)
    const decoder = new TextDecoder()
    let text = ''
    const readAll = async () => {
      for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true })
    }
    await expect(readAll()).rejects.toThrow()
    expect(text).toMatch(/^\{"type":"FeatureCollection"/)
    expect(() => JSON.parse(text)).toThrow()
    errors.mockRestore()
  })

  it('before the first byte starts the read again', async () => {
    const expected = () => expectedOf(HALF, '-timestamp_end', 'Hidden')
    const { seen, options } = counting('Hidden', [1])
    const { ids, count } = await allOf(`${HALF}&ordering=-timestamp_end&consistent=true`, options)
    expect([ids, count]).toEqual([expected(), expected().length])
    expect(seen.trips).toBeGreaterThan(2)
  })

  it('in every round trip is a 503 with consistent=true', async () => {
    const { status, body } = await answer(`${path}&${HALF}&consistent=true`, counting('Hidden', ALWAYS).options)
    expect([status, body]).toEqual([503, { detail: expect.stringContaining('Leave consistent out') }])
  })

  it('is logged with the fate of the download', async () => {
    const log = vi.spyOn(console, 'log').mockReturnValue()
    vi.spyOn(console, 'error').mockReturnValue()
    const lines = () => log.mock.calls.map(([line]) => JSON.parse(line))
    await (await send(path, counting('Hidden').options)).arrayBuffer()
    await (await send(`${path}&consistent=true`, counting('Hidden', [2]).options)).arrayBuffer().catch(() => null)
    await (await send(path, counting('Hidden').options)).body?.cancel()
    await vi.waitFor(() => expect(lines()).toHaveLength(3))
    expect(lines().map(({ sent, round_trips }) => [sent, round_trips])).toEqual([
      ['whole', 6],
      ['broken', 3],
      ['left', 1],
    ])
    vi.restoreAllMocks()
  })
})

describe('page_size=all is a 400', () => {
  const formats = 'Only format=geojson, format=csv, format=spreadsheet, format=ndjson accept all.'
  it.each([
    [
      'page_size=all',
      { page_size: [`${formats} Enter a whole number from 1 to ${MAX_PAGE_SIZE}, or use one of these formats.`] },
    ],
    [
      'page_size=all&format=api&nope=1',
      {
        nope: ['Unknown parameter.'],
        page_size: [`${formats} Enter a whole number from 1 to ${MAX_PAGE_SIZE}, or use one of these formats.`],
      },
    ],
    ['page_size=ALL&format=csv', { page_size: [`Enter a whole number from 1 to ${MAX_PAGE_SIZE}.`] }],
    ...['2', '0', 'last', 'x'].map((page) => [
      `page_size=all&format=csv&page=${page}`,
      { page: ['page_size=all has only one page. Leave page out, or enter 1.'] },
    ]),
  ] as [string, object][])('%s', async (query, body) => {
    expect(await answer(`${EVENTS}?${query}`)).toEqual({ status: 400, body })
  })

  it.each(['page_size=all&format=csv&page=1', 'page_size=all&format=csv&page=', 'page_size=+all+&format=csv&page=01'])(
    'but not with %s',
    async (query) => {
      const { status, body } = await send(`${EVENTS}?${query}&category=none`)
      await body?.cancel()
      expect(status).toBe(200)
    },
  )

  it('except for items and roots, which ignore it', async () => {
    for (const path of [`${EVENTS}${made[2000]?.id}/`, '/api/v3/'])
      expect((await send(`${path}?page_size=all`, seenBy('Hidden'))).status).toBe(200)
  })

  it('if the result needs more queries than one request may send', async () => {
    const kept = 'UPDATE event_count SET public = public + ? WHERE tree = ? AND shift = 53'
    await env.DB.prepare(kept).bind(3_000_000, 'id').run()
    const { count } = await get(EVENTS)
    const matched = count.toLocaleString('en')
    for (const method of ['GET', 'HEAD']) {
      const response = await send(`${EVENTS}?page_size=all&format=csv`, { method })
      expect([response.status, response.headers.get('Content-Type')]).toEqual([400, 'application/json'])
    }
    expect((await answer(`${EVENTS}?page_size=all&format=csv`)).body).toEqual({
      page_size: [`${matched} items match, and all can send at most 2,370,000. Add a filter, or enter a number.`],
    })
    await env.DB.prepare(kept).bind(-3_000_000, 'id').run()
  })
})

describe('a list on one page', () => {
  it.each(['/api/v3/eventseries/', '/api/v4/eventseries/', '/api/v3/observationtypes/'])('%s', async (path) => {
    for (const level of Object.keys(LEVELS) as Level[]) {
      const { results } = await get(`${path}?ordering=-id&page_size=1000&format=json`, seenBy(level))
      const response = await send(`${path}?ordering=-id&page_size=all&format=ndjson`, seenBy(level))
      expect(response.headers.get('X-Total-Count')).toBe(String(results.length))
      expect((await response.text()).split('\n').slice(0, -1)).toEqual(
        results.map((item: object) => JSON.stringify(item).replaceAll('format=json', 'format=ndjson')),
      )
    }
  })
})
