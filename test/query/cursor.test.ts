import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { keysOf, type Parameter, parameter } from '../../src/http/query.ts'
import { type Cursor, formatCursor, parseCursor } from '../../src/query/cursor.ts'
import type { State } from '../../src/state.ts'
import { get, load, type Options, post, publicEvents, unhinted } from '../service.ts'
import { EVENTS, idsOf } from './world.ts'

const SEED = 20_261_121
const cursor: Cursor = {
  backward: false,
  from: { value: null, id: 20 },
  state: { revision: 7, changed: 36 },
  count: 99,
  rowsPerMatch: 0,
}

const digits = fc.maxSafeInteger().map((number) => Math.abs(number) % 10 ** 15)
const cursors: fc.Arbitrary<Cursor> = fc.record({
  backward: fc.boolean(),
  from: fc.record({
    value: fc.option(
      fc.oneof(
        digits,
        digits.map((number) => 0 - number),
      ),
    ),
    id: digits,
  }),
  state: fc.record({ revision: digits, changed: fc.nat(2 ** 50) }),
  count: digits,
  rowsPerMatch: fc.oneof(fc.constant(0), fc.nat(999_999_999)),
})

describe('a cursor is read as it was written', () => {
  it.each<[Partial<Cursor>, string]>([
    [{}, 'a__20_7-10_99_0_'],
    [{ backward: true }, 'b__20_7-10_99_0_'],
    [{ from: { value: -5, id: 3 } }, 'a_-5_3_7-10_99_0_'],
    [{ from: { value: 0, id: 3 }, rowsPerMatch: 12 }, 'a_0_3_7-10_99_12_'],
    [{ from: { value: -8_640_000_000_000_000, id: 2 ** 53 - 1 } }, 'a_-8640000000000000_9007199254740991_7-10_99_0_'],
  ])('%j', (changes, start) => {
    const given = { ...cursor, ...changes }
    const text = formatCursor(given, 'request', 3)
    expect(text).toMatch(new RegExp(`^${start}[0-9a-z]+$`))
    expect(parseCursor(text, 'request', 3)).toEqual(given)
  })

  it('any', () => {
    fc.assert(
      fc.property(cursors, fc.string(), fc.nat(), (given, request, page) => {
        expect(parseCursor(formatCursor(given, request, page), request, page)).toEqual(given)
      }),
      { seed: SEED },
    )
  })
})

describe('what is no cursor of this page of this request', () => {
  const fitting = formatCursor(cursor, 'request', 3)
  it.each([
    '',
    'a',
    fitting.slice(0, -1),
    `${fitting}0`,
    ` ${fitting}`,
    `${fitting}\n`,
    fitting.toUpperCase(),
    fitting.replace('a_', 'c_'),
    fitting.replace('_20_', '_-20_'),
    fitting.replace('_20_', '_2e1_'),
    fitting.replace('_20_', '__'),
    fitting.replace('_20_', `_${'9'.repeat(17)}_`),
    fitting.replace('_0_', `_${'9'.repeat(10)}_`),
    fitting.replaceAll('_', '-'),
    '_'.repeat(100_000),
  ])('%.40j', (value) => {
    expect(parseCursor(value, 'request', 3)).toBeNull()
  })

  it.each([
    ['request', 4],
    ['request', 33],
    ['Request', 3],
    ['', 3],
    ['request&level=100', 3],
  ])('one of %j, page %i', (request, page) => {
    expect(parseCursor(fitting, request, page)).toBeNull()
  })
})

