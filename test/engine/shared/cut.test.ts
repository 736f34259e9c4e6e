import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { d1Engine } from '../../../src/engine/d1/engine.ts'
import { formatStart, type KnownCount, parseStart } from '../../../src/engine/shared/cut.ts'
import type { State } from '../../../src/engine/state.ts'
import { formatHint, type Parameter, parseHint, requestKeyOf } from '../../../src/http/query.ts'
import type { RowPosition } from '../../../src/question/question.ts'
import { get, load, type Options, post, publicEvents, send, sendToEdge, unhinted } from '../../service.ts'
import { splitRows } from '../../tags.ts'
import { EVENTS, idsOf } from '../world.ts'

const SEED = 20_261_121

/** The start of a cut after a position. */
interface Start {
  readonly backward: boolean
  readonly after: RowPosition
  readonly known: KnownCount
}

/** The seal of a service without API keys, which the tests call. */
const bound = { DB: env.DB, ENGINE: d1Engine(env.DB) }
const known = { state: { revision: 7, changed: 36 }, count: 99, rowsPerMatch: 0 }
const start: Start = { backward: false, after: { value: null, id: 20 }, known }

/** Writes the start of a cut as the value of a parameter, and reads it again. */
const hintOf = ({ backward, after, known }: Start, request: string, page: number) =>
  formatHint(formatStart(backward, after, known), request, page, bound)
const startIn = async (value: string, request: string, page: number) => {
  const hint = await parseHint(value, request, page, bound)
  return hint && parseStart(hint, 10)
}

const digits = fc.maxSafeInteger().map((number) => Math.abs(number) % 10 ** 15)
const starts: fc.Arbitrary<Start> = fc.record({
  backward: fc.boolean(),
  after: fc.record({
    value: fc.option(
      fc.oneof(
        digits,
        digits.map((number) => 0 - number),
      ),
    ),
    id: digits,
  }),
  known: fc.record({
    state: fc.record({ revision: digits, changed: fc.nat(2 ** 50) }),
    count: digits,
    rowsPerMatch: fc.oneof(fc.constant(0), fc.nat(999_999_999)),
  }),
})

describe('the start of a cut is the same after it is written and read', () => {
  it.each<[Partial<Start>, string]>([
    [{}, 'a__20_7-10_99_0_'],
    [{ backward: true }, 'b__20_7-10_99_0_'],
    [{ after: { value: -5, id: 3 } }, 'a_-5_3_7-10_99_0_'],
    [{ after: { value: 0, id: 3 }, known: { ...known, rowsPerMatch: 12 } }, 'a_0_3_7-10_99_12_'],
    [{ after: { value: -8_640_000_000_000_000, id: 2 ** 53 - 1 } }, 'a_-8640000000000000_9007199254740991_7-10_99_0_'],
  ])('%j', async (changes, text) => {
    const given = { ...start, ...changes }
    const written = await hintOf(given, 'request', 3)
    expect(written).toMatch(new RegExp(`^${text}[0-9a-z]+_[0-9a-f]{16}$`))
    expect(await startIn(written, 'request', 3)).toEqual({ ...given, skip: 0, take: 10 })
  })

  it('a random start', async () => {
    await fc.assert(
      fc.asyncProperty(starts, fc.string(), fc.nat(), async (given, request, page) => {
        const text = await hintOf(given, request, page)
        expect(await startIn(text, request, page)).toEqual({ ...given, skip: 0, take: 10 })
      }),
      { seed: SEED },
    )
  })
})

describe('an invalid hint, or one of another page or request, is ignored', async () => {
  const fitting = await hintOf(start, 'request', 3)
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
    fitting.replace('_20_', `_${'9'.repeat(16)}_`),
    fitting.replace('_0_', `_${'9'.repeat(10)}_`),
    fitting.replaceAll('_', '-'),
    '_'.repeat(100_000),
  ])('%.40j', async (value) => {
    expect(await startIn(value, 'request', 3)).toBeNull()
  })

  it.each([
    ['request', 4],
    ['request', 33],
    ['Request', 3],
    ['', 3],
    ['request&level=100', 3],
  ])('for %j, page %i', async (request, page) => {
    expect(await startIn(fitting, request, page)).toBeNull()
  })
})

