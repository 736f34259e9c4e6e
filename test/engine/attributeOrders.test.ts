import { beforeAll, describe, expect, it } from 'vitest'
import { random } from '../bench/events.ts'
import { eventOf, seriesOf, typeOf, uuidOf } from '../http/writes.ts'
import { get, load, send } from '../service.ts'
import { EVENTS, outcome, SERIES } from '../store/writer.ts'

const LONG = 'long '.repeat(200)
const VALUES: readonly unknown[] = [
  ...[0, 1, -1, 2.5, 1e300, -1e300, 9007199254740991, 1234567890123456800, 12345678901234567000],
  ...['5', '10', '', 'a', 'A', 'é', '😀', '\uffff', LONG, `${LONG}b`, `${LONG}a`, "o'x"],
  ...[true, false, null, undefined, undefined, {}, [1, 2], { a: 1 }],
]

/** Numbers come before texts. Booleans are numbers, objects are their JSON, and null is as absent. */
const sortedAs = (value: unknown): number | string | null => {
  if (typeof value === 'boolean') return Number(value)
  return typeof value === 'object' ? value && JSON.stringify(value) : ((value ?? null) as string | number | null)
}
const bytes = (text: string) => Array.from(text, (character) => character.codePointAt(0) ?? 0)
const compare = (a: number | string, b: number | string): number => {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'number' || typeof b === 'number') return typeof a === 'number' ? -1 : 1
  const [one, other] = [bytes(a), bytes(b)]
  const at = one.findIndex((code, i) => code !== other[i])
  return at < 0 ? one.length - other.length : (one[at] ?? 0) - (other[at] ?? -1)
}

const next = random(3)
const events = Array.from({ length: 90 }, (_, i) => {
  const value = VALUES[Math.floor(next() * VALUES.length)]
  return { ...eventOf(i + 1, 1 + (i % 2)), attributes: value === undefined ? { other: i } : { X: value } }
})
const expected = (descending: boolean): number[] => {
  const sign = descending ? -1 : 1
  const keyed = events.map(({ id, attributes }) => ({
    id,
    key: sortedAs('X' in attributes ? attributes.X : undefined),
  }))
  return keyed
    .sort(({ id: a, key: one }, { id: b, key: other }) => {
      if (one === null || other === null) return one === other ? (a - b) * sign : one === null ? 1 : -1
      return (compare(one, other) || a - b) * sign
    })
    .map(({ id }) => id)
}

beforeAll(() => load([typeOf(1), seriesOf(1, 'Public'), seriesOf(2, 'Public'), ...events]))

const idsOf = (page: { readonly results: readonly { readonly id: number }[] }) => page.results.map(({ id }) => id)

describe.each([
  ['attributes__X', false],
  ['-attributes__X', true],
])('ordering=%s', (ordering, descending) => {
  const address = `${EVENTS}?ordering=${ordering}&page_size=7`

  it('has numbers before texts, and absent values last, in all pages of both directions', async () => {
    const pages: number[][] = []
    let page = await get(address)
    for (pages.push(idsOf(page)); page.next !== null; pages.push(idsOf(page))) page = await get(page.next)
    expect(pages.flat()).toEqual(expected(descending))
    const back = [idsOf(page)]
    for (; page.previous !== null; back.unshift(idsOf(page))) page = await get(page.previous)
    expect(back).toEqual(pages)
    for (const number of [2, 5, 13]) expect(idsOf(await get(`${address}&page=${number}`))).toEqual(pages[number - 1])
    expect(idsOf(await get(`${address}&page=last`))).toEqual(pages.at(-1))
  })

  it('streams the same order', async () => {
    const text = await (await send(`${EVENTS}?ordering=${ordering}&page_size=all&format=ndjson`)).text()
    expect(
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).id),
    ).toEqual(expected(descending))
  })

  it('orders the events of one series, also in version 4 and in an area', async () => {
    const own = new Set(events.filter(({ series }) => series === 2).map(({ id }) => id))
    const ids = expected(descending).filter((id) => own.has(id))
    for (const path of [
      `${SERIES}${uuidOf(2)}/events/?page_size=100&`,
      `${EVENTS}?event_series=${uuidOf(2)}&page_size=100&`,
      `${EVENTS}?geom_within=POLYGON((5.15 51,5.25 51,5.2 53,5.15 51))&page_size=100&`,
    ])
      expect(idsOf(await get(`${path}ordering=${ordering}`))).toEqual(ids)
  })
})

it.each(['attributes__', 'attributes__a__b', 'attributes__a b', 'attributes__X__gte'])('refuses %s', async (name) => {
  const { status, body } = await outcome('GET', `${EVENTS}?ordering=${encodeURIComponent(name)}`)
  expect([status, Object.keys(body)]).toEqual([400, ['ordering']])
})

it('is no order of series', async () => {
  expect((await send(`${SERIES}?ordering=attributes__X`)).status).toBe(400)
})
