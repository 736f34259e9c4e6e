import { RE2JS } from 're2js'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { countDistance, countEdges, makeWork } from '../../src/base/work.ts'
import { databaseTaking } from '../isolates.ts'
import { durationOf, expectPace } from '../pace.ts'
import type { EventRecord } from '../records.ts'
import { answer, load, post, seedEvents, seedSeries, send, withKey } from '../service.ts'
import { EXHAUSTIVE } from '../tags.ts'

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
  const spread = { ...(first as EventRecord), external_id: null }
  const at = (id: number): EventRecord => ({ ...spread, id, coordinates: [...anywhere(), 0] })
  await load(Array.from({ length: SPREAD }, (_, i) => at(500_000 + i)))
  await send(EVENTS) // reads the statistics
})

/** Returns a ring of long edges between random corners. */
const star = (corners: number): string => {
  const written = ([x, y]: readonly [number, number]) => `${x.toFixed(6)} ${y.toFixed(6)}`
  const ring = Array.from({ length: corners }, () => written(anywhere()))
  return `POLYGON((${[...ring, ring[0]].join(',')}))`
}

/** Returns a filter of many comparisons. */
const comparisons = (count: number) => Array.from({ length: count }, (_, i) => `value='${i}'`).join(' OR ')

/** Returns filters of attributes, each of another one. */
const filtersOf = (count: number, lookup: string, value: string) =>
  Array.from({ length: count }, (_, i) => `attributes__a${i}__${lookup}=${encodeURIComponent(value)}`).join('&')
/** A range whose folding takes 4 ms. 49 of them fit into an expression. */
const WIDE = 'B-\u{1e941}'

const inForm = (parameters: Record<string, string>, headers: Record<string, string> = {}) => ({
  ...FORM,
  headers: { ...FORM.headers, ...headers },
  body: new URLSearchParams(parameters).toString(),
})

const costOf = ({ headers }: Response, name: string) =>
  Number(new RegExp(`${name};desc="(\\d+)"`).exec(headers.get('Server-Timing') ?? '')?.[1])

const expressions = (count: number) => `The request has ${count} regular expressions. Enter at most 4.`
const RANGES = 'The ranges of this expression have too many characters. Enter shorter ranges, such as a-z.'
const range = (text: string) => encodeURIComponent(`[${text.repeat(9)}]`)
const attributes = (count: number) => `The request has ${count} filters of attributes. Enter at most 20.`

