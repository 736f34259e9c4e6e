import { beforeAll, describe, expect, it, vi } from 'vitest'
import { countDistance, makeWork } from '../src/work.ts'
import type { EventRecord } from './records.ts'
import { answer, load, seedEvents, send } from './service.ts'

// The estimates of another test file would count.
vi.hoisted(() => vi.resetModules())

const EVENTS = '/api/v3/events/'
const ITEMS = '/ogc/collections/events/items'
const FORM = { method: 'POST', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }

/** Returns numbers from 0 to 1, the same in each run. */
const random = (() => {
  let seed = 1
  return () => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed / 2_147_483_647
  }
})()
const anywhere = (): readonly [number, number] => [random() * 358 - 179, random() * 160 - 80]

const SPREAD = 20_000

beforeAll(async () => {
  await load()
  const [first] = seedEvents
  await load(
    Array.from({ length: SPREAD }, (_, i) => ({
      ...(first as EventRecord),
      id: 500_000 + i,
      coordinates: [...anywhere(), 0] as const,
    })),
  )
})

/** Returns a ring of long edges between random corners. */
const star = (corners: number): string => {
  const ring = Array.from({ length: corners }, () =>
    anywhere()
      .map((degrees) => degrees.toFixed(6))
      .join(' '),
  )
  return `POLYGON((${[...ring, ring[0]].join(',')}))`
}

/** Returns a pattern with texts between its % signs. */
const pattern = (texts: number, first: number) =>
  `value LIKE '%${Array.from({ length: texts }, (_, i) => String.fromCharCode(97 + ((first + i) % 26))).join('%')}%'`
const patterns = (count: number, texts: number) =>
  Array.from({ length: count }, (_, i) => pattern(texts, i)).join(' OR ')

const inForm = (parameters: Record<string, string>, headers: Record<string, string> = {}) => ({
  ...FORM,
  headers: { ...FORM.headers, ...headers },
  body: new URLSearchParams(parameters).toString(),
})

const costOf = ({ headers }: Response, name: string) =>
  Number(new RegExp(`${name};desc="(\\d+)"`).exec(headers.get('Server-Timing') ?? '')?.[1])

describe('a request that takes too much work is a 400', () => {
  it('a geometry of 99,000 long edges', async () => {
    const { status, body } = await answer(EVENTS, inForm({ geom_within: star(99_000), page_size: '1' }))
    expect([status, body]).toEqual([
      400,
      {
        detail:
          'This geometry has too many long edges for so many events. Simplify it, or add a filter, such as a period.',
      },
    ])
  }, 180_000)

  it('more than 2,500,000 distances', async () => {
    const distances = function* (count: number) {
      for (let i = 0; i < count; i++) yield countDistance()
    }
    await makeWork().run(distances(2_500_000))
    await expect(makeWork().run(distances(2_500_001))).rejects.toThrow(
      'One request computes at most 2,500,000 distances.',
    )
  })

  it('a filter of 20 patterns with 20 texts each', async () => {
    const { status, body } = await answer(`${ITEMS}?limit=1&filter=${encodeURIComponent(patterns(20, 20))}`)
    expect(status).toBe(400)
    expect(body).toMatchObject({
      detail:
        'This filter has too many comparisons for so many events. Enter fewer, or add a filter, such as a period.',
    })
  })

  it('more than 20 regular expressions', async () => {
    const query = Array.from({ length: 96 }, (_, i) => `attributes__a${i}__regex=x`)
    const { status, body } = await answer(`${EVENTS}?${query.join('&')}`)
    expect([status, body]).toEqual([400, { detail: 'Enter at most 20 regular expressions.' }])
    expect((await send(`${EVENTS}?${query.slice(0, 20).join('&')}`)).status).toBe(200)
  })

  it('the same filter of few events is answered', async () => {
    const { status, body } = await answer(
      `${ITEMS}?limit=1&event_series__id=3&filter=${encodeURIComponent(patterns(20, 20))}`,
    )
    expect([status, body]).toEqual([200, expect.anything()])
  })
})

