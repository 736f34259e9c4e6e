import { beforeAll, describe, expect, it } from 'vitest'
import { MEANINGS } from '../src/filters/lookups.ts'
import { eventOf, observationType, seriesOf } from './filters/records.ts'
import { expectPace } from './pace.ts'
import { load, post, send } from './service.ts'
import { splitRows } from './tags.ts'

const EVENTS = '/api/v3/events/'
const ITEMS = '/ogc/collections/events/items'
const EACH = 100
const EQUAL = 'a'.repeat(9900)
const WORDS = 'Überschwemmung grüße Ärger naïve '.repeat(300).slice(0, 9890)
/** Almost as many attributes as fit into 4,096 bytes. */
const ATTRIBUTES = Object.fromEntries(Array.from({ length: 460 }, (_, i) => [`b${i}`, 1]))

beforeAll(() =>
  load([
    observationType,
    seriesOf(1),
    ...Array.from({ length: EACH }, (_, i) => eventOf(i + 1, { series: 1, value: EQUAL })),
    ...Array.from({ length: EACH }, (_, i) => eventOf(i + 1001, { series: 1, value: `${WORDS}${i}` })),
    ...Array.from({ length: EACH }, (_, i) => eventOf(i + 2001, { series: 1, attributes: ATTRIBUTES })),
  ]),
)

/** Sends a request, and small ones of another client beside it. Returns the longest wait of these, in milliseconds. */
const longestWait = async (ask: () => Promise<Response>, statuses: readonly number[]): Promise<number> => {
  let isDone = false
  const dear = ask().finally(() => {
    isDone = true
  })
  const waits: number[] = []
  while (!isDone) {
    const started = performance.now()
    const small = await send(`${EVENTS}?page_size=1`, { headers: { 'Cache-Control': 'no-cache' } })
    expect(small.status).toBe(200)
    waits.push(performance.now() - started)
    await scheduler.wait(5)
  }
  expect(statuses).toContain((await dear).status)
  return Math.max(...waits)
}

/** None of the small requests waits as long as 400 of them take alone. It is usually 40. */
const expectTurns = (ask: () => Promise<Response>, statuses: readonly number[]) =>
  expectPace(400, () => longestWait(ask, statuses))

const TEXTS = MEANINGS.flatMap(([name, { text }]) => (text === undefined ? [] : [name]))
/** Searched texts that almost occur in the long texts, and one with many letters of other scripts. */
const SEARCHED = [
  `${'a'.repeat(4950)}b`,
  `${WORDS.slice(2, 5000)}b`,
  `${'a'.repeat(45)}b`,
  String.fromCodePoint(...Array.from({ length: 200 }, (_, i) => 0x391 + i)),
]

describe('other clients have their turn while long texts are searched', () => {
  for (const [options, lookups] of splitRows(3, [...TEXTS, 'regex', 'iregex']))
    it.each(lookups)('value__%s', options, async (lookup) => {
      for (const text of SEARCHED)
        await expectTurns(
          () => send(EVENTS, post(`page_size=1&value__${lookup}=${encodeURIComponent(text)}`)),
          [200, 400],
        )
    })

  it.each([
    ['q', 'q=zzz'],
    ['20 words', `q=${Array.from({ length: 20 }, (_, i) => `zz${i}`).join('+')}`],
    ['a phrase', `q="${'grusse+'.repeat(19)}zz"`],
  ])('%s', (_, query) => expectTurns(() => send(`${EVENTS}?page_size=1&${query}`), [200]))

  const filters: [string, string, number][] = [
    ['a pattern with _', `value LIKE '%${'a'.repeat(20)}_${'b'.repeat(20)}%'`, 200],
    ['a long pattern with _', `value LIKE '%${'a'.repeat(45)}_bbbbbb%'`, 400],
    ['a long pattern with _, without case', `CASEI(value) LIKE CASEI('%${'ü'.repeat(45)}_bbbbbb%')`, 400],
    ['signs of GLOB with _', `value LIKE '%*%?%[%_zz'`, 200],
    ['20 texts', `value LIKE '${'%a'.repeat(19)}%z%'`, 200],
    ['20 patterns', Array.from({ length: 20 }, (_, i) => `value LIKE '%aaaaaaaaaaz${i}%'`).join(' OR '), 200],
    ['21 texts', `value LIKE '${'%a'.repeat(21)}%'`, 400],
    ['a long text', `value LIKE '%${'a'.repeat(4950)}b%'`, 200],
    ['CASEI', "CASEI(value) LIKE CASEI('%ü0%')", 200],
    ['CASEI with many letters', `CASEI(value) = CASEI('${(SEARCHED[3] ?? '').slice(0, 60)}')`, 200],
    ['CASEI IN', `CASEI(value) IN (CASEI('grüße'), CASEI('Ärger'))`, 200],
    ['comparisons', 'value > category AND value <> external_id AND NOT value BETWEEN category AND value', 200],
  ]
  it.each(filters)('%s', (_, filter, status) =>
    expectTurns(() => send(`${ITEMS}?limit=1&filter=${encodeURIComponent(filter)}`), [status]),
  )
})

describe('other clients have their turn while many attributes are read', () => {
  const several = (count: number, filter: string) =>
    Array.from({ length: count }, (_, i) => `attributes__zz${i}__${filter}`).join('&')
  const NUMBERS = ['lt', 'lte', 'gt', 'gte', 'range']

  for (const [options, lookups] of splitRows(3, ['not', ...TEXTS, ...NUMBERS, 'isnull', 'regex', 'iregex']))
    it.each(lookups)('attributes__NAME__%s', options, async (lookup) => {
      const value = { range: '1,2', isnull: 'true' }[lookup] ?? (NUMBERS.includes(lookup) ? '1' : 'Überz')
      const filter = `${lookup}=${encodeURIComponent(value)}`
      const isExpression = /regex$/.test(lookup)
      await expectTurns(() => send(EVENTS, post(`page_size=1&${several(isExpression ? 4 : 20, filter)}`)), [200])
      await expectTurns(() => send(EVENTS, post(`page_size=1&${several(900, filter)}`)), [400])
    })
})
