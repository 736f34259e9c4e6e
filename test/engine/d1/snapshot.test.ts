import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { EventRecord } from '../../records.ts'
import { get, load, type Options, publicEvents } from '../../service.ts'
import { splitRows } from '../../tags.ts'

const EVENTS = '/api/v3/events/'
const AREA = 'geom_within=POLYGON((-100 20,-60 25,-65 50,-90 55,-110 40,-100 20))'

beforeAll(() => load())

/**
 * An isolate whose database counts round trips. `before` runs before a round trip. A map of recorded answers takes the
 * place of the database where it has one, and receives the others.
 */
interface Isolate {
  trips: number
  before: () => Promise<unknown>
  recorded: Map<string, D1Result[]> | null
  readonly options: Options
}

const makeIsolate = (): Isolate => {
  const isolate: Isolate = { trips: 0, before: async () => {}, recorded: null, options: {} }
  const session = {
    prepare: (text: string) => ({ bind: (...values: unknown[]) => ({ text, values }) }),
    batch: async (statements: { text: string; values: unknown[] }[]) => {
      isolate.trips += 1
      await isolate.before()
      const key = JSON.stringify(statements)
      const results =
        isolate.recorded?.get(key) ??
        (await env.DB.batch(statements.map(({ text, values }) => env.DB.prepare(text).bind(...values))))
      isolate.recorded?.set(key, results)
      return results
    },
    getBookmark: () => null,
  }
  const DB = { withSession: () => session } as unknown as D1Database
  return Object.assign(isolate, { options: { vars: { DB }, headers: { 'Cache-Control': 'no-cache' } } })
}

const ask = async (isolate: Isolate, query: string) => {
  isolate.trips = 0
  const body = await get(`${EVENTS}?${query}`, isolate.options)
  return { trips: isolate.trips, body }
}

/** The answer of an isolate that knows nothing. */
const exact = async (query: string) => (await ask(makeIsolate(), query)).body

let id = 800_000
const [first] = publicEvents.filter(({ category }) => category.includes('o')) as [EventRecord]
/** Stores a copy of an event. */
const addEvent = (start = first.start) => {
  id += 1
  return load([{ ...first, id, external_id: null, start, end: start + 1000 }])
}

describe('a request in a new isolate needs few round trips', () => {
  it.each([
    ['', 1],
    ['page=200', 1],
    ['page=last', 1],
    ['ordering=-timestamp_end', 1],
    ['category=hurricane&timestamp_start__gte=2017-01-01', 1],
    ['event_series=af29&datetime=2015-01-01/2016-01-01', 1],
    ['category__icontains=o&duration__gte=01:00:00', 1],
    ['category__not=hurricane&ordering=value_number', 1],
    ['bbox=-100,20,-60,50&datetime=2017-01-01/..', 1],
    ['geom_within=POLYGON((-100 20,-60 20,-60 50,-100 50,-100 20))&category=hurricane', 1],
    [`${AREA}&timestamp_start__gte=2017-01-01`, 2],
    [`${AREA}&category__icontains=o&page=last`, 2],
  ])('%s', async (query, trips) => {
    const isolate = makeIsolate()
    const cold = await ask(isolate, query)
    const warm = await ask(isolate, query)
    expect([cold.trips, warm.trips]).toEqual([trips, trips])
    expect(warm.body).toEqual(cold.body)
  })
})

describe('an answer shows one state of the data', () => {
  const query = 'category__icontains=o&timestamp_start__gte=1900-01-01&ordering=-timestamp_start'

  it('if the data changes between two requests', async () => {
    const isolate = makeIsolate()
    const { body } = await ask(isolate, query)
    await addEvent(Date.UTC(2026, 0))
    const stale = await ask(isolate, query)
    expect(stale.body).toEqual(await exact(query))
    expect(stale.body.count).toBe(body.count + 1)
  })

  it('if the data changes before each request', async () => {
    const isolate = makeIsolate()
    await ask(isolate, query)
    for (let i = 0; i < 5; i++) {
      await addEvent()
      const answer = await ask(isolate, query)
      expect(answer.body).toEqual(await exact(query))
    }
  })

  it('if the statistics are old', async () => {
    const isolate = makeIsolate()
    await ask(isolate, query)
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 31_000)
    await addEvent()
    expect(await ask(isolate, query)).toEqual({ trips: 1, body: await exact(query) })
    clock.mockRestore()
  })

  it('if the data changes between the round trips of a request', async () => {
    const isolate = makeIsolate()
    await ask(isolate, query)
    await addEvent()
    isolate.before = async () => {
      if (isolate.trips === 2 || isolate.trips === 3) await addEvent()
    }
    const { body } = await ask(isolate, `${AREA}&${query}`)
    expect(body).toEqual(await exact(`${AREA}&${query}`))
  })

  it('if a replica is behind', async () => {
    const before = makeIsolate()
    before.recorded = new Map()
    const [old] = [await ask(before, query), await ask(before, query)]
    await addEvent()
    const isolate = makeIsolate()
    const { body } = await ask(isolate, query)
    expect(body.count).toBe(old.body.count + 1)
    // The replica answers as before the write, if it was asked the same. A new estimate changes a statement.
    isolate.recorded = before.recorded
    expect([old.body, body]).toContainEqual((await ask(isolate, query)).body)
    isolate.recorded = null
    expect((await ask(isolate, query)).body).toEqual(body)
  })

  for (const [options, [numRuns = 0]] of splitRows(2, [4, 12]))
    it('in random requests between random writes of two isolates', { ...options, timeout: 60_000 }, async () => {
      const queries = [
        query,
        'category=hurricane',
        'category=hurricane&datetime=2000-01-01/2020-01-01&page=2',
        'event_series=af29&timestamp_start__lt=2020-01-01&page=last',
        `${AREA}&page_size=3`,
        `${AREA}&category=hurricane`,
        'duration__gte=01:00:00&ordering=timestamp_end&page=30',
        'page=100&ordering=-timestamp_start',
        'category__regex=^h&timestamp_start__gte=1990-01-01',
      ]
      const step = fc.oneof(
        { weight: 1, arbitrary: fc.constant(null) },
        { weight: 3, arbitrary: fc.record({ isolate: fc.nat(1), query: fc.constantFrom(...queries) }) },
      )
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 12 }), async (steps) => {
          const isolates = [makeIsolate(), makeIsolate()]
          for (const one of steps) {
            if (one === null) await addEvent()
            else expect((await ask(isolates[one.isolate] as Isolate, one.query)).body).toEqual(await exact(one.query))
          }
        }),
        { numRuns, seed: 30 },
      )
    })
})