describe('other requests are answered meanwhile', () => {
  it.each<[string, Record<string, string>]>([
    ['a geometry of 20,000 long edges', { geom_within: star(20_000), page_size: '1' }],
    ['a regular expression with many states', { value__regex: '[a-m].{400}[^q]$', value__iregex: '[a-m].{400}[^q]$' }],
  ])('%s', async (_, parameters) => {
    let isDone = false
    const dear = send(EVENTS, inForm(parameters, { 'Cache-Control': 'no-cache' })).finally(() => {
      isDone = true
    })
    for (let i = 0; i < 10; i++)
      expect((await send(`${EVENTS}?page_size=1`, { headers: { 'Cache-Control': 'no-cache' } })).status).toBe(200)
    expect(isDone).toBe(false)
    expect((await dear).status).toBe(200)
  })
})

describe('the work of a request counts for its client', () => {
  const spend = async (client: string, path: string, options: RequestInit = {}) => {
    const headers = { 'CF-Connecting-IP': client, 'Cache-Control': 'no-cache', ...options.headers }
    return (await send(path, { ...options, headers, vars: { ROWS_PER_MINUTE: '100000' } })).status
  }

  it('tests of edges', async () => {
    const body = inForm({ geom_within: star(5000), page_size: '1' })
    expect(await spend('198.51.100.141', EVENTS, body)).toBe(400)
    expect(await spend('198.51.100.141', `${EVENTS}?page_size=1`)).toBe(429)
  })

  it('steps of regular expressions', async () => {
    expect(await spend('198.51.100.142', `${EVENTS}?page_size=1&value__regex=.{0,100}é`)).toBe(400)
    expect(await spend('198.51.100.142', `${EVENTS}?page_size=1`)).toBe(429)
  })

  it('distances', async () => {
    const path = `${EVENTS}?page_size=1&near=0,0&radius=20000000`
    expect(await spend('198.51.100.144', `${path}&ordering=distance`)).toBe(400)
    expect(await spend('198.51.100.144', `${EVENTS}?page_size=1`)).toBe(429)
    expect(await spend('198.51.100.145', path)).toBe(200)
  })

  it('comparisons in the database', async () => {
    expect(await spend('198.51.100.143', `${ITEMS}?limit=1&filter=${encodeURIComponent(patterns(5, 20))}`)).toBe(400)
    expect(await spend('198.51.100.143', `${EVENTS}?page_size=1`)).toBe(429)
  })
})

it('50 filters of the form attributes__NAME__not read each row once', async () => {
  const query = Array.from({ length: 50 }, (_, i) => `attributes__a${i}__not=x`).join('&')
  const response = await send(`${EVENTS}?${query}`, { vars: { SHOW_COST: 'true' } })
  expect(response.status).toBe(200)
  expect(costOf(response, 'rows_read')).toBeLessThan(2 * (seedEvents.length + SPREAD))
  expect(costOf(response, 'round_trips')).toBeLessThan(4)
})

it('areas that each stand under an OR are looked up together', async () => {
  const polygon = (i: number) => `POLYGON((-80 ${20 + i / 50}, -50 20, -60 40, -80 ${20 + i / 50}))`
  const filter = (count: number) =>
    Array.from({ length: count }, (_, i) => `(S_DISJOINT(geom, ${polygon(i)}) OR value = '${i}')`).join(' AND ')
  const ask = (count: number) =>
    send(`${ITEMS}?resultType=hits&filter=${encodeURIComponent(filter(count))}`, { vars: { SHOW_COST: 'true' } })
  const [one, many] = [await ask(1), await ask(40)]
  expect([one.status, many.status]).toEqual([200, 200])
  expect(costOf(many, 'round_trips')).toBeLessThanOrEqual(costOf(one, 'round_trips') + 1)
})

it('a regular expression tests with an automaton', async () => {
  // Without it, each of these expressions takes 10 seconds and more.
  const started = performance.now()
  for (const expression of ['(.{0,20}){10}$', '(x?.?y?){60}$', '(.*a){20}zzz'])
    expect((await send(`${EVENTS}?page_size=1&value__regex=${encodeURIComponent(expression)}`)).status).toBe(200)
  expect(performance.now() - started).toBeLessThan(10_000)
})