describe('a request that takes too much work is a 400', () => {
  it('a geometry of 99,000 long edges', { ...EXHAUSTIVE, timeout: 180_000 }, async () => {
    const detail =
      'This geometry has too many long edges for so many events. Simplify it, or add a filter, such as a period.'
    const sent = inForm({ geom_within: star(99_000), page_size: '1' })
    expect(await answer(EVENTS, sent)).toEqual({ status: 400, body: { detail } })
  })

  it('more than 1,500,000,000 tests of edges', async () => {
    const tests = function* (count: number) {
      yield countEdges(count)
    }
    await makeWork().run(tests(1_499_999_999))
    await expect(makeWork().run(tests(1_500_000_300))).rejects.toThrow('This geometry has too many long edges')
  })

  it('more than 2,500,000 distances', async () => {
    const distances = function* (count: number) {
      for (let i = 0; i < count; i++) {
        countDistance()
        if (i % 100_000 === 0) yield
      }
    }
    await makeWork().run(distances(2_500_000))
    await expect(makeWork().run(distances(2_500_001))).rejects.toThrow(
      'One request computes at most 2,500,000 distances.',
    )
  })

  it('a filter of 600 comparisons', async () => {
    const detail =
      'This filter has too many comparisons for so many events. Enter fewer, or add a filter, such as a period.'
    const path = `${ITEMS}?limit=1&filter=${encodeURIComponent(comparisons(600))}`
    expect(await answer(path)).toMatchObject({ status: 400, body: { detail } })
    // A filter of few events is answered.
    expect((await answer(`${path}&event_series__id=3`)).status).toBe(200)
  })

  it.each<[string, string, Record<string, unknown>]>([
    ['5 regular expressions', filtersOf(5, 'regex', 'x'), { detail: expressions(5) }],
    ['many that are slow to compile', filtersOf(20, 'iregex', `[${WIDE.repeat(49)}]`), { detail: expressions(20) }],
    ['21 filters of attributes', filtersOf(21, 'isnull', 'true'), { detail: attributes(21) }],
    ['400 of them', filtersOf(400, 'icontains', 'ü'), { detail: attributes(400) }],
    ['21 for the empty text', filtersOf(21, 'exact', ''), { detail: attributes(21) }],
    ['wide ranges in one expression', `category__iregex=${range(WIDE)}`, { category__iregex: [RANGES] }],
    ['wide ranges with codes', `category__regex=(?i)${range('\\x{42}-\\x{1E941}')}`, { category__regex: [RANGES] }],
  ])('%s, before an expression is compiled, on each address that takes filters', async (_, query, body) => {
    const compile = vi.spyOn(RE2JS, 'compile')
    for (const path of [EVENTS, `${EVENTS}summary/`, '/api/v4/events/'])
      for (const response of [answer(`${path}?${query}`), answer(path, post(query))])
        expect(await response).toEqual({ status: 400, body: expect.objectContaining(body) })
    for (const path of [ITEMS, `${ITEMS.replace('items', 'tiles')}/WorldCRS84Quad/0/0/0`])
      expect((await answer(`${path}?${query}`)).status).toBe(400)
    const path = `/api/v4/eventseries/${seedSeries[0]?.uuid}/events/?${query}`
    const deleted = await answer(path, { ...(await withKey('all')), method: 'DELETE' })
    expect(deleted).toEqual({ status: 400, body: expect.objectContaining(body) })
    expect(compile).not.toHaveBeenCalled()
    compile.mockRestore()
  })

  it.each([
    ['4 regular expressions', filtersOf(4, 'iregex', `[${WIDE.repeat(7)}]`)],
    ['20 filters of attributes', filtersOf(20, 'isnull', 'true')],
    [
      'ranges of letters',
      `category__iregex=${encodeURIComponent(`[^a-z]{4}[\\x{80}-\\x{10FFFF}]|${'[0-9a-f]-'.repeat(12)}`)}`,
    ],
  ])('%s are answered', async (_, query) => {
    expect((await send(`${EVENTS}?${query}`)).status).toBe(200)
  })
})

describe('other requests are answered meanwhile', () => {
  it.each<[string, Record<string, string>]>([
    ['a geometry of 10,000 long edges', { geom_within: star(10_000), page_size: '1' }],
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
  const spend = async (client: string, path: string, options: RequestInit = {}, milliseconds = 0) => {
    const headers = { 'CF-Connecting-IP': client, 'Cache-Control': 'no-cache', ...options.headers }
    const vars = { DB: databaseTaking(milliseconds), ROWS_PER_MINUTE: '100000' }
    return (await send(path, { ...options, headers, vars })).status
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

  it('milliseconds of the database', async () => {
    expect(await spend('198.51.100.143', `${EVENTS}1/`, {}, 20)).toBe(200)
    expect(await spend('198.51.100.143', `${EVENTS}2/`, {}, 200)).toBe(400)
    expect(await spend('198.51.100.143', `${EVENTS}3/`)).toBe(429)
  })
})

it('20 filters of the form attributes__NAME__not read each row once', async () => {
  const query = filtersOf(20, 'not', 'x')
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
  // Without it, each of these expressions takes as long as 2,000 small requests and more.
  for (const expression of ['(.{0,20}){10}$', '(x?.?y?){60}$', '(.*a){20}zzz']) {
    const path = `${EVENTS}?page_size=1&value__regex=${encodeURIComponent(expression)}`
    await expectPace(1000, () => durationOf(async () => expect((await send(path)).status).toBe(200)), expression)
  }
})