describe('over HTTP', () => {
  beforeAll(() => load())

  const BOX = 'POLYGON((-120+10,-60+10,-60+60,-120+60,-120+10))'
  const HIDDEN = 'event_series=8b082e6'
  const QUERIES = [
    '',
    'page_size=7',
    'ordering=-id',
    'ordering=-timestamp_start',
    'event_series=99fe5d0',
    HIDDEN,
    'category=Climb',
    'category__icontains=storm&ordering=timestamp_end',
    `geom_within=${BOX}`,
    `geom_within=${BOX}&ordering=-timestamp_start&event_series=034a712`,
    'geom_within=POLYGON((-120+10,-60+10,-90+60,-120+10))',
    'geom_within=POLYGON((-120+10,-60+10,-90+60,-120+10))&category__icontains=storm&ordering=-timestamp_end',
  ]
  const at = (query: string, page: number, value = '') =>
    `${EVENTS}?${[query, `page=${page}`, value && `hint=${encodeURIComponent(value)}`].filter((part) => part !== '').join('&')}`
  const hintIn = (address: string) => new URL(address).searchParams.get('hint') ?? ''

  it('next has a hint of its own page: for another page, filter, order, size or caller it is not used', async () => {
    for (const query of QUERIES.slice(0, 5)) {
      const foreign = hintIn((await get(at(query, 2))).next)
      expect(foreign).not.toBe('')
      for (const other of QUERIES) {
        const page = other === query ? 4 : 3
        const plain = await get(at(other, page)).catch(() => null)
        if (plain !== null) expect(unhinted(await get(at(other, page, foreign)))).toEqual(unhinted(plain))
      }
      const hidden: Options = { vars: { ANONYMOUS_LEVEL: 'Hidden' } }
      expect(await get(at(query, 3, foreign), hidden)).toEqual(await get(at(query, 3), hidden))
    }
  })

  it.each(['x', 'a__1_1_1_0_0', "';--", '%00', 'é', 'a'.repeat(5000)])('%.20j is ignored', async (value) => {
    expect(await get(at('', 3, value))).toEqual(await get(at('', 3)))
  })

  const seen = new Set(publicEvents.map(({ id }) => id))
  const fittingKey = (query: string) =>
    keyOf(
      query
        .split('&')
        .filter((pair) => pair !== '')
        .map((pair) => pair.split('='))
        .map(([name = '', value = '']) => parameter(name, value.replaceAll('+', ' '))),
    )
  const keyOf = async (parameters: Parameter[]) => (await keysOf('/api/v3/events/', parameters, 0)).request

  it.each(QUERIES.filter((query) => query !== HIDDEN))('next of %j has a hint that fits', async (query) => {
    const { next } = await get(at(query, 2))
    expect(parseCursor(hintIn(next), await fittingKey(query), 3)).not.toBeNull()
  })

  it('made up for the request, of another state, leads to no event that is hidden and changes no count', async () => {
    const counts = new Map<string, number>()
    for (const query of QUERIES) counts.set(query, (await get(at(query, 1))).count)
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...QUERIES), cursors, fc.nat(20_000), async (query, given, id) => {
        const value = formatCursor({ ...given, from: { ...given.from, id } }, await fittingKey(query), 3)
        const page = await get(at(query, 3, value))
        expect(page.count).toBe(counts.get(query))
        expect(idsOf(page).filter((found) => !seen.has(found))).toEqual([])
      }),
      { seed: SEED, numRuns: 60 },
    )
  })

  it('made up with the longest way to go, of an area of many edges, does not refuse the area', async () => {
    const teeth = Array.from({ length: 2500 }, (_, i) => `${-170 + i * 0.13} ${i % 2 === 0 ? -80 : 80}`)
    const area = `POLYGON((${teeth.join(',')},160 -85,-170 -85,${teeth[0]}))`
    const body = `geom_within=${encodeURIComponent(area)}`
    const key = await keyOf([parameter('geom_within', area)])
    const state = await env.DB.prepare('SELECT revision, changed FROM revision').first<State>()
    const plain = await get(at('', 2), post(body))
    const made = { ...cursor, state: state ?? cursor.state, count: plain.count, rowsPerMatch: 999_999_999 }
    const hinted = await get(at('', 2, formatCursor(made, key, 2)), post(body))
    expect(hinted.count).toBe(plain.count)
    expect(idsOf(hinted)).toHaveLength(10)
  })
})