describe('the hint in an address', () => {
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

  it('is ignored for another page, filter, ordering, page size or caller', async () => {
    for (const query of QUERIES.slice(0, 2)) {
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
        .map(([name = '', value = '']) => ({ name, value: value.replaceAll('+', ' ') })),
    )
  const keyOf = (parameters: Parameter[]) => requestKeyOf('/api/v3/events/', parameters, 0)

  it.each(QUERIES.filter((query) => query !== HIDDEN))('in next fits the query %j', async (query) => {
    const { next } = await get(at(query, 2))
    const read = await startIn(hintIn(next), await fittingKey(query), 3)
    expect(read?.known?.state).toEqual(expect.anything())
  })

  for (const [options, [numRuns = 0]] of splitRows(2, [15, 60]))
    it('cannot show hidden events or change a count, even with a valid form', options, async () => {
      const counts = new Map<string, number>()
      for (const query of QUERIES) counts.set(query, (await get(at(query, 1))).count)
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...QUERIES), starts, fc.nat(20_000), async (query, given, id) => {
          const made = { ...given, after: { ...given.after, id } }
          const value = await hintOf(made, await fittingKey(query), 3)
          const page = await get(at(query, 3, value))
          expect(page.count).toBe(counts.get(query))
          expect(idsOf(page).filter((found) => !seen.has(found))).toEqual([])
        }),
        { seed: SEED, numRuns },
      )
    })

  const OGC = '/ogc/collections/events/items?limit=10'
  const ALTERATIONS: [string, (hint: string) => string][] = [
    ['another count', (hint) => hint.replace(/_\d+(_\d+_\w+_\w+)$/, '_77$1')],
    ['another count, without a seal', (hint) => hint.replace(/_\d+(_\d+_\w+)_\w+$/, '_77$1')],
    ['a made-up seal', (hint) => hint.replace(/\w{16}$/, '0123456789abcdef')],
  ]
  it.each(
    [
      ...QUERIES.slice(0, 8)
        .filter((query) => query !== HIDDEN)
        .map((query) => at(query, 2)),
      OGC,
    ].flatMap((address) => ALTERATIONS.map(([what, alter]) => [what, address, alter] as const)),
  )('%s in the hint after %s: the rows are counted again', async (_, address, alter) => {
    const { next, links } = await get(address)
    const [turn = next] = (links ?? []).flatMap((link: { rel: string; href: string }) =>
      link.rel === 'next' ? link.href : [],
    )
    await expectRecounted(turn, turn.replace(hintIn(turn), alter(hintIn(turn))))
  })

  it('from a deployment with other keys gives the page, and the rows are counted again', async () => {
    const API_KEYS = `{"${'a'.repeat(64)}":{}}`
    const { next } = await get(at('', 2), { vars: { API_KEYS } })
    await expectRecounted((await get(at('', 2))).next, next)
  })

  it('from another isolate with the same keys needs no count', async () => {
    const vars = { API_KEYS: `{"${'b'.repeat(64)}":{}}` }
    const { next } = await get(at('ordering=-timestamp_start', 2), { vars })
    const [right, altered] = [next, next.replace(/\w{16}(?=&|$)/, '0'.repeat(16))]
    const rowsOf = async (address: string) =>
      Number(
        /rows_read;desc="(\d+)"/.exec((await sendToEdge(address, { vars })).headers.get('Server-Timing') ?? '')?.[1],
      )
    expect(await rowsOf(right)).toBeLessThan(await rowsOf(altered))
  })

  const expectRecounted = async (right: string, altered: string) => {
    expect(altered).not.toBe(right)
    const [expected, given] = [await send(right), await send(altered)]
    expect([given.status, given.headers.get('X-Total-Count')]).toEqual([200, expected.headers.get('X-Total-Count')])
    const [one, other] = [await given.json<Page>(), await expected.json<Page>()]
    expect([one.count, one.numberMatched, one.results ?? one.features]).toEqual([
      other.count,
      other.numberMatched,
      other.results ?? other.features,
    ])
  }
  interface Page {
    readonly count?: number
    readonly numberMatched?: number
    readonly results?: readonly object[]
    readonly features?: readonly object[]
  }
  it('is accepted if it was made for an expensive area and starts at its far end', async () => {
    const teeth = Array.from({ length: 2500 }, (_, i) => `${-170 + i * 0.13} ${i % 2 === 0 ? -80 : 80}`)
    const area = `POLYGON((${teeth.join(',')},160 -85,-170 -85,${teeth[0]}))`
    const body = `geom_within=${encodeURIComponent(area)}`
    const key = await keyOf([{ name: 'geom_within', value: area }])
    const state = await env.DB.prepare('SELECT revision, changed FROM revision').first<State>()
    const plain = await get(at('', 2), post(body))
    const made = {
      ...start,
      known: { state: state ?? known.state, count: plain.count, rowsPerMatch: 999_999_999 },
    }
    const hinted = await get(at('', 2, await hintOf(made, key, 2)), post(body))
    expect(hinted.count).toBe(plain.count)
    expect(idsOf(hinted)).toHaveLength(10)
  })
})
