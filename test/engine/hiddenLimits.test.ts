import { beforeAll, describe, expect, it } from 'vitest'
import { freshDatabase } from '../database.ts'
import { eventOf, seriesOf } from '../filters/records.ts'
import { load, type Options, post, send } from '../service.ts'
import { EXHAUSTIVE, splitRows } from '../tags.ts'
import { EVENTS } from './world.ts'

const HIDDEN_SERIES = 990
const FIRST = 2_000_000
const ITEMS = '/ogc/collections/events/items'
const TILES = '/ogc/collections/events/tiles/WorldCRS84Quad'

/** The n-th hidden event. Each has its own category, and values, times and places that visible events have, too. */
const hidden = (n: number) =>
  eventOf(FIRST + n, {
    series: HIDDEN_SERIES,
    category: `hidden ${n}`,
    value: `${1000 + (n % 500)}.5 é`,
    external_id: `hidden-${n}`,
    attributes: { mag: 4.5 },
    start: Date.UTC(2018, 1, 5) + n,
    end: Date.UTC(2018, 1, 5) + n + 1000,
    coordinates: [-150 + (n % 97) / 10, 60 + (n % 89) / 10, 0],
  })

let DB = freshDatabase()
/** Takes a database that the Worker does not know, and lets it read the estimates. */
const startIsolate = async () => {
  DB = freshDatabase()
  await send(`${EVENTS}?timestamp_start__gte=2000-01-01`, { vars: { DB } })
}

/** Filters that SQL tests, with about so many characters in all. */
const long = (characters: number) =>
  Array.from(
    { length: 20 },
    (_, i) => `attributes__${'a'.repeat(Math.ceil(characters / 20) - 60)}${i}__isnull=true`,
  ).join('&')
/** Only hidden events are newer. */
let loaded = ''
/** The most characters of a filter that are tested for all events that an anonymous caller sees. */
let most = 0

const statusOf = async (characters: number) =>
  (await send(EVENTS, { ...post(`page_size=1&${long(characters)}`), vars: { DB } })).status

beforeAll(async () => {
  await load()
  await load([seriesOf(HIDDEN_SERIES, { access_modifier: 300 })])
  await startIsolate()
  loaded = new Date().toISOString()
  let [answered, refused] = [2000, 60_000]
  while (refused - answered > 20) {
    const middle = Math.floor((answered + refused) / 2)
    if ((await statusOf(middle)) === 200) answered = middle
    else refused = middle
  }
  most = answered
})

const TRIANGLE = 'geom_within=POLYGON((-152 58,-130 58,-152 71,-152 58))'

/** Requests near a limit, or that count rows to choose a path. A query that begins with `POST ` is a form. */
const requests = (): string[] => [
  `POST ${long(58_500)}&last_modified__gt=${loaded}&last_modified__not=2099-01-01T00:00:00Z`,
  ...[
    '',
    '&value__gte=1000&value__lt=1500',
    '&last_modified__gte=2000-01-01',
    `&${TRIANGLE}`,
    '&external_id=hidden-1',
  ].flatMap((more) => [most, most + 100].map((characters) => `POST ${long(characters)}${more}`)),
  ...[
    'value__gte=1000',
    'last_modified__gte=2000-01-01',
    'value=1200.5%20é',
    'attributes__mag=4.5',
    'q=hidden',
    'q=é',
  ].map((query) => `${EVENTS}?${query}`),
  ...[
    'category__regex=hidden',
    'value__iregex=É',
    'value__icontains=É',
    'category__icontains=hidden',
    TRIANGLE,
  ].flatMap((query) => [
    `${EVENTS}?${query}&page_size=3`,
    `${EVENTS}?${query}&ordering=-value`,
    `${EVENTS}summary/?${query}&facets=category&level=9`,
  ]),
  ...['near=-149,61&radius=900000&ordering=distance', 'latest=event_series', 'page=last', 'page=900'].map(
    (query) => `${EVENTS}?${query}`,
  ),
  ...['', '?by=category&bins=day', '?statistics=value&level=12', '?facets=category&facet_size=1000'].map(
    (query) => `${EVENTS}summary/${query}`,
  ),
  ...['0/0/0', '3/1/0', '6/10/5'].map((tile) => `${TILES}/${tile}`),
  `${ITEMS}?filter=${encodeURIComponent("CASEI(value) LIKE CASEI('%É') OR category LIKE 'hid%n %'")}`,
  `${EVENTS}?format=csv&page_size=all&category__istartswith=EARTH`,
]

/** Returns an answer without the headers that always differ. */
const seenOf = async (request: string) => {
  const options: Options = { vars: { DB } }
  const response = await (request.startsWith('POST ')
    ? send(EVENTS, { ...options, ...post(request.slice(5)) })
    : send(request, { ...options, headers: { 'Cache-Control': 'no-cache' } }))
  const own = ['x-request-id', 'x-d1-bookmark', 'last-modified', 'server-timing']
  const headers = [...response.headers].filter(([name]) => !own.includes(name))
  const body = new TextDecoder('latin1').decode(await response.arrayBuffer())
  return { request, status: response.status, headers, body }
}

const seenOfAll = async () => {
  const seen = []
  for (const request of requests()) seen.push(await seenOf(request))
  return seen
}

describe('hidden events beyond each limit change no answer', () => {
  let before: Awaited<ReturnType<typeof seenOfAll>>
  let count = 0
  const postUpTo = async (total: number) => {
    for (; count < total; count += Math.min(10_000, total - count))
      await load(Array.from({ length: Math.min(10_000, total - count) }, (_, i) => hidden(count + i)))
  }

  beforeAll(async () => {
    before = await seenOfAll()
  })

  it('the requests meet the limits', () => {
    expect(before.slice(0, 3).map(({ status }) => status)).toEqual([400, 200, 400])
    expect(new Set(before.slice(11).map(({ status }) => status))).toEqual(new Set([200]))
  })

  for (const [options, totals] of splitRows(3, [20_001, 1, 501]))
    it.each(totals)('%d hidden events', options, async (total) => {
      await postUpTo(total)
      // `npm test` asks a new isolate only.
      if (options.tags) expect(await seenOfAll()).toEqual(before)
      await startIsolate()
      expect(await seenOfAll()).toEqual(before)
    })

  it.each([50_001, 100_001])('%d hidden events', { ...EXHAUSTIVE, timeout: 300_000 }, async (total) => {
    await postUpTo(total)
    await startIsolate()
    expect(await seenOfAll()).toEqual(before)
  })
})
