import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { addTo, emptySum, quotient, unitsIn } from '../../../src/engine/shared/summary/exactSum.ts'
import { naiveNumber } from '../../filters/numbers.ts'
import { get, load, send, walk } from '../../service.ts'
import { splitRows } from '../../tags.ts'
import { EVENTS, foundation, idsOf, isVisible, makeEvents, pour, seenBy } from '../world.ts'

// More events than one batch of texts. Some texts are longer than their share of a batch.
const few = makeEvents(2000, 31)
const many = Array.from({ length: 51_000 }, (_, i) => ({
  ...{ id: 100_001 + i, start: i % 1000, end: i % 1000, coordinates: [1, 2, 0] as const },
  value: i % 1000 === 7 ? `${'long '.repeat(200)}${i}` : `n${i}`,
}))

beforeAll(async () => {
  await load([...foundation, ...few])
  await pour(many)
  for (let from = 0; from < many.length; from += 10_000) {
    const values = many.slice(from, from + 10_000).map(({ id, value }) => [id, value])
    await env.DB.prepare(
      `UPDATE event SET value = row.value ->> 1 FROM json_each(?) AS row WHERE event.id = row.value ->> 0`,
    )
      .bind(JSON.stringify(values))
      .run()
  }
})

/** Returns the ids of the events that a public caller sees, and whose value matches. */
const idsWith = (pattern: RegExp) =>
  [...few.filter((event) => isVisible(event, 'Public')), ...many]
    .filter(({ value }) => pattern.test(value))
    .map(({ id }) => id)

const options = seenBy('Public')

describe('a regular expression on the values of more events than a batch', () => {
  it('finds short and long texts in list order, page by page and at the end', async () => {
    const expected = idsWith(/(m|7)$/)
    const first = await get(`${EVENTS}?value__regex=(m|7)$&page_size=4000`, options)
    const second = await get(first.next, options)
    const last = await get(`${EVENTS}?value__regex=(m|7)$&page_size=4000&page=last`, options)
    expect([first.count, second.count, last.count]).toEqual([expected.length, expected.length, expected.length])
    expect(idsOf(first)).toEqual(expected.slice(0, 4000))
    expect(idsOf(second)).toEqual(expected.slice(4000, 8000))
    expect([last.next, idsOf(last).at(-1)]).toEqual([null, expected.at(-1)])
  })

  it('is part of a whole result and of a summary', async () => {
    const expected = idsWith(/long.*7$/)
    const response = await send(`${EVENTS}?value__regex=long.*7$&page_size=all&format=ndjson`, options)
    const lines = new TextDecoder()
      .decode(await response.arrayBuffer())
      .trim()
      .split('\n')
    expect(lines.map((line) => JSON.parse(line).id)).toEqual(expected)
    const { count, time } = await get(`${EVENTS}summary/?value__regex=long.*7$&bins=1`, options)
    expect([count, time.bins]).toEqual([expected.length, [[7, expected.length]]])
  })

  it('tests only the rows that other filters leave', async () => {
    const { count, results } = await get(
      `${EVENTS}?value__iregex=^N.*7$&timestamp_start=1970-01-01T00:00:00.017Z`,
      options,
    )
    expect([count, results[0].id]).toEqual([51, 100_018])
    const triangle = 'geom_within=POLYGON((0.5+1.5,1.5+1.5,1+2.5,0.5+1.5))'
    expect((await get(`${EVENTS}?value__regex=^n507..$&${triangle}`, options)).count).toBe(100)
  })
})

describe('pages in an area have the count of all matches, and each match once', () => {
  const triangle = 'geom_within=POLYGON((0.5+1.5,1.5+1.5,1+2.5,0.5+1.5))'

  for (const [how, rows] of splitRows(2, ['value__regex=^n507..$', 'value__iregex=^N507&value__regex=..$', 'q=n507*']))
    it.each(rows)('%s', how, async (query) => {
      const pages = await walk(`${EVENTS}?${query}&${triangle}&page_size=60`, options)
      const ids = idsOf(await get(`${EVENTS}?${query}&${triangle}&page_size=1000`, options))
      expect(ids.length).toBeGreaterThanOrEqual(100)
      expect(pages.flatMap(idsOf)).toEqual(ids)
      expect(pages.map(({ count }) => count)).toEqual(pages.map(() => ids.length))
    })
})

describe('words in the texts of more events than a batch', () => {
  for (const [how, rows] of splitRows<[string, RegExp]>(3, [
    ['n5*', /^n5/],
    ['n*', /^n/],
    ['long 1*', /^long.* 1/],
    ['large n77*', /^n77/],
    ['"long 23007"', /long 23007$/],
    ['n10 n11', /^n10 n11/],
  ]))
    it.each(rows)('%s', how, async (q, pattern) => {
      const placed = few.filter(
        (event) => isVisible(event, 'Public') && pattern.test(String(event.attributes?.place ?? '')),
      )
      const expected = [...placed, ...many.filter(({ value }) => pattern.test(value))].map(({ id }) => id)
      const address = `${EVENTS}?q=${encodeURIComponent(q)}`
      const first = await get(`${address}&page_size=4000`, options)
      const last = await get(`${address}&ordering=-id&page_size=3`, options)
      expect([first.count, last.count]).toEqual([expected.length, expected.length])
      expect(idsOf(first)).toEqual(expected.slice(0, 4000))
      expect(idsOf(last)).toEqual(expected.slice(-3).reverse())
      if (first.next) expect(idsOf(await get(first.next, options))).toEqual(expected.slice(4000, 8000))
      expect((await get(`${EVENTS}summary/?q=${encodeURIComponent(q)}&bins=1`, options)).count).toBe(expected.length)
    })
})

it('a summary has the statistics of more numbers than a query returns', async () => {
  await env.DB.prepare('UPDATE event SET value_number = id / 8.0 WHERE id > 100000').run()
  const sum = emptySum()
  const numbers = [
    ...few.filter((event) => isVisible(event, 'Public')).flatMap(({ value }) => naiveNumber(value) ?? []),
    ...many.map(({ id }) => id / 8),
  ]
  for (const number of numbers) addTo(sum, number)
  const { count, facets, statistics } = await get(
    `${EVENTS}summary/?statistics=value&bins=1&facets=event_series`,
    options,
  )
  const { bins, ...whole } = statistics.value
  const { start, ...bin } = bins[0]
  expect(bin).toEqual(whole)
  expect(whole).toEqual({
    ...{ count: numbers.length, min: Math.min(...numbers), max: 151_000 / 8 },
    ...{ mean: quotient(unitsIn(sum), numbers.length), sum: quotient(unitsIn(sum), 1) },
    without: count - numbers.length,
  })
  const counts = facets.event_series.entries.map((entry: typeof statistics) => entry.statistics.value.count)
  expect(counts.reduce((total: number, count: number) => total + count, 0)).toBe(numbers.length)
})
